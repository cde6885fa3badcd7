import {shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {taskCondition} from '../plan/explain-task.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {isOver, isReady, unmetDeps} from '../plan/readiness.ts';
import {isReviewDue} from '../review/parent-review.ts';
import {retryTimeOf} from '../run/retry-time.ts';
import type {TaskFacts} from '../run/task-options.ts';
import {heldMode} from './waiting.ts';

/** A task that blocks the request, and what it needs. Plain data, for every view. */
export type Obstacle = {
  readonly taskId: string;
  /** `retry`: it failed. `time`: it resolves itself. */
  readonly needs: 'retry' | 'person' | 'time';
  readonly why: string;
  readonly command: string | null;
  readonly retryAt?: string;
  /** Tasks it depends on that will not get done. */
  readonly waitsFor?: readonly string[];
  /** A parent that is not done although its children are. */
  readonly isReview?: true;
};

export type Survey = {
  readonly plan: Plan;
  /** Only these tasks were asked for; empty for all. */
  readonly wanted: ReadonlySet<string>;
  /** Tasks with pending feedback. */
  readonly sentBack: ReadonlySet<string>;
  /** The parents whose review sent them back. */
  readonly sentBackBy: ReadonlySet<string>;
  /** Tasks with a dependency that is never done in this plan. */
  readonly forever: ReadonlyMap<string, string>;
};

/**
 * Whether a task may be an obstacle. A ready task only waits for its turn, and a waiting one names what it waits for.
 */
export function isInTheWay({plan, wanted, sentBack, sentBackBy, forever}: Survey, task: Task): boolean {
  if (!isLeaf(task)) return wanted.size === 0 && isReviewDue(plan, task) && !sentBackBy.has(task.id);
  if (wanted.size > 0 && !wanted.has(task.id)) return false;
  if (sentBack.has(task.id)) return true;
  if (isOver(task) || isReady(plan, task)) return false;
  return task.status !== 'todo' || forever.has(task.id) || waitsForOthers({plan, wanted}, task);
}

/** It depends on tasks that were not asked for. */
const waitsForOthers = ({plan, wanted}: Pick<Survey, 'plan' | 'wanted'>, task: Task): boolean =>
  wanted.size > 0 && unmetDeps(plan, task).some((id) => !wanted.has(id));

export function obstacleOf(facts: TaskFacts): Obstacle {
  const {plan, task, run} = facts;
  const {reason, next} = taskCondition(facts);
  const waitsFor = task.status === 'todo' ? unmetDeps(plan, task) : [];
  const own = {
    taskId: task.id,
    why: waitsFor.length > 0 ? `waits for ${waitsFor.slice(0, 3).join(', ')}` : reason,
    command: next?.command ?? (waitsFor.length > 0 ? `blackbird why ${shellWord(task.id)}` : null),
    ...(waitsFor.length > 0 && {waitsFor}),
  };
  if (!isLeaf(task)) return {...own, needs: 'person', isReview: true};
  if (task.status === 'failed') return {...own, needs: 'retry'};
  if (run === null || heldMode(facts) === null) return {...own, needs: 'person'};
  return {...own, needs: 'time', retryAt: retryTimeOf(run)};
}
