import {isLeaf} from '../../machines/policies/plan/plan-graph.ts';
import {isReady, unmetDeps} from '../../machines/policies/plan/readiness.ts';
import {isHeldForTime, retryTimeOf} from '../../machines/policies/run/retry-time.ts';
import {type TaskFacts, taskStanding} from '../../machines/policies/run/task-options.ts';
import {timeOfDay} from '../../machines/policies/text/durations.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Style} from './styled-lines.ts';

/** The state of a task as the user sees it: plan status and run, in one word. */
export type TaskState =
  | 'running'
  | 'decision'
  | 'asks'
  | 'feedback'
  | 'paused'
  | 'lost'
  | 'orphaned'
  | 'failed'
  | 'ready'
  | 'waits'
  | 'blocked'
  | 'queued'
  | 'stalled'
  | 'open'
  | 'done'
  | 'skipped';

/** The run chart decides the state of the run. */
export function taskState(facts: TaskFacts): TaskState {
  const {plan, task, run, isSentBack, isOrphaned} = facts;
  if (!isLeaf(task)) return task.status === 'done' || task.status === 'skipped' ? task.status : 'open';
  const standing = taskStanding(facts);
  if (standing === 'busy') return 'running';
  if (standing === 'decisionPending') return 'decision';
  if (isSentBack) return 'feedback';
  switch (task.status) {
    case 'todo':
      return isReady(plan, task) ? 'ready' : 'waits';
    case 'in_progress':
    case 'waiting_user':
      if (isOrphaned) return 'orphaned';
      if (standing === 'waiting') return 'asks';
      if (standing === 'lost') return 'lost';
      if (standing === 'paused') return run?.pause_reason === 'process_lost' ? 'lost' : 'paused';
      return stalledState(facts);
    case 'blocked':
    case 'queued':
    case 'done':
    case 'failed':
    case 'skipped':
      return task.status;
  }
}

/** No run works on it, unless the plan does not yet show what its run has just recorded. */
function stalledState({run, circumstances}: TaskFacts): TaskState {
  if (circumstances.owner !== 'alive') return 'stalled';
  if (run?.state === 'succeeded') return 'done';
  return run?.state === 'failed' ? 'failed' : 'stalled';
}

/** The user has to act before this task can continue. */
export const needsPerson = (state: TaskState): boolean =>
  state === 'decision' || state === 'asks' || state === 'feedback';

/** Shown by a symbol and a word, never by colour alone. */
export const stateBadges = {
  running: ['●', 'running', {tone: 'accent'}],
  decision: ['!', 'ACTION REQUIRED', {tone: 'warning'}],
  asks: ['?', 'ACTION REQUIRED', {tone: 'warning'}],
  feedback: ['!', 'ACTION REQUIRED', {tone: 'warning'}],
  paused: ['Ⅱ', 'paused', {tone: 'warning'}],
  lost: ['Ⅱ', 'lost', {tone: 'warning'}],
  orphaned: ['●', 'orphaned', {tone: 'warning'}],
  failed: ['✗', 'failed', {tone: 'bad'}],
  ready: ['○', 'ready', {tone: 'accent'}],
  waits: ['⊘', 'waits', {dim: true}],
  blocked: ['⊘', 'blocked', {tone: 'warning'}],
  queued: ['◌', 'queued', {dim: true}],
  stalled: ['◐', 'no run', {tone: 'warning'}],
  open: ['◦', '', {}],
  done: ['✓', 'done', {tone: 'good'}],
  skipped: ['–', 'skipped', {dim: true}],
} as const satisfies Record<TaskState, Badge>;

/** The latest run of a task is superseded only by its undo. */
export const isUndone = (run: RunRecord, latest: RunRecord | null): boolean =>
  run === latest && run.superseded_by_run_id !== undefined;

/** The same for a single run, whatever happened to its task since; for a review, its verdict. */
export function runBadge({state, parent_review_passed: passed}: RunRecord): Badge {
  if (state !== 'succeeded' || passed === undefined) return runBadges[state];
  return passed ? ['✓', 'review passed', {tone: 'good'}] : ['↩', 'review sent back', {tone: 'warning'}];
}

type Badge = readonly [symbol: string, word: string, style: Style];

const runBadges = {
  running: ['●', 'running', {tone: 'accent'}],
  waiting: ['?', 'waiting', {tone: 'warning'}],
  paused: ['Ⅱ', 'paused', {tone: 'warning'}],
  succeeded: ['✓', 'succeeded', {tone: 'good'}],
  failed: ['✗', 'failed', {tone: 'bad'}],
  canceled: ['–', 'canceled', {dim: true}],
} as const satisfies Record<RunRecord['state'], Badge>;

/** What a running job, here or elsewhere, continues by itself; null if the user has to. */
export function waitNote(run: RunRecord | null | undefined, isEngineAlive: boolean): string | null {
  if (!run || !isEngineAlive || run.state !== 'paused' || !isHeldForTime(run)) return null;
  return `waits until ${timeOfDay(retryTimeOf(run), run.updated_at)}`;
}

/** Why it does not continue, in a few words; empty if the state says it all. */
export function stateNote(plan: Plan, task: Task, state: TaskState, waits: string | null = null): string {
  // A task that was skipped or set to done no longer waits.
  if (waits !== null && state === 'paused') return waits;
  if (state !== 'waits') return stateBadges[state][1];
  const [first, ...more] = unmetDeps(plan, task);
  if (first === undefined) return 'waits';
  const title = plan.items.get(first)?.title ?? first;
  return `needs ${title}${more.length > 0 ? ` +${more.length}` : ''}`;
}
