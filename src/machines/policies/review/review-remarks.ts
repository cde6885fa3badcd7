import type {RunRecord} from '../../../services/contracts/run.ts';

/** What a review that passed said nevertheless: of the whole, then of single tasks. Empty where it said nothing. */
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
