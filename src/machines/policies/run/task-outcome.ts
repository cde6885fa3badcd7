import type {NextStep} from '../../../services/contracts/errors.ts';
import type {RunRecord, RunState} from '../../../services/contracts/run.ts';
import type {Wait} from '../job/waiting.ts';
import {isUnrecorded} from './change-spans.ts';
import {checkTail, checkWords} from './check-words.ts';
import {jobSteps} from './failure-steps.ts';
import {isHeldUp} from './failure-table.ts';
import {canGoOnHere, takesFeedback} from './run-options.ts';
import {isUndelivered} from './task-runs.ts';
import {failedCheck} from './verification.ts';

export type TaskOutput =
  | {readonly outcome: Exclude<RunState, 'running'>; readonly run: RunRecord}
  /** The run has ended and awaits a decision. */
  | {readonly outcome: 'decision_required'; readonly run: RunRecord}
  /** The provider refused to continue the session; the run is in its earlier state. */
  | {readonly outcome: 'refused'; readonly run: RunRecord; readonly reason: string}
  /** The user paused before anything was prepared, or stopped the job while it waited. */
  | {readonly outcome: 'notBegun'; readonly taskId: string; readonly asked: string; readonly wait?: Wait}
  | {readonly outcome: 'error'; readonly error: unknown};

/** The outcome of a task whose run has settled. */
export function taskOutcome(run: RunRecord): TaskOutput {
  const {state, failure} = run;
  if (state === 'running')
    return {outcome: 'error', error: new Error(`run ${run.run_id} ended without an outcome`)};
  // Its agent did not continue: the record is back in its earlier state, with the reason.
  if (failure && (state === 'paused' || state === 'waiting') && !isHeldUp(run))
    return {outcome: 'refused', run, reason: failure.message};
  // Feedback that was not delivered: its own run failed, and the previous run still determines the task.
  if (isUndelivered(run)) return {outcome: 'refused', run, reason: failure?.message ?? ''};
  return {outcome: state, run};
}

/** The outcome of a run stopped before its agent was released. An earlier hold-up is not reported again. */
export function withdrawnOutcome(run: RunRecord): TaskOutput {
  if (run.state !== 'paused' && run.state !== 'waiting') return taskOutcome(run);
  const {failure: _, ...standing} = run;
  return {outcome: run.state, run: standing};
}

/** The outcome of a pause that came first, or of a wait that was given up. */
export const unbegunOutcome = (
  {taskId, mode}: {readonly taskId: string; readonly mode: {readonly type: string}},
  wait: Wait | null = null,
): TaskOutput => ({outcome: 'notBegun', taskId, asked: mode.type, ...(wait && {wait})});

/** What the end of a job reports about a task; whole records are too large to keep. */
export type Attempted = {
  readonly taskId: string;
  /** What to do about its failure. */
  readonly next?: readonly NextStep[];
  /** From the run chart: at a checkpoint, whether changes can be requested. */
  readonly resumable: boolean;
  /** Its changes can be neither shown nor undone. */
  readonly isUnrecorded?: true;
  /** The check that failed, and the end of its output. */
  readonly failedCheck?: {readonly words: string; readonly tail: readonly string[]};
} & Pick<RunRecord, 'state' | 'failure' | 'retry_at' | 'questions' | 'decision_state'>;

export function attemptOf(taskId: string, run: RunRecord): Attempted {
  const {state, failure, retry_at, questions, decision_state} = run;
  return {
    taskId,
    state,
    resumable: decision_state === 'pending' ? takesFeedback(run) : canGoOnHere(run),
    ...(failure && {failure, next: jobSteps(run)}),
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
