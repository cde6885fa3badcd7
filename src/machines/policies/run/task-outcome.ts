import type {NextStep} from '../../../services/contracts/errors.ts';
import type {RunRecord, RunState} from '../../../services/contracts/run.ts';
import {isUnrecorded} from './change-spans.ts';
import {checkTail, checkWords} from './check-words.ts';
import {failureSteps, isHeldUp} from './failure-table.ts';
import {canGoOnHere, takesFeedback} from './run-options.ts';
import {isUndelivered} from './task-runs.ts';
import {failedCheck} from './verification.ts';

export type TaskOutput =
  | {readonly outcome: Exclude<RunState, 'running'>; readonly run: RunRecord}
  /** The run has ended, and nobody has decided what comes of it. */
  | {readonly outcome: 'decision_required'; readonly run: RunRecord}
  /** The provider would not go on with its session; the run stands where it stood. */
  | {readonly outcome: 'refused'; readonly run: RunRecord; readonly reason: string}
  /** It was left while it waited for its time. */
  | {readonly outcome: 'notBegun'; readonly taskId: string; readonly asked: string}
  | {readonly outcome: 'error'; readonly error: unknown};

/** What became of a task whose run came to rest. */
export function taskOutcome(run: RunRecord): TaskOutput {
  const {state, failure} = run;
  if (state === 'running')
    return {outcome: 'error', error: new Error(`run ${run.run_id} ended without an outcome`)};
  // Its agent would not go on: the record is back where it was, with the reason on it.
  if (failure && (state === 'paused' || state === 'waiting') && !isHeldUp(run))
    return {outcome: 'refused', run, reason: failure.message};
  // Feedback that nobody heard: its own run failed, the task stands as the run before says.
  if (isUndelivered(run)) return {outcome: 'refused', run, reason: failure?.message ?? ''};
  return {outcome: state, run};
}

/** Of a run that was stopped before its agent was told to go. What held it up before is no news. */
export function withdrawnOutcome(run: RunRecord): TaskOutput {
  if (run.state !== 'paused' && run.state !== 'waiting') return taskOutcome(run);
  const {failure: _, ...standing} = run;
  return {outcome: run.state, run: standing};
}

/** What the end of a job tells of a task; records are too large to be kept for every one. */
export type Attempted = {
  readonly taskId: string;
  /** What to do about its failure. */
  readonly next?: readonly NextStep[];
  /** What the run chart says of it: at its checkpoint, whether changes can be requested. */
  readonly resumable: boolean;
  /** Nobody can see or take back what it changed. */
  readonly isUnrecorded?: true;
  /** The check it failed for, in words, and the end of what that printed. */
  readonly failedCheck?: {readonly words: string; readonly tail: readonly string[]};
} & Pick<RunRecord, 'state' | 'failure' | 'retry_at' | 'questions' | 'decision_state'>;

export function attemptOf(taskId: string, run: RunRecord): Attempted {
  const {state, failure, retry_at, questions, decision_state} = run;
  return {
    taskId,
    state,
    resumable: decision_state === 'pending' ? takesFeedback(run) : canGoOnHere(run),
    ...(failure && {failure, next: failureSteps(run)}),
    ...(failure?.kind === 'verification' && failedCheckOf(run)),
    ...(retry_at === undefined ? {} : {retry_at}),
    ...(questions && {questions}),
    ...(decision_state && {decision_state}),
    ...(decision_state && isUnrecorded(run) && {isUnrecorded: true}),
  };
}

const shownTail = 5;

function failedCheckOf(run: RunRecord): Pick<Attempted, 'failedCheck'> {
  const check = failedCheck(run);
  return check === null ? {} : {failedCheck: {words: checkWords(check), tail: checkTail(check, shownTail)}};
}
