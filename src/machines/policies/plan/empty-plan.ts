/** What a command says of a plan without a task. */
export const emptyPlanText =
  'The plan is empty. Plan with your agent: blackbird plan generate; or add a task: blackbird add';
