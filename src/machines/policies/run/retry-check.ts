import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';

/** Why a task is not made ready again; null when it may be. One that can be resumed is not retried behind its back. */
export function retryObstacle(
  task: Task,
  latest: Pick<RunRecord, 'state' | 'pause_reason' | 'decision_state'> | null,
  isEngineAlive: boolean,
): AppError | null {
  if (task.status === 'failed' || task.status === 'blocked') return null;
  if (task.status === 'in_progress' && isLost(latest, isEngineAlive)) return null;
  const isAtCheckpoint =
    latest?.decision_state === 'pending' || latest?.decision_state === 'changes_requested';
  if (task.status === 'in_progress' && isAtCheckpoint) return atCheckpoint(task.id);
  const isPaused = task.status === 'in_progress' && latest?.state === 'paused';
  return new AppError('E_RETRY_REFUSED', `task ${task.id} is not failed or blocked`, {
    details: [['status', task.status]],
    next: isPaused
      ? [
          {command: `blackbird resume ${shellWord(task.id)}`, why: 'go on where it stopped'},
          {command: `blackbird restart ${shellWord(task.id)}`, why: 'or start again from scratch'},
        ]
      : [{command: `blackbird why ${shellWord(task.id)}`, why: 'see how it stands'}],
  });
}

/** What stands at a checkpoint is decided, not changed by other means. */
export function atCheckpoint(taskId: string): AppError {
  const review = `blackbird review ${shellWord(taskId)}`;
  return new AppError('E_DECISION_PENDING', `${taskId} waits for your decision`, {
    next: [
      {command: `${review} --approve`, why: 'the plan may go on'},
      {command: `${review} --request-changes <text>`, why: 'send the agent back to work'},
      {command: `${review} --reject`, why: 'the task has failed'},
      {command: `blackbird restart ${shellWord(taskId)}`, why: 'or start again from scratch'},
    ],
  });
}

/** No run works on it: there is none, or its Blackbird died. */
export function isLost(
  latest: Pick<RunRecord, 'state' | 'pause_reason'> | null,
  isEngineAlive: boolean,
): boolean {
  if (latest === null) return true;
  if (latest.state === 'running') return !isEngineAlive;
  return latest.state === 'paused' && latest.pause_reason === 'process_lost';
}
