import type {RunRecord} from '../../../services/contracts/run.ts';
import {compareTimestamps} from '../text/timestamps.ts';
import {feedbackFor} from './check-review-answer.ts';

/** The review that judged the parent last; null where none did. */
export const lastJudged = (reviews: readonly RunRecord[]): RunRecord | null =>
  reviews.findLast((run) => run.run_type === 'review' && typeof run.parent_review_passed === 'boolean') ??
  null;

/** What an earlier review asked of a task; empty where it asked nothing. */
export function askedOf(review: RunRecord, taskId: string): string {
  const {parent_review_resume_task_ids: ids = [], parent_review_feedback: feedback = ''} = review;
  if (!ids.includes(taskId)) return '';
  const results = Object.values(review.parent_review_results ?? {});
  return feedbackFor({passed: false, resumeTaskIds: ids, feedback, results}, taskId);
}

/** A person left the task as it was, whatever the review said. */
export const isDismissed = ({parent_review_dismissed: dismissals = []}: RunRecord, taskId: string): boolean =>
  dismissals.some(({task_id}) => task_id === taskId);

/** What began after a review looked at the files. */
export const isSince = (review: RunRecord, at: string): boolean =>
  compareTimestamps(at, review.created_at) > 0;
