import * as job from './descriptions/job-states.ts';
import * as plan from './descriptions/plan-states.ts';
import * as review from './descriptions/review-states.ts';
import * as session from './descriptions/session-states.ts';
import * as task from './descriptions/task-states.ts';

/**
 * One line on what each state means, by machine and state path. Kept outside the machines, so that each of them still
 * fits on a page.
 */
const descriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  engine: job.engineStates,
  executor: job.executorStates,
  jobTask: job.jobTaskStates,
  retryWait: job.retryWaitStates,
  undo: job.undoStates,
  task: task.taskStates,
  run: task.runStates,
  segment: task.segmentStates,
  verification: task.verificationStates,
  planGeneration: plan.planGenerationStates,
  planTurn: plan.planTurnStates,
  budget: task.budgetStates,
  parentReview: review.parentReviewStates,
  reviewGate: review.reviewGateStates,
  handOver: review.handOverStates,
  questions: review.questionsStates,
  draft: review.draftStates,
  tui: review.tuiStates,
  session: session.sessionStates,
  sessionChange: session.sessionChangeStates,
};

/** Empty if there is none, which a test rejects. */
export function stateDescription(machine: string, path: readonly string[]): string {
  const states = Object.hasOwn(descriptions, machine) ? descriptions[machine] : undefined;
  const name = path.join('.');
  return (states && Object.hasOwn(states, name) ? states[name] : undefined) ?? '';
}

/** The states that have a description: a test uses this to find states that no longer exist. */
export function describedStates(machine: string): readonly string[] {
  return Object.keys(descriptions[machine] ?? {});
}
