import {AppError} from '../../../services/contracts/errors.ts';

const between = '\n\n';

/** Whether feedback says a text as a part of its own; the same words inside a sentence are another text. */
export const isSaidIn = (feedback: string, text: string): boolean =>
  `${between}${feedback}${between}`.includes(`${between}${text}${between}`);

/** What of a draft is still to be said; words that were sent may stand behind older ones, on lines of their own. */
export function unsaidOf(text: string, feedback: string): string {
  const said = feedback.trim();
  if (text.trim() === '' || isSaidIn(feedback, text) || isSaidIn(said, text.trim())) return '';
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const last = text.slice(at + 1).trim();
    if (last === '' || !said.startsWith(last)) continue;
    if (said.length === last.length || said.startsWith(between, last.length)) return text.slice(0, at);
  }
  return text;
}

/** Feedback with a text before it that an agent has not heard, once. */
export const sayAlso = (unheard: string, feedback: string): string =>
  unheard === '' || isSaidIn(feedback, unheard) ? feedback : `${unheard}${between}${feedback}`;

/** Two texts for one agent, in the order they were sent; what one of them says already is said once. */
export const sayBoth = (earlier: string, later: string): string =>
  isSaidIn(earlier, later) ? earlier : sayAlso(earlier, later);

/** The text of a draft: what a task is told of a parent review, edited. The words of another review are other words. */
export const parentReviewText = (reviewRunId: string): string => `${parentReview}${reviewRunId}`;

export const isOfParentReview = (textId: string): boolean => textId.startsWith(parentReview);

const parentReview = 'parent ';

/** A refusal that says that the words it refused are not lost. */
export const withWordsKept = (error: unknown): unknown =>
  error instanceof AppError
    ? new AppError(error.code, error.message, {
        details: [...error.details, ['words', 'kept; `blackbird restart` tells them to the new agent']],
        next: error.next,
        cause: error.cause,
      })
    : error;
