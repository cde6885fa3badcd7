import type {FailureKind} from '../../../services/contracts/agent.ts';
import {feedbackSchemaVersion, type PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {feedbackFor, type ReviewAnswer} from './check-review-answer.ts';

/** One entry for every task that a review sends back. */
export function pendingFeedback(
  answer: ReviewAnswer,
  {run_id, task_id}: Pick<RunRecord, 'run_id' | 'task_id'>,
  now: string,
): PendingFeedback[] {
  return answer.resumeTaskIds.map((childTaskId) => ({
    schemaVersion: feedbackSchemaVersion,
    childTaskId,
    parentTaskId: task_id,
    reviewRunId: run_id,
    feedback: feedbackFor(answer, childTaskId),
    createdAt: now,
    updatedAt: now,
  }));
}

/** Failures after which the agent has done nothing about what it was told. */
const undelivered: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'resume_rejected',
  'spawn_failed',
  'auth',
  'rate_limit',
]);

/** The feedback that a run carries reached its agent, whatever the agent made of it. */
function wasHeard({state, segments, failure}: RunRecord): boolean {
  if (segments.length === 0) return false;
  return state !== 'failed' || failure === undefined || !undelivered.has(failure.kind);
}

/**
 * Whether a run has taken this feedback over. The file may outlive that for a moment, and a run that was
 * never heard leaves it pending; so what counts is the mark on the runs.
 */
export function isConsumed({reviewRunId}: PendingFeedback, runs: readonly RunRecord[]): boolean {
  return runs.some((run) => run.context?.parentReviewFeedback?.reviewRunId === reviewRunId && wasHeard(run));
}

/** The mark that a run carries of the feedback it brings. */
export type FeedbackMark = Readonly<Pick<NonNullable<RunRecord['context']>, 'parentReviewFeedback'>>;

export function feedbackMark({parentTaskId, reviewRunId, feedback}: PendingFeedback): FeedbackMark {
  return {parentReviewFeedback: {parentTaskId, reviewRunId, feedback}};
}

/** The feedback that a run carries, as it was when it was pending. */
export function feedbackOf({task_id, created_at, updated_at, context}: RunRecord): PendingFeedback | null {
  const mark = context?.parentReviewFeedback;
  if (!mark) return null;
  const {parentTaskId, reviewRunId, feedback} = mark;
  return {
    schemaVersion: feedbackSchemaVersion,
    childTaskId: task_id,
    parentTaskId,
    reviewRunId,
    feedback,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

/**
 * Whether a resume brings what a parent review said. The words of a person come before it, the questions of
 * the agent after it.
 */
export const bringsFeedback = (said: {
  readonly answers: readonly unknown[];
  readonly feedback: string | null;
}): boolean => said.feedback === null && said.answers.length === 0;

/** What the agent of a task reads when a review sent it back. */
export function parentFeedbackText({parentTaskId, feedback}: PendingFeedback): string {
  return `A review of ${parentTaskId}, which this task is part of, sent it back:\n\n${feedback}`;
}
