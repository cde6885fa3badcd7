import type {FailureKind} from '../../../services/contracts/agent.ts';
import {type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import {latestRun} from '../../../services/contracts/latest-run.ts';
import type {TaskStatus} from '../../../services/contracts/plan.ts';
import type {RunRecord, RunState} from '../../../services/contracts/run.ts';

/** The task status for each run state. A paused task stays in progress. */
const statuses = {
  running: 'in_progress',
  paused: 'in_progress',
  waiting: 'waiting_user',
  succeeded: 'done',
  failed: 'failed',
  canceled: 'todo',
} as const satisfies Record<RunState, TaskStatus>;

export const statusAfter = (state: RunState): TaskStatus => statuses[state];

/** The task status for this run. Until it passes its checkpoint, the task is in progress. */
export const statusOf = ({state, decision_state}: RunRecord): TaskStatus =>
  decision_state === 'pending' || decision_state === 'changes_requested' ? 'in_progress' : statusAfter(state);

/** The run has not ended: it can continue. */
export const isResting = ({state}: RunRecord): boolean => state === 'paused' || state === 'waiting';

/** It was answered, but the agent has not received the answer: a resume sends it again. */
export const hasUndeliveredAnswer = ({state, answers = []}: RunRecord): boolean =>
  state === 'waiting' && answers.some(({undelivered}) => undelivered);

/** Created to deliver feedback to a run that had ended. */
export const isFeedbackRun = ({resumed_from_run_id, feedback}: RunRecord): boolean =>
  resumed_from_run_id !== undefined && feedback !== undefined;

/** Failures after which the agent has not acted on its prompt. */
const earlyFailures: ReadonlySet<string | undefined> = new Set<FailureKind>([
  'resume_rejected',
  'spawn_failed',
  'auth',
  'rate_limit',
]);

const failedEarly = ({state, failure}: RunRecord) => state === 'failed' && earlyFailures.has(failure?.kind);

/** The provider refused its first segment, so the feedback was not delivered and nothing changed. */
export const isUndelivered = (run: RunRecord): boolean =>
  isFeedbackRun(run) && run.state === 'failed' && run.segments.length <= 1 && failedEarly(run);

/** The prompt of this run reached its agent, whatever came of it. */
export const reachedAgent = (run: RunRecord): boolean => run.segments.length > 0 && !failedEarly(run);

/** The run that determines the state of the task: the latest one that ran and whose agent received its prompt. */
export const latestDeliveredRun = (runs: readonly RunRecord[]): RunRecord | null =>
  latestRun(runs.filter((run) => !isUndelivered(run)));

/** A run and all runs it continued or replaced, oldest first: together they did the task. */
export function chainTo(latest: RunRecord, runs: readonly RunRecord[]): RunRecord[] {
  const chain = [latest];
  for (let from = runBefore(latest); from !== undefined && chain.length <= runs.length; ) {
    const before = runs.find(({run_id}) => run_id === from);
    if (!before) break;
    chain.unshift(before);
    from = runBefore(before);
  }
  return chain;
}

/** The run that this one continues. A restart also counts: it finds the files as the replaced run left them. */
export const runBefore = ({resumed_from_run_id, restart_of_run_id}: RunRecord): string | undefined =>
  resumed_from_run_id ?? restart_of_run_id;

/** Its change was undone. */
export const isUndone = ({attempt}: RunRecord, runs: readonly RunRecord[]): boolean =>
  runs.some((run) => run.run_type === 'undo' && run.state === 'succeeded' && run.attempt > attempt);

/**
 * The undos since the task's last commit: HEAD still has what they took out, unless somebody committed that too. One
 * that broke off without a tree is left out: up to the next tree, the user's own edits would count as its change.
 */
export function uncommittedUndos(before: RunRecord, runs: readonly RunRecord[]): RunRecord[] {
  const earlier = runs.filter(({attempt}) => attempt < before.attempt);
  const committed = earlier.findLastIndex(({commit}) => commit?.sha !== undefined);
  if (committed < 0) return [];
  return earlier
    .slice(committed + 1)
    .filter(({run_type, result_tree}) => run_type === 'undo' && result_tree !== undefined);
}

/** The part of a chain that came after the last decision. */
export const sinceReview = (chain: readonly RunRecord[]): RunRecord[] =>
  chain.slice(chain.findLastIndex(isDecided) + 1);

const isDecided = ({decision_state, decision_resolved_at}: RunRecord) =>
  decision_resolved_at !== undefined && decision_state !== 'pending';

/** All files that any of the runs changed, without duplicates. */
export const changedFiles = (runs: readonly RunRecord[]): string[] => [
  ...new Set(runs.flatMap((run) => run.review_summary?.files ?? [])),
];

/** Why attempts at a task were rejected, oldest first; the next attempt is told. */
export const rejectionsIn = (runs: readonly RunRecord[]): string[] =>
  runs.flatMap(({decision_state, decision_feedback}) =>
    decision_state === 'rejected' && decision_feedback !== undefined ? [decision_feedback] : [],
  );

/** How to get past an unreadable record: whatever depends on it stays blocked until then. */
export function stepPastRecord(file: string): NextStep {
  const name = shellWord(file);
  return {command: `mv ${name} ${name}.broken`, why: 'fix it, or move it aside'};
}

/** A restart that never started: it replaces nothing. */
export const isTakenBack = ({state, segments, restart_of_run_id}: RunRecord): boolean =>
  state === 'canceled' && segments.length === 0 && restart_of_run_id !== undefined;
