/** Shown for a plan without tasks. */
export const emptyPlanText = 'The plan is empty. Fill it with: blackbird plan generate, or blackbird add';
