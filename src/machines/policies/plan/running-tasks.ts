import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {PlanEdit} from './apply-edit.ts';
import {isLeaf} from './plan-graph.ts';

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
export function refuseRunning(before: Plan, after: Plan, inProgress: TasksInProgress): void {
  refuseAtWork(before, after, inProgress, (task, changed) => changed === task);
}

/** What a person does to one task; `add` gives it a child. */
export type HandChange = PlanEdit['type'] | 'status';

/** What takes a task from the agent that works on it. Everything else the agent hears of with its next resume. */
export const takesFromAgent: Readonly<Record<HandChange, boolean>> = {
  add: true,
  delete: true,
  status: true,
  edit: false,
  move: false,
  deps: false,
};

/** Refuses what a person may not do to a task at work: delete it, make a parent of it, give it a status. */
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
    // Parents follow their children; agents work on leaves, and reviewers on parents.
    if (!isLeaf(task) && !reviewed.has(id)) continue;
    throw new AppError('E_TASK_RUNNING', `${id} is being worked on by process ${pid}; nothing was written`, {
      next: [
        {command: `blackbird logs ${shellWord(id)} --follow`, why: 'watch it'},
        {command: 'blackbird pause', why: 'pause it, then change the plan'},
      ],
    });
  }
}
