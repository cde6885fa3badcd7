import {AppError} from '../../../services/contracts/errors.ts';

const between = '\n\n';

/** Whether feedback contains a text as lines of its own; the same words inside a sentence do not count. */
export const containsText = (feedback: string, text: string): boolean =>
  `${between}${feedback}${between}`.includes(`${between}${text}${between}`);

/** The part of a draft that was not sent yet. Sent text may follow older text, on lines of its own. */
export function unsentPart(text: string, feedback: string): string {
  const said = feedback.trim();
  if (text.trim() === '' || containsText(feedback, text) || containsText(said, text.trim())) return '';
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const last = text.slice(at + 1).trim();
    if (last === '' || !said.startsWith(last)) continue;
    if (said.length === last.length || said.startsWith(between, last.length)) return text.slice(0, at);
  }
  return text;
}

/** Feedback preceded by a text that the agent has not received, without repeating it. */
export const precededBy = (unheard: string, feedback: string): string =>
  unheard === '' || containsText(feedback, unheard) ? feedback : `${unheard}${between}${feedback}`;

/** Two texts for one agent in the order they were sent, without repetition. */
export const joinTexts = (earlier: string, later: string): string =>
  containsText(earlier, later) ? earlier : precededBy(earlier, later);

/** The name of the draft for edited parent review feedback. Each review has its own. */
export const parentReviewText = (reviewRunId: string): string => `${parentReview}${reviewRunId}`;

export const isOfParentReview = (textId: string): boolean => textId.startsWith(parentReview);

const parentReview = 'parent ';

/** Adds to an error that the user's text is kept. */
export const withWordsKept = (error: unknown): unknown =>
  error instanceof AppError
    ? new AppError(error.code, error.message, {
        details: [...error.details, ['words', 'kept; `blackbird restart` passes them on to the new agent']],
        next: error.next,
        cause: error.cause,
      })
    : error;
