import {AppError} from '../../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {RunMode} from '../../actors/run-situation.ts';
import {
  type ParentReviewInput,
  type ParentReviewOutput,
  type Reviewed,
  type UndecidedParent,
  withReviews,
} from '../review/review-steps.ts';
import {type Overrun, overrunIn, overrunOf} from '../run/budget.ts';
import {checkFailureText} from '../run/check-prompt.ts';
import {isHeldForTime, isRetriable} from '../run/retry-time.ts';
import {resumeRefusal} from '../run/run-refusals.ts';
import {nothingSpent, taskSpent} from '../run/spent.ts';
import type {TaskInput} from '../run/task-input.ts';
import {type Attempted, attemptOf, type TaskOutput} from '../run/task-outcome.ts';
import type {JobRules} from './job-rules.ts';
import {type StopReason, stopReasonAfter, stopReasonAfterReview} from './stop-reason.ts';
import type {Wait} from './waiting.ts';

export type ExecutorInput = JobRules & {
  /** Only these tasks; empty for every ready one. */
  readonly taskIds: readonly string[];
};

export type ExecutorOutput = {
  readonly reason: StopReason;
  readonly attempted: readonly Attempted[];
  /** The tasks that were asked for by name, where none of them was begun. */
  readonly named?: readonly string[];
  readonly reviews?: readonly Reviewed[];
  /** What blocks the plan. */
  readonly pending?: readonly PendingFeedback[];
  /** The parent whose review was interrupted or prevented by a pause. */
  readonly interruptedReview?: string;
  /** The parent that is not reviewed any more: the user has to decide. */
  readonly undecided?: UndecidedParent;
  /** The wait that the plan gave up. */
  readonly wait?: Wait;
  /** The job budget that is used up. */
  readonly overrun?: Overrun;
  readonly error?: unknown;
};

export type SelectTaskInput = Pick<JobRules, 'provider' | 'explicitProvider' | 'patience' | 'budgets'> & {
  readonly taskIds: readonly string[];
  /** Not started again. */
  readonly attempted: readonly string[];
  /** Not continued either. */
  readonly passedOver: readonly string[];
  /** Nothing was done so far: that none of the named tasks is ready is an error, unless all of them are done. */
  readonly isFirst: boolean;
};
/** Null if the task has no parent to review. */
export type SelectedTask = {readonly taskId: string; readonly hasParent: boolean; readonly mode: RunMode};

/** How the plan continues. */
export type Selection =
  | {readonly type: 'task'; readonly task: SelectedTask}
  | {readonly type: 'wait'; readonly wait: Wait}
  | {readonly type: 'none'};

/** A task that was selected but could not start, while others can. */
export type PassedOver = {readonly taskId: string; readonly error: unknown};

/** Why the plan stops, and the error with the details. */
export type Stop = Pick<ExecutorOutput, 'reason' | 'interruptedReview' | 'undecided' | 'wait' | 'error'>;

/** The progress of the plan loop. */
export type ExecutorProgress = SelectedTask & {
  readonly attempted: readonly Attempted[];
  readonly passedOver: readonly PassedOver[];
  readonly reviews: readonly Reviewed[];
  readonly pending: readonly PendingFeedback[];
  /** How many tasks this execution has started. */
  readonly begun: number;
  /** What the plan waits for, or gave up waiting for. */
  readonly wait: Wait | null;
  readonly stop: Stop | null;
};

/** The initial progress. */
export const nothingDone: ExecutorProgress = {
  taskId: '',
  hasParent: false,
  mode: {type: 'execute'},
  attempted: [],
  passedOver: [],
  reviews: [],
  pending: [],
  begun: 0,
  wait: null,
  stop: null,
};

