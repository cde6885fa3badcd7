import type {NextStep} from '../../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {ReviewStep} from '../../actors/select-review.actor.ts';
import type {ReviewVerdict} from '../../actors/settle-review.actor.ts';
import {loginSteps} from '../run/failure-table.ts';
import {remarksOf} from './review-remarks.ts';

/** What the end of a job tells of a review; records are too large to be kept for every one. */
export type Reviewed = Pick<RunRecord, 'failure'> & {
  readonly parentId: string;
  readonly verdict: ReviewVerdict['type'];
  /** What has to be done before the next one can be made. */
  readonly next?: readonly NextStep[];
  /** It passed and said something nevertheless; its record has the words. */
  readonly hasRemarks?: true;
};

/** A parent whose reviews sent tasks back as often as they may. */
export type UndecidedParent = {readonly parentId: string; readonly cycles: number};

export type ParentReviewOutput = {
  /**
   * `required`: feedback waits for an answer. `undecided`: a person has to judge a parent. `failed`: the next
   * agent would fail as well.
   */
  readonly outcome: 'settled' | 'required' | 'undecided' | 'paused' | 'failed' | 'error';
  readonly reviews: readonly Reviewed[];
  readonly pending: readonly PendingFeedback[];
  /** The parent whose review a pause ended, or kept from beginning. */
  readonly interruptedReview?: string;
  /** The parent that a person has to judge. */
  readonly undecided?: UndecidedParent;
  readonly error?: unknown;
};

/** What came of all reviews, from where the machine stood at its end. */
export function reviewOutput(
  outcome: ParentReviewOutput['outcome'],
  {
    reviews,
    step,
    verdict,
    error,
  }: {
    readonly reviews: readonly Reviewed[];
    readonly step: ReviewStep;
    readonly verdict: ReviewVerdict | null;
    readonly error: unknown;
  },
): ParentReviewOutput {
  return {
    outcome,
    reviews,
    pending: outcome === 'required' ? feedbackLeft(step, verdict) : [],
    ...(outcome === 'paused' && step.type === 'review' ? {interruptedReview: step.parentId} : {}),
    ...(step.type === 'decide' && {undecided: {parentId: step.parentId, cycles: step.cycles}}),
    ...(error === undefined ? {} : {error}),
  };
}

function feedbackLeft(step: ReviewStep, verdict: ReviewVerdict | null): readonly PendingFeedback[] {
  if (verdict?.type === 'sentBack') return verdict.pending;
  return step.type === 'answer' ? step.pending : [];
}

export function reviewedOf({type, run}: ReviewVerdict): Reviewed {
  const {task_id: parentId, failure} = run;
  const next = loginSteps(run);
  return {
    parentId,
    verdict: type,
    ...(remarksOf(run) === '' ? {} : {hasRemarks: true}),
    ...(failure && {failure}),
    ...(next.length > 0 && {next}),
  };
}

/** The parents that a step is about. */
export function parentIdsIn(step: ReviewStep): readonly string[] {
  if (step.type === 'review') return [step.parentId];
  return step.type === 'complete' ? step.parentIds : [];
}
