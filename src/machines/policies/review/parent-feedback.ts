import {feedbackSchemaVersion, type PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {wasHeard} from '../run/task-runs.ts';
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
