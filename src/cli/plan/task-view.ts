import {isLeaf, parentOf} from '../../machines/policies/plan/plan-graph.ts';
import {type Readiness, readinessOf, unmetDeps} from '../../machines/policies/plan/readiness.ts';
import {type TaskFacts, taskStanding} from '../../machines/policies/run/task-options.ts';
import {hasUndeliveredAnswer} from '../../machines/policies/run/task-runs.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Style} from '../terminal/paint.ts';

/** A task in a list, as data. */
export type TaskSummary = {
  readonly id: string;
  readonly title: string;
  readonly status: Task['status'];
  /** A parent is never ready itself: it is open until its children are done. */
  readonly readiness: Readiness | 'OPEN';
  /** The state of its latest run if `in_progress` does not say enough, or that a parent review sent it back. */
  readonly run?: 'paused' | 'decision' | 'orphaned' | 'sent_back' | 'undelivered';
  readonly leaf: boolean;
  readonly parentId: string | null;
  readonly unmetDeps: readonly string[];
};

export function summarize(plan: Plan, task: Task, facts?: TaskFacts): TaskSummary {
  const readiness = readinessOf(plan, task);
  const resting = facts && restingOf(facts);
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    readiness: readiness === 'READY' && !isLeaf(task) ? 'OPEN' : readiness,
    ...(resting && {run: resting}),
    leaf: isLeaf(task),
    parentId: parentOf(plan, task)?.id ?? null,
    unmetDeps: unmetDeps(plan, task),
  };
}

function restingOf(facts: TaskFacts): TaskSummary['run'] {
  if (facts.isOrphaned) return 'orphaned';
  const standing = taskStanding(facts);
  if (standing === 'decisionPending') return 'decision';
  if (facts.isSentBack) return 'sent_back';
  // It was answered, but the agent has not received the answer yet.
  if (facts.run && standing === 'waiting' && hasUndeliveredAnswer(facts.run)) return 'undelivered';
  return standing === 'paused' || standing === 'lost' ? 'paused' : undefined;
}

/** What blocks a task, in a few words. */
export function blockedBy({status, readiness, unmetDeps}: TaskSummary): string {
  if (readiness !== 'BLOCKED') return '';
  if (unmetDeps.length > 0) return `unmet deps: ${unmetDeps.join(', ')}`;
  return status === 'blocked' ? 'manually blocked (deps satisfied)' : '';
}

/** Deeper levels show their number: a chain of 100,000 tasks must not become lines of 200,000 spaces. */
const deepestIndent = 10;

export function levelIndent(depth: number): string {
  const indent = '  '.repeat(Math.min(depth, deepestIndent));
  return depth <= deepestIndent ? indent : `${indent}(${depth}) `;
}

export const readinessStyle = {
  READY: 'blue',
  OPEN: 'blue',
  BLOCKED: 'yellow',
  QUEUED: 'dim',
  IN_PROGRESS: 'cyan',
  WAITING_USER: 'yellow',
  DONE: 'green',
  FAILED: 'red',
  SKIPPED: 'dim',
} as const satisfies Record<TaskSummary['readiness'], Style>;
