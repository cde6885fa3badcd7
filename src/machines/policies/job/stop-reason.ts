import type {RunRecord} from '../../../services/contracts/run.ts';
import type {ParentReviewOutput} from '../review/review-steps.ts';
import {failureTable} from '../run/failure-table.ts';
import type {TaskOutput} from '../run/task-outcome.ts';

/** Why the execution of a plan stopped. */
export type StopReason =
  | 'completed'
  | 'waiting_user'
  | 'decision_required'
  | 'parent_review_required'
  | 'paused'
  | 'failed'
  | 'error';

/** The next task would fail the same way: no account, no quota, no agent. */
export const isHopeless = ({failure}: Pick<RunRecord, 'failure'>): boolean =>
  failure !== undefined && failureTable[failure.kind].stopsPlan;

/** Why no task follows this one; null if the plan continues. */
export function stopReasonAfter(
  output: TaskOutput,
  {stopOnFailure}: {readonly stopOnFailure: boolean},
): StopReason | null {
  switch (output.outcome) {
    case 'paused':
      // One full conversation need not stop other tasks.
      return output.run.failure === undefined || isHopeless(output.run) ? 'paused' : null;
    // Stopped before its agent was released.
    case 'canceled':
    case 'notBegun':
      return 'paused';
    case 'waiting':
      return 'waiting_user';
    case 'decision_required':
      return 'decision_required';
    case 'error':
    case 'refused':
      return 'error';
    case 'succeeded':
    case 'failed':
      return stopReasonOf(output.run, stopOnFailure);
  }
}

function stopReasonOf(run: RunRecord, stopOnFailure: boolean): StopReason | null {
  if (run.decision_state === 'rejected') return 'failed';
  if (run.decision_state === 'approved_quit') return 'completed';
  return run.state === 'failed' && (stopOnFailure || isHopeless(run)) ? 'failed' : null;
}

/** Why no task follows the parent reviews; null if the plan continues. */
export function stopReasonAfterReview(
  {outcome, reviews}: ParentReviewOutput,
  {stopOnFailure}: {readonly stopOnFailure: boolean},
): StopReason | null {
  switch (outcome) {
    case 'required':
    case 'undecided':
      return 'parent_review_required';
    case 'held':
      return 'paused';
    case 'paused':
    case 'failed':
    case 'error':
      return outcome;
    case 'settled':
      return stopOnFailure && reviews.some(({verdict}) => verdict === 'broken') ? 'failed' : null;
  }
}
