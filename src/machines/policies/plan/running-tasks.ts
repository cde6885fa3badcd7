import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan} from '../../../services/contracts/plan.ts';

/** What was known of the tasks in progress before the plan was locked. */
export type TasksInProgress = {
  /** The process that works on the project; null when nobody does, and then nothing runs. */
  readonly pid: number | null;
  /** Those that no agent works on: paused, at a checkpoint, lost. */
  readonly still: ReadonlySet<string>;
  /** Parents that a reviewer works on. */
  readonly reviewed: ReadonlySet<string>;
};

/** Refuses a change, whatever it is, of a task that an agent works on; also of one that it began meanwhile. */
export function refuseRunning(before: Plan, after: Plan, {pid, still, reviewed}: TasksInProgress): void {
  if (pid === null || before === after) return;
  for (const [id, task] of before.items) {
    if (task.status !== 'in_progress' || still.has(id) || after.items.get(id) === task) continue;
    // Parents follow their children; agents work on leaves, and reviewers on parents.
    if (task.childIds.length > 0 && !reviewed.has(id)) continue;
    throw new AppError('E_TASK_RUNNING', `${id} is being worked on by process ${pid}; nothing was written`, {
      next: [
        {command: `blackbird logs ${shellWord(id)} --follow`, why: 'watch it'},
        {command: 'blackbird pause', why: 'pause it, then change the plan'},
      ],
    });
  }
}
