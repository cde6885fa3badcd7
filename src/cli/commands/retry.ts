import {Command} from 'commander';
import {requireTask} from '../../machines/policies/plan-graph.ts';
import {setStatus} from '../../machines/policies/plan-status.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {type Cli, taskArgument} from '../cli.ts';
import {liveEngine} from '../running-task.ts';

export function retryCommand(cli: Cli): Command {
  return new Command('retry')
    .summary('make a failed, blocked or lost task ready again')
    .addArgument(taskArgument())
    .action(async (taskId: string, _options, command: Command) => {
      const {plans, folder} = await cli.project(command);
      const task = requireTask(await plans.read(), taskId);
      const {createRunStore} = await import('../../services/stores/run-store.ts');
      const latest = await createRunStore({folder: folder.runsFolder}).latest(taskId);
      const obstacle = retryObstacle(task, latest, (await liveEngine(folder)) !== null);
      if (obstacle) throw obstacle;
      await plans.update((plan) => setStatus(plan, taskId, 'todo', cli.context.now()));
      cli.print(command, {id: taskId, status: 'todo'}, `reset ${taskId} to todo`);
    });
}

/** A task that can still be resumed is not retried behind its back. */
function retryObstacle(task: Task, latest: RunRecord | null, isEngineAlive: boolean): AppError | null {
  if (task.status === 'failed' || task.status === 'blocked') return null;
  if (task.status === 'in_progress' && isLost(latest, isEngineAlive)) return null;
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

/** No run works on it: there is none, or its Blackbird died. */
function isLost(latest: RunRecord | null, isEngineAlive: boolean): boolean {
  if (latest === null) return true;
  if (latest.state === 'running') return !isEngineAlive;
  return latest.state === 'paused' && latest.pause_reason === 'process_lost';
}
