import type {ProviderId} from '../../../services/contracts/agent.ts';
import type {NextStep} from '../../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {PreparedRun} from '../../actors/run-situation.ts';
import type {ReviewScope, ReviewStep, SelectReviewInput} from '../../actors/select-review.actor.ts';
import type {ReviewVerdict} from '../../actors/settle-review.actor.ts';
import type {RunInput} from '../../run.machine.ts';
import type {Wait} from '../job/waiting.ts';
import type {ModelChoices} from '../run/agent-choice.ts';
import type {Budgets} from '../run/budget.ts';
import {loginSteps} from '../run/failure-steps.ts';
import {isTimeNeeded} from '../run/failure-table.ts';
import {type AgentTimes, agentTimes} from '../run/silence.ts';
import {remarksOf} from './review-remarks.ts';

/** What the end of a job reports about a review; whole records are too large to keep. */
export type Reviewed = Pick<RunRecord, 'failure'> & {
  readonly parentId: string;
  readonly verdict: ReviewVerdict['type'];
  /** What has to be done before the next review. */
  readonly next?: readonly NextStep[];
  /** It passed with a remark; the record has the text. */
  readonly hasRemarks?: true;
};

/** A parent whose reviews have sent tasks back as often as allowed. */
export type UndecidedParent = {readonly parentId: string; readonly cycles: number};

export type ParentReviewInput = ReviewScope & {
  readonly provider: ProviderId;
  readonly graceMilliseconds: number;
  /** A review that takes longer is stopped and does not count. */
  readonly minutes: number;
  readonly modelChoices?: ModelChoices;
  readonly stallMilliseconds?: number;
  readonly budgets?: Budgets;
};

export type ParentReviewOutput = {
  /**
   * `required`: feedback is pending. `undecided`: the user has to decide about a parent. `held`: the reviewer has to
   * wait. `failed`: the next agent would fail as well.
   */
  readonly outcome: 'settled' | 'required' | 'undecided' | 'held' | 'paused' | 'failed' | 'error';
  readonly reviews: readonly Reviewed[];
  readonly pending: readonly PendingFeedback[];
  /** The parent whose review was interrupted or prevented by a pause. */
  readonly interruptedReview?: string;
  /** The parent that the user has to decide about. */
  readonly undecided?: UndecidedParent;
  /** What its reviewer waits for. */
  readonly wait?: Wait;
  readonly error?: unknown;
};

/** The result of all reviews, from the machine's final state. */
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
    ...(outcome === 'paused' && step.type === 'held' ? {interruptedReview: step.wait.taskId} : {}),
    ...(step.type === 'decide' && {undecided: {parentId: step.parentId, cycles: step.cycles}}),
    ...(outcome === 'held' && step.type === 'held' && {wait: step.wait}),
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

/** Selects parents again. Only reviews that were held up by time are retried. */
export function selectInput({
  taskIds,
  isEnabled,
  maxCycles,
  patience,
  provider,
  reviews,
}: ReviewScope &
  Pick<SelectReviewInput, 'provider'> & {readonly reviews: readonly Reviewed[]}): SelectReviewInput {
  const tried = reviews.flatMap((review) =>
    review.verdict === 'broken' && !isTimeNeeded(review) ? [review.parentId] : [],
  );
  return {taskIds, isEnabled, maxCycles, patience, provider, tried};
}

type Prepared = {readonly prepared: PreparedRun | null};

export function preparedReview({prepared}: Prepared): PreparedRun {
  if (prepared === null) throw new Error('A review must be prepared before it runs');
  return prepared;
}

export function reviewRunInput(context: Prepared & AgentTimes): RunInput {
  const {run, order} = preparedReview(context);
  return {run, order, ...agentTimes(context)};
}

/** Forgets a held-up reviewer once its parent was reviewed again. */
export const withReviews = (
  reviews: readonly Reviewed[],
  latest: readonly Reviewed[],
): readonly Reviewed[] => {
  const parentIds = new Set(latest.map(({parentId}) => parentId));
  return [...reviews.filter((review) => !parentIds.has(review.parentId) || !isTimeNeeded(review)), ...latest];
};

export const heldWait = (step: ReviewStep): Wait | null => (step.type === 'held' ? step.wait : null);

/** The parents that a step is about. */
export function parentIdsIn(step: ReviewStep): readonly string[] {
  if (step.type === 'review') return [step.parentId];
  return step.type === 'complete' ? step.parentIds : [];
}
