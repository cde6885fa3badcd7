/** Whether a planner's text is its answer: that is shown as a proposal instead of JSON. */
export const answersPlan = (text: string): boolean =>
  /^\s*(?:```\w*\s*)?\{\s*"(?:questions|tasks|operations|dependencies)"/.test(text);
