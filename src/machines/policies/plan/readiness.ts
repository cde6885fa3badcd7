import type {Plan, Task, TaskStatus} from '../../../services/contracts/plan.ts';
import {isLeaf, tasksInTreeOrder, walkTree} from './plan-graph.ts';

export type Readiness =
  | 'READY'
  | 'BLOCKED'
  | 'QUEUED'
  | 'IN_PROGRESS'
  | 'WAITING_USER'
  | 'DONE'
  | 'FAILED'
  | 'SKIPPED';

/** Dependencies that are not done yet. Only `done` counts: a skipped task delivered nothing. */
export function unmetDeps(plan: Plan, task: Task): string[] {
  return task.deps.filter((id) => plan.items.get(id)?.status !== 'done');
}

/** Nothing is left to do for it. */
export const isOver = ({status}: Pick<Task, 'status'>): boolean => status === 'done' || status === 'skipped';

export function readinessOf(plan: Plan, task: Task): Readiness {
  const settled = settledReadiness[task.status];
  return settled ?? (unmetDeps(plan, task).length > 0 ? 'BLOCKED' : 'READY');
}

/** A leaf that is `todo` and whose dependencies are all done. */
export function isReady(plan: Plan, task: Task): boolean {
  return isLeaf(task) && readinessOf(plan, task) === 'READY';
}

/** What can be executed now, in plan order. */
export function readyTasks(plan: Plan): Task[] {
  return tasksInTreeOrder(plan).flatMap(({task}) => (isReady(plan, task) ? [task] : []));
}

/** The first ready task among the wanted ones (all, if none is named) that was not tried yet and may start. */
export function nextTask(
  plan: Plan,
  {taskIds, attempted}: {readonly taskIds: readonly string[]; readonly attempted: readonly string[]},
  mayBegin: (task: Task) => boolean = () => true,
): Task | undefined {
  const wanted = new Set(taskIds);
  const tried = new Set(attempted);
  for (const {task} of walkTree(plan)) {
    // First, because it is cheap and most tasks of a long job are over.
    if (task.status !== 'todo') continue;
    const isWanted = !tried.has(task.id) && (wanted.size === 0 || wanted.has(task.id));
    if (isWanted && isReady(plan, task) && mayBegin(task)) return task;
  }
  return undefined;
}

/** The statuses that decide readiness regardless of dependencies; null for the one that does not. */
const settledReadiness = {
  todo: null,
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  waiting_user: 'WAITING_USER',
  blocked: 'BLOCKED',
  done: 'DONE',
  failed: 'FAILED',
  skipped: 'SKIPPED',
} as const satisfies Record<TaskStatus, Readiness | null>;
