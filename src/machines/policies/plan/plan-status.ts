import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task, TaskStatus} from '../../../services/contracts/plan.ts';
import {laterOf} from '../text/timestamps.ts';
import {ancestorsOf, childrenOf, isLeaf, requireTask} from './plan-graph.ts';

/** Whether a parent is done as soon as all its children are. */
export type CompletionRule = (parent: Task) => boolean;
const always: CompletionRule = () => true;

/** The plan with one status changed and its ancestors updated. The same plan if nothing changes. */
export function setStatus(
  plan: Plan,
  id: string,
  status: TaskStatus,
  now: string,
  completes: CompletionRule = always,
): Plan {
  const task = requireTask(plan, id);
  if (task.status === status) return plan;
  if (status === 'done' && !isLeaf(task)) {
    const open = childrenOf(plan, task).filter((child) => child.status !== 'done');
    if (open.length > 0) {
      throw new AppError('E_PLAN_EDIT', `${JSON.stringify(id)} cannot be done before its children are`, {
        details: [['not done', open.map((child) => child.id).join(', ')]],
        next: [{command: `blackbird why ${shellWord(id)}`, why: 'see what is left'}],
      });
    }
  }
  return settleParents(withTask(plan, {...task, status, updatedAt: touch(task, now)}), id, now, completes);
}

/** Completes every ancestor whose children are all done, and reopens every one that is done although a child is not. */
export function settleParents(plan: Plan, id: string, now: string, completes: CompletionRule = always): Plan {
  const task = plan.items.get(id);
  if (!task) return plan;
  // Copied once, and only if a parent changes: every task of a huge plan comes here twice.
  let items: Map<string, Task> | null = null;
  for (const parent of ancestorsOf(plan, task)) {
    const status = settledStatus(items ? {...plan, items} : plan, parent, completes);
    if (status === parent.status) continue;
    items ??= new Map(plan.items);
    items.set(parent.id, {...parent, status, updatedAt: touch(parent, now)});
  }
  return items ? {...plan, items} : plan;
}

export function settledStatus(plan: Plan, parent: Task, completes: CompletionRule): TaskStatus {
  const children = childrenOf(plan, parent);
  if (children.length === 0) return parent.status;
  if (children.every((child) => child.status === 'done')) return completes(parent) ? 'done' : parent.status;
  if (parent.status !== 'done') return parent.status;
  return children.some((child) => child.status !== 'todo') ? 'in_progress' : 'todo';
}

export function withTask(plan: Plan, task: Task): Plan {
  return {...plan, items: new Map(plan.items).set(task.id, task)};
}

/** A new `updatedAt` that is never before `createdAt`, even if the clock was set back. */
export const touch = (task: Task, now: string): string => laterOf(now, task.createdAt);
