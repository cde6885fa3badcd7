import type {RunStanding} from '../../machines/policies/plan/explain-task.ts';
import {isLeaf, parentOf} from '../../machines/policies/plan/plan-graph.ts';
import {type Readiness, readinessOf, unmetDeps} from '../../machines/policies/plan/readiness.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Style} from '../terminal/paint.ts';

/** A task in a list, as data. */
export type TaskSummary = {
  readonly id: string;
  readonly title: string;
  readonly status: Task['status'];
  readonly readiness: Readiness;
  /** What its latest run tells where `in_progress` does not tell enough; that a parent review sent it back. */
  readonly run?: 'paused' | 'decision' | 'orphaned' | 'sent_back';
  readonly leaf: boolean;
  readonly parentId: string | null;
  readonly unmetDeps: readonly string[];
};

export function summarize(plan: Plan, task: Task, standing?: RunStanding): TaskSummary {
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    readiness: readinessOf(plan, task),
    ...(standing === 'paused' || standing === 'stranded' ? {run: 'paused'} : {}),
    ...(standing === 'decision' || standing === 'orphaned' ? {run: standing} : {}),
    ...(standing === 'sentBack' ? {run: 'sent_back'} : {}),
    leaf: isLeaf(task),
    parentId: parentOf(plan, task)?.id ?? null,
    unmetDeps: unmetDeps(plan, task),
  };
}

/** What keeps a blocked task, in a few words. */
export function blockedBy({status, readiness, unmetDeps}: TaskSummary): string {
  if (readiness !== 'BLOCKED') return '';
  if (unmetDeps.length > 0) return `unmet deps: ${unmetDeps.join(', ')}`;
  return status === 'blocked' ? 'manually blocked (deps satisfied)' : '';
}

/** Deeper levels tell their number: a chain of 100,000 tasks must not become lines of 200,000 spaces. */
const deepestIndent = 10;

export function levelIndent(depth: number): string {
  const indent = '  '.repeat(Math.min(depth, deepestIndent));
  return depth <= deepestIndent ? indent : `${indent}(${depth}) `;
}

export const readinessStyle = {
  READY: 'blue',
  BLOCKED: 'yellow',
  QUEUED: 'dim',
  IN_PROGRESS: 'cyan',
  WAITING_USER: 'yellow',
  DONE: 'green',
  FAILED: 'red',
  SKIPPED: 'dim',
} as const satisfies Record<Readiness, Style>;
