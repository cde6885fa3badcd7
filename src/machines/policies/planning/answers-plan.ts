/** Whether words of a planner are its answer: that is shown as the proposal that it is, and not as JSON. */
export const answersPlan = (text: string): boolean =>
  /^\s*(?:```\w*\s*)?\{\s*"(?:questions|tasks|operations|dependencies)"/.test(text);
