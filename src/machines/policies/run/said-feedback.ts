const between = '\n\n';

/** Whether feedback says a text as a part of its own; the same words inside a sentence are another text. */
export const isSaidIn = (feedback: string, text: string): boolean =>
  `${between}${feedback}${between}`.includes(`${between}${text}${between}`);

/** Feedback with a text before it that an agent has not heard, once. */
export const sayAlso = (unheard: string, feedback: string): string =>
  unheard === '' || isSaidIn(feedback, unheard) ? feedback : `${unheard}${between}${feedback}`;
