import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {ParentReviewOutput, Reviewed, UndecidedParent} from '../review/review-steps.ts';
import type {Overrun} from '../run/budget.ts';
import {type Attempted, attemptOf} from '../run/task-outcome.ts';
import type {JobResult, StepResult} from './job-steps.ts';
import type {Wait} from './waiting.ts';

/** What all steps of a job report together. */
export type Story = {
  readonly attempted: readonly Attempted[];
  readonly reviews: readonly Reviewed[];
  readonly pending: readonly PendingFeedback[];
  /** The parent whose review was paused. */
  readonly interruptedReview: string | undefined;
  /** The parent that the user has to decide about. */
  readonly undecided: UndecidedParent | undefined;
  /** The wait that the job, or the user who stopped it, gave up. */
  readonly wait: Wait | undefined;
  readonly overrun: Overrun | undefined;
  /** Tasks asked for by name, none of which was begun. */
  readonly named: readonly string[];
};

/** Every task that a job worked on. */
export function attemptedIn({steps}: Pick<JobResult, 'steps'>): readonly Attempted[] {
  return steps.flatMap((step) => {
    if (step.type === 'execute') return step.output.attempted;
    if (step.type === 'undo' || step.type === 'plan') return [];
    return 'run' in step.output ? [attemptOf(step.output.run.task_id, step.output.run)] : [];
  });
}

export function storyOf({steps, review}: JobResult): Story {
  const attempted = attemptedIn({steps});
  const outputs = [...steps.flatMap(({type, output}) => (type === 'execute' ? [output] : [])), review];
  return {
    attempted,
    reviews: outputs.flatMap((output) => output?.reviews ?? []),
    pending: outputs.flatMap((output) => output?.pending ?? []),
    interruptedReview: outputs.at(-1)?.interruptedReview ?? outputs.at(-2)?.interruptedReview,
    undecided: outputs.findLast((output) => output?.undecided)?.undecided,
    wait: [...steps.map(({output}) => output), review].flatMap(waitIn).at(-1),
    named: steps.flatMap(({type, output}) => (type === 'execute' ? (output.named ?? []) : [])),
    overrun: steps.flatMap(({type, output}) => (type === 'execute' ? (output.overrun ?? []) : [])).at(-1),
  };
}

const waitIn = (output: StepResult['output'] | ParentReviewOutput | undefined): readonly Wait[] =>
  output && 'wait' in output && output.wait ? [output.wait] : [];
