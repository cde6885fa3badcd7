import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {PlanEdit} from './apply-edit.ts';
import {isLeaf} from './plan-graph.ts';

/** What was known about the tasks in progress before the plan was locked. */
export type TasksInProgress = {
  /** The process of the running job; null if there is none, and then nothing is running. */
  readonly pid: number | null;
  /** Tasks in progress without a running agent: paused, at a checkpoint, or lost. */
  readonly still: ReadonlySet<string>;
  /** Parents that are being reviewed. */
  readonly reviewed: ReadonlySet<string>;
};

/** Refuses any change to a task that an agent is working on, including one that it started meanwhile. */
export function refuseRunning(before: Plan, after: Plan, inProgress: TasksInProgress): void {
  refuseAtWork(before, after, inProgress, (task, changed) => changed === task);
}

/** What a user can do to one task; `add` gives it a child. */
export type HandChange = PlanEdit['type'] | 'status';

/** Changes that take a task away from its agent. The agent hears about all others with its next resume. */
export const takesFromAgent: Readonly<Record<HandChange, boolean>> = {
  add: true,
  delete: true,
  status: true,
  edit: false,
  move: false,
  deps: false,
};

/** Refuses what a user must not do to a running task: delete it, make it a parent, set its status. */
export function refuseTaking(before: Plan, after: Plan, inProgress: TasksInProgress): void {
  refuseAtWork(
    before,
    after,
    inProgress,
    (task, changed) =>
      changed !== undefined && changed.status === task.status && isLeaf(changed) === isLeaf(task),
  );
}

function refuseAtWork(
  before: Plan,
  after: Plan,
  {pid, still, reviewed}: TasksInProgress,
  isLeft: (task: Task, changed: Task | undefined) => boolean,
): void {
  if (pid === null || before === after) return;
  for (const [id, task] of before.items) {
    if (task.status !== 'in_progress' || still.has(id) || isLeft(task, after.items.get(id))) continue;
    // Parents follow their children: agents work on leaves, reviewers on parents.
    if (!isLeaf(task) && !reviewed.has(id)) continue;
    throw new AppError('E_TASK_RUNNING', `${id} is being worked on by process ${pid}; nothing was written`, {
      next: [
        {command: `blackbird logs ${shellWord(id)} --follow`, why: 'watch it'},
        {command: 'blackbird pause', why: 'pause it, then change the plan'},
      ],
    });
  }
}
