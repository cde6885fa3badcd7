import type {RunRecord} from '../../../services/contracts/run.ts';
import {compareTimestamps} from '../text/timestamps.ts';
import {feedbackFor} from './check-review-answer.ts';

/** The last review of the parent that reached a verdict; null if none did. */
export const lastJudged = (reviews: readonly RunRecord[]): RunRecord | null =>
  reviews.findLast((run) => run.run_type === 'review' && typeof run.parent_review_passed === 'boolean') ??
  null;

/** What an earlier review asked of a task; empty if nothing. */
export function askedOf(review: RunRecord, taskId: string): string {
  const {parent_review_resume_task_ids: ids = [], parent_review_feedback: feedback = ''} = review;
  if (!ids.includes(taskId)) return '';
  const results = Object.values(review.parent_review_results ?? {});
  return feedbackFor({passed: false, resumeTaskIds: ids, feedback, results}, taskId);
}

/** The user left the task as it was, despite the review. */
export const isDismissed = ({parent_review_dismissed: dismissals = []}: RunRecord, taskId: string): boolean =>
  dismissals.some(({task_id}) => task_id === taskId);

/** What started after a review looked at the files. */
export const isAfterReview = (review: RunRecord, at: string): boolean =>
  compareTimestamps(at, review.created_at) > 0;
