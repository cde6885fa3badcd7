import {feedbackSchemaVersion, type PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {wasHeard} from '../run/task-runs.ts';
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
 * Whether a run has taken this feedback over. The file may outlive that for a moment, and a run that was
 * never heard leaves it pending; so what counts is the mark on the runs.
 */
export function isConsumed({reviewRunId}: PendingFeedback, runs: readonly RunRecord[]): boolean {
  return runs.some((run) => run.context?.parentReviewFeedback?.reviewRunId === reviewRunId && wasHeard(run));
}

/** Nobody waits for it any more: a run has taken it over, or a person has dismissed it on the record of its review. */
export const isAnswered = (
  pending: PendingFeedback,
  runs: readonly RunRecord[],
  review: RunRecord | null,
): boolean => isConsumed(pending, runs) || (review !== null && isDismissed(review, pending.childTaskId));

/** As a person edited it last, also where Blackbird died before the file said so. */
export function asEdited(pending: PendingFeedback, review: RunRecord | null): PendingFeedback {
  const edits = review?.parent_review_edited ?? [];
  const last = edits.findLast(({task_id}) => task_id === pending.childTaskId);
  return last && compareTimestamps(last.edited_at, pending.updatedAt) > 0
    ? {...pending, feedback: last.feedback, updatedAt: last.edited_at}
    : pending;
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

/** Whether the questions of a run are asked before it goes on with what is said, or with what a review said of it. */
export const asksFirst = (
  run: Pick<RunRecord, 'state'> | null,
  said: Parameters<typeof bringsFeedback>[0],
  isSentBack: boolean,
): boolean => run?.state === 'waiting' && said.feedback === null && !(isSentBack && bringsFeedback(said));

/** What the agent of a task reads when a review sent it back. */
export function parentFeedbackText({parentTaskId, feedback}: PendingFeedback): string {
  return `A review of ${parentTaskId}, which this task is part of, sent it back:\n\n${feedback}`;
}
