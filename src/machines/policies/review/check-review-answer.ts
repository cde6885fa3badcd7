import {reviewAnswerLimit, reviewAnswerShape} from '../../../services/contracts/review-answer.ts';
import type {ReviewResult} from '../../../services/contracts/run.ts';
import {findVerdicts} from './find-verdicts.ts';

export type ReviewAnswer = {
  readonly passed: boolean;
  readonly resumeTaskIds: readonly string[];
  /** What to do; if the review passed, a remark. */
  readonly feedback: string;
  readonly results: readonly ReviewResult[];
};

/** Parses an answer strictly: anything but exactly one verdict on exactly these tasks is not a review. */
export function checkReviewAnswer(
  text: string,
  taskIds: readonly string[],
): {readonly answer: ReviewAnswer} | {readonly problem: string} {
  if (text.length >= reviewAnswerLimit) return {problem: 'it is too long'};
  const {verdicts, isAmbiguous} = findVerdicts(text);
  const [first, ...others] = verdicts;
  if (first === undefined) return {problem: 'it contains no JSON object with "passed"'};
  if (others.length > 0) return {problem: 'it contains several different verdicts'};
  if (isAmbiguous) return {problem: 'it contains something that could be a second verdict'};
  const {data, error} = reviewAnswerShape.safeParse(first);
  if (!data) {
    const [issue] = error.issues;
    return {problem: `${issue?.path.join('.') || 'the answer'}: ${issue?.message}`};
  }
  const {passed, resumeTaskIds, feedbackForResume, reviewResults} = data;
  const feedback = feedbackForResume.trim();
  const results = reviewResults.map(({taskId, status, feedback: own}) => ({
    task_id: taskId,
    status,
    feedback: own.trim(),
  }));
  const problem = contradiction({passed, resumeTaskIds, feedback, results}, taskIds);
  return problem === null ? {answer: {passed, resumeTaskIds, feedback, results}} : {problem};
}

/** The feedback for one task: first the general part, then its own. */
export function feedbackFor({feedback, results}: ReviewAnswer, taskId: string): string {
  const own = results.find(({task_id}) => task_id === taskId)?.feedback ?? '';
  return [...new Set([feedback, own])].filter((part) => part !== '').join('\n\n');
}

function contradiction(answer: ReviewAnswer, taskIds: readonly string[]): string | null {
  const {passed, resumeTaskIds, results} = answer;
  const known = new Set(taskIds);
  const named = [...resumeTaskIds, ...results.map(({task_id}) => task_id)];
  const stranger = named.find((id) => !known.has(id));
  if (stranger !== undefined) return `${JSON.stringify(stranger)} is not one of the reviewed tasks`;
  const resumed = new Set(resumeTaskIds);
  if (resumed.size < resumeTaskIds.length) return 'it sends a task back twice';
  if (new Set(results.map(({task_id}) => task_id)).size < results.length) return 'it judges a task twice';
  if (passed) {
    if (resumed.size > 0) return 'it passed and sends tasks back';
    return results.some(({status}) => status === 'failed') ? 'it passed and a task failed' : null;
  }
  if (resumed.size === 0) return 'it did not pass and sends no task back';
  const silent = resumeTaskIds.find((id) => feedbackFor(answer, id) === '');
  if (silent !== undefined) return `it sends ${JSON.stringify(silent)} back without feedback`;
  const lost = results.find(({task_id, status}) => (status === 'failed') !== resumed.has(task_id));
  return lost === undefined
    ? null
    : `${JSON.stringify(lost.task_id)} ${lost.status}, and is ${resumed.has(lost.task_id) ? '' : 'not '}sent back`;
}