/** A task from the start, or only the checkpoint it was left at. */
export function nextTaskInput(
  {taskId, ...rules}: JobRules & Pick<SelectedTask, 'taskId'>,
  mode: TaskInput['mode'],
): TaskInput {
  const {provider, explicitProvider, graceMilliseconds, stallMilliseconds, isAttended} = rules;
  const {commits, modelChoices, checks, budgets, isReviewed} = rules;
  return {
    taskId,
    mode,
    provider,
    explicitProvider,
    graceMilliseconds,
    stallMilliseconds,
    isAttended,
    // Unless specified, a continued run keeps the checkpoint it was started with.
    ...(isReviewed === undefined ? {} : {isReviewed}),
    ...(commits && {commits}),
    ...(modelChoices && {modelChoices}),
    ...(checks && {checks}),
    ...(budgets && {budgets}),
  };
}

export function selectTaskInput({
  taskIds,
  provider,
  explicitProvider,
  patience,
  budgets,
  attempted,
  passedOver,
  reviews,
}: ExecutorInput & ExecutorProgress): SelectTaskInput {
  return {
    taskIds,
    provider,
    explicitProvider,
    patience,
    ...(budgets && {budgets}),
    passedOver: passedOver.map(({taskId}) => taskId),
    attempted: [...attempted, ...passedOver].map(({taskId}) => taskId),
    isFirst: attempted.length + passedOver.length + reviews.length === 0,
  };
}

export function selectedIn(selection: Selection): SelectedTask {
  if (selection.type !== 'task') throw new Error('No task was selected');
  return selection.task;
}

export const waitIn = (selection: Selection): Wait | null =>
  selection.type === 'wait' ? selection.wait : null;

/** Stops with the wait it gave up. */
export const givenUp = (selection: Selection): Stop => ({
  reason: 'paused',
  ...(selection.type === 'wait' && {wait: selection.wait}),
});

/** The parents that are due after these tasks; null for those of the whole plan. */
export function dueReviewInput(rules: JobRules, taskIds: readonly string[] | null): ParentReviewInput {
  const {provider, patience, graceMilliseconds, stallMilliseconds, modelChoices, budgets} = rules;
  return {
    taskIds,
    isEnabled: rules.reviewsParents,
    maxCycles: rules.maxReviewCycles,
    minutes: rules.reviewMinutes,
    patience,
    provider,
    graceMilliseconds,
    stallMilliseconds,
    ...(modelChoices && {modelChoices}),
    ...(budgets && {budgets}),
  };
}

/** Whether a failed task gets another run. At a checkpoint the user decides. */
export const mayRetry = (
  output: TaskOutput,
  {retries, budgets}: Pick<JobRules, 'retries' | 'budgets'>,
): boolean =>
  output.outcome === 'failed' &&
  output.run.decision_state === undefined &&
  isRetriable(output.run) &&
  (output.run.retry_number ?? 0) < retries &&
  !(budgets && overrunOf(budgets, {job: nothingSpent, task: taskSpent(output.run)}));

export function retryMode(output: TaskOutput): RunMode {
  if (output.outcome !== 'failed') throw new Error('Only a failed run is retried');
  const {retry_number: number = 0, failure, result = ''} = output.run;
  const told = failure?.kind === 'verification' ? checkFailureText(output.run) : (failure?.message ?? '');
  return {type: 'restart', retry: {number: number + 1, failure: told, result}};
}

/** Whether another task may follow one that could not start. */
export const isPassedOver = (output: TaskOutput): boolean =>
  output.outcome === 'error' && (isPlanEdit(output.error) || staysBehind(output.error));

/** A checkpoint is skipped only if someone changed the plan; an unreadable one stays closed. */
export const isDecisionGone = (output: TaskOutput): boolean =>
  output.outcome === 'error' && isPlanEdit(output.error);

/** The task was changed between selection and start. */
const isPlanEdit = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'E_TASK_NOT_READY' || error.code === 'E_TASK_NOT_FOUND');

/** A record of the task is unusable: its history is unknown, so nothing is done to it. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'E_STORE_CORRUPT';

/** Nothing can be done until the user acts. */
const staysBehind = (error: unknown): boolean => isUnreadable(error) || overrunIn(error)?.whose === 'task';

