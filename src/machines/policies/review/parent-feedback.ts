import {feedbackSchemaVersion, type PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {reachedAgent} from '../run/task-runs.ts';
import {compareTimestamps} from '../text/timestamps.ts';
import {feedbackFor, type ReviewAnswer} from './check-review-answer.ts';
import {isDismissed} from './earlier-review.ts';

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

/**
 * Whether a run has taken over this feedback. Its file may exist a moment longer, and an undelivered run leaves it
 * pending, so the mark on the runs decides.
 */
export function isConsumed({reviewRunId}: PendingFeedback, runs: readonly RunRecord[]): boolean {
  return runs.some(
    (run) => run.context?.parentReviewFeedback?.reviewRunId === reviewRunId && reachedAgent(run),
  );
}

/** The feedback is settled: a run has taken it over, or the user dismissed it on the record of the review. */
export const isAnswered = (
  pending: PendingFeedback,
  runs: readonly RunRecord[],
  review: RunRecord | null,
): boolean => isConsumed(pending, runs) || (review !== null && isDismissed(review, pending.childTaskId));

/** With the user's last edit, even if Blackbird died before it reached the file. */
export function asEdited(pending: PendingFeedback, review: RunRecord | null): PendingFeedback {
  const edits = review?.parent_review_edited ?? [];
  const last = edits.findLast(({task_id}) => task_id === pending.childTaskId);
  return last && compareTimestamps(last.edited_at, pending.updatedAt) > 0
    ? {...pending, feedback: last.feedback, updatedAt: last.edited_at}
    : pending;
}

/** Marks a run with the feedback that it delivers. */
export type FeedbackMark = Readonly<Pick<NonNullable<RunRecord['context']>, 'parentReviewFeedback'>>;

export function feedbackMark({parentTaskId, reviewRunId, feedback}: PendingFeedback): FeedbackMark {
  return {parentReviewFeedback: {parentTaskId, reviewRunId, feedback}};
}

/** Rebuilds the pending feedback from a run that carries it. */
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
 * Whether a resume delivers parent review feedback. The user's own message takes precedence; the agent's questions come
 * after it.
 */
export const bringsFeedback = (said: {
  readonly answers: readonly unknown[];
  readonly feedback: string | null;
}): boolean => said.feedback === null && said.answers.length === 0;

/** Whether the run's questions have to be answered before it continues with this message or review feedback. */
export const asksFirst = (
  run: Pick<RunRecord, 'state'> | null,
  said: Parameters<typeof bringsFeedback>[0],
  isSentBack: boolean,
): boolean => run?.state === 'waiting' && said.feedback === null && !(isSentBack && bringsFeedback(said));

/** The prompt for an agent whose task was sent back by a review. */
export function parentFeedbackText({parentTaskId, feedback}: PendingFeedback): string {
  return `A review of ${parentTaskId}, which this task is part of, sent it back:\n\n${feedback}`;
}
