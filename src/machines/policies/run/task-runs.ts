import type {FailureKind} from '../../../services/contracts/agent.ts';
import {type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import {latestRun} from '../../../services/contracts/latest-run.ts';
import type {TaskStatus} from '../../../services/contracts/plan.ts';
import type {RunRecord, RunState} from '../../../services/contracts/run.ts';

/** What the plan says of a task once its run stands so. A paused task stays in progress. */
const statuses = {
  running: 'in_progress',
  paused: 'in_progress',
  waiting: 'waiting_user',
  succeeded: 'done',
  failed: 'failed',
  canceled: 'todo',
} as const satisfies Record<RunState, TaskStatus>;

export const statusAfter = (state: RunState): TaskStatus => statuses[state];

/** What the plan says of the task of this run. Until its checkpoint is passed, it is still at work. */
export const statusOf = ({state, decision_state}: RunRecord): TaskStatus =>
  decision_state === 'pending' || decision_state === 'changes_requested' ? 'in_progress' : statusAfter(state);

/** It may go on: nothing of it is over. */
export const isResting = ({state}: RunRecord): boolean => state === 'paused' || state === 'waiting';

/** It was answered, and its agent has not heard it: a resume says it again. */
export const hasUndeliveredAnswer = ({state, answers = []}: RunRecord): boolean =>
  state === 'waiting' && answers.some(({undelivered}) => undelivered);

/** Made to bring feedback to a run that had ended. */
export const isFeedbackRun = ({resumed_from_run_id, feedback}: RunRecord): boolean =>
  resumed_from_run_id !== undefined && feedback !== undefined;

/** Failures after which the agent has done nothing about what it was told. */
const unheardKinds: ReadonlySet<string | undefined> = new Set<FailureKind>([
  'resume_rejected',
  'spawn_failed',
  'auth',
  'rate_limit',
]);

const isUnheard = ({state, failure}: RunRecord) => state === 'failed' && unheardKinds.has(failure?.kind);

/** The provider refused its first segment, so nobody heard the feedback and nothing was changed. */
export const isUndelivered = (run: RunRecord): boolean =>
  isFeedbackRun(run) && run.state === 'failed' && run.segments.length <= 1 && isUnheard(run);

/** What this run brought to its agent reached it, whatever the agent made of it. */
export const wasHeard = (run: RunRecord): boolean => run.segments.length > 0 && !isUnheard(run);

/** The run that says how the task stands: the latest one that ran and was heard. */
export const tellingRun = (runs: readonly RunRecord[]): RunRecord | null =>
  latestRun(runs.filter((run) => !isUndelivered(run)));

/** A run and those it went on from or replaced, oldest first: together they did the task. */
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

/** The run that this one goes on from; a restart finds in the files what the run it replaces has left there. */
export const runBefore = ({resumed_from_run_id, restart_of_run_id}: RunRecord): string | undefined =>
  resumed_from_run_id ?? restart_of_run_id;

/** Somebody took its change out of the files. */
export const isUndone = ({attempt}: RunRecord, runs: readonly RunRecord[]): boolean =>
  runs.some((run) => run.run_type === 'undo' && run.state === 'succeeded' && run.attempt > attempt);

/** The part of a chain that nobody has decided about yet: what came after the last decision. */
export const sinceReview = (chain: readonly RunRecord[]): RunRecord[] =>
  chain.slice(chain.findLastIndex(isDecided) + 1);

const isDecided = ({decision_state, decision_resolved_at}: RunRecord) =>
  decision_resolved_at !== undefined && decision_state !== 'pending';

/** Each file that any of the runs changed, once. */
export const changedFiles = (runs: readonly RunRecord[]): string[] => [
  ...new Set(runs.flatMap((run) => run.review_summary?.files ?? [])),
];

/** Why attempts at a task were rejected, oldest first; a later one is told. */
export const rejectionsIn = (runs: readonly RunRecord[]): string[] =>
  runs.flatMap(({decision_state, decision_feedback}) =>
    decision_state === 'rejected' && decision_feedback !== undefined ? [decision_feedback] : [],
  );

/** The way past a record that cannot be read: what depends on it stays closed until then. */
export function stepPastRecord(file: string): NextStep {
  const name = shellWord(file);
  return {command: `mv ${name} ${name}.broken`, why: 'fix it, or move it aside'};
}