/** Only those that stay blocked; the others are looked at again after another task has run. */
const stillPassedOver = (passedOver: readonly PassedOver[]): readonly PassedOver[] =>
  passedOver.filter(({error}) => staysBehind(error));

export function afterAttempt({taskId, attempted, passedOver}: ExecutorProgress, output: TaskOutput) {
  return {
    attempted: 'run' in output ? withAttempt(attempted, attemptOf(taskId, output.run)) : attempted,
    passedOver: stillPassedOver(passedOver),
  };
}

/** The last attempt determines the state of a task. */
const withAttempt = (attempted: readonly Attempted[], latest: Attempted): readonly Attempted[] => [
  ...attempted.filter(({taskId}) => taskId !== latest.taskId),
  latest,
];

export function afterReviews(
  {reviews}: ExecutorProgress,
  {reviews: latest, pending}: ParentReviewOutput,
): Pick<ExecutorProgress, 'reviews' | 'pending'> {
  return {reviews: withReviews(reviews, latest), pending};
}

/** It only needs time: its run continues by itself. */
export const isHeld = (output: TaskOutput): boolean => 'run' in output && isHeldForTime(output.run);

export function afterPassingOver({taskId, passedOver}: ExecutorProgress, output: TaskOutput) {
  const error = 'error' in output ? output.error : undefined;
  return {passedOver: [...passedOver, {taskId, error}]};
}

/** The overall result. A plan with tasks that could not start is not completed. */
export function executorOutput(
  {taskIds, attempted, reviews, pending, passedOver}: ExecutorInput & ExecutorProgress,
  {reason, interruptedReview, undecided, wait, error}: Stop,
): ExecutorOutput {
  const [first, ...others] = stillPassedOver(passedOver);
  const lists = {
    ...(taskIds.length > 0 && attempted.length === 0 && {named: taskIds}),
    ...(reviews.length === 0 ? {} : {reviews}),
    ...(pending.length === 0 ? {} : {pending}),
    ...(interruptedReview === undefined ? {} : {interruptedReview}),
    ...(undecided === undefined ? {} : {undecided}),
    ...(wait === undefined ? {} : {wait}),
  };
  const overrun = overrunIn(error);
  if (overrun?.whose === 'job') return {reason: 'paused', attempted, ...lists, overrun};
  if (first && reason === 'completed') {
    return {reason: 'error', attempted, ...lists, error: unreadableError(first, others)};
  }
  return {reason, attempted, ...lists, ...(error === undefined ? {} : {error})};
}

function unreadableError({error}: PassedOver, others: readonly PassedOver[]): unknown {
  if (!(error instanceof AppError) || others.length === 0) return error;
  const more: Array<readonly [string, string]> = others.map(({taskId}) => ['also', taskId]);
  return new AppError(error.code, error.message, {details: [...error.details, ...more], next: error.next});
}

/** Why the plan stops after this task; null if it continues. */
export function stopAfter(output: TaskOutput, rules: Pick<JobRules, 'stopOnFailure'>): Stop | null {
  const reason = stopReasonAfter(output, rules);
  if (reason === null) return null;
  if (output.outcome === 'error') return {reason, error: output.error};
  if (output.outcome !== 'refused') return {reason};
  const task = {id: output.run.task_id, title: ''};
  return {reason, error: resumeRefusal('E_RESUME_REJECTED', task, output.run, output.reason)};
}

/** The same for parent reviews. */
export function stopAfterReview(
  output: ParentReviewOutput,
  rules: Pick<JobRules, 'stopOnFailure'>,
): Stop | null {
  const reason = stopReasonAfterReview(output, rules);
  const {interruptedReview, undecided, wait, error} = output;
  if (reason === null) return null;
  return {
    reason,
    ...(interruptedReview && {interruptedReview}),
    ...(undecided && {undecided}),
    ...(wait && {wait}),
    error,
  };
}
