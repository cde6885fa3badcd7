/** Shown for a plan without tasks. */
export const emptyPlanText =
  'The plan is empty. Plan with your agent: blackbird plan generate; or add a task: blackbird add';
