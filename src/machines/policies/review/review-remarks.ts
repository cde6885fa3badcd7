import type {RunRecord} from '../../../services/contracts/run.ts';

/** The remarks of a review that passed: general ones, then per task. Empty if it has none. */
export function remarksOf({
  parent_review_passed: hasPassed,
  parent_review_feedback: feedback = '',
  parent_review_results: results = {},
}: RunRecord): string {
  if (hasPassed !== true) return '';
  const own = Object.values(results)
    .filter((result) => result.feedback !== '' && result.feedback !== feedback)
    .map((result) => `${result.task_id}: ${result.feedback}`);
  return [feedback, ...own].filter((part) => part !== '').join('\n');
}
