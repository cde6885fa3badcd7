import type {ProviderId} from '../../../services/contracts/agent.ts';
import {AppError} from '../../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../../services/contracts/feedback.ts';
import type {PauseReason} from '../../../services/contracts/run.ts';
import type {ParentReviewInput, ParentReviewOutput, Reviewed} from '../../parent-review.machine.ts';
import type {TaskInput} from '../../task.machine.ts';
import {resumeRefusal} from '../run/resume-check.ts';
import type {Attempted, TaskOutput} from '../run/task-outcome.ts';
import {type StopReason, stopReasonAfter, stopReasonAfterReview} from './stop-reason.ts';

export type ExecutorInput = {
  /** Only these tasks; empty for every ready one. */
  readonly taskIds: readonly string[];
  readonly provider: ProviderId;
  readonly explicitProvider: ProviderId | null;
  readonly graceMilliseconds: number;
  readonly stopOnFailure: boolean;
  readonly maxTasks: number | null;
  /** Every run ends at a checkpoint. */
  readonly isReviewed?: boolean;
  /** Somebody is there to decide; else the first checkpoint stops the plan. */
  readonly isAttended?: boolean;
  /** Parents are done when their review passed, unless this is off; then as soon as their children are. */
  readonly reviewsParents?: boolean;
  readonly pauseReason: PauseReason | null;
};

export type ExecutorOutput = {
  readonly reason: StopReason;
  readonly attempted: readonly Attempted[];
  readonly reviews?: readonly Reviewed[];
  /** What keeps the plan from going on. */
  readonly pending?: readonly PendingFeedback[];
  readonly error?: unknown;
};

export type SelectTaskInput = {readonly taskIds: readonly string[]; readonly attempted: readonly string[]};
/** A task without a parent makes nothing due. */
export type SelectedTask = {readonly taskId: string; readonly hasParent: boolean};

/** A task that was chosen and could not begin, while others can. */
export type PassedOver = {readonly taskId: string; readonly error: unknown};

/** Where the plan loop stands, as far as the next step depends on it. */
type Standing = ExecutorInput & {
  readonly taskId: string;
  readonly isRecalled: boolean;
  readonly isFresh: boolean;
};

/** The task that comes next: from its beginning, or only the checkpoint it was left at. */
export function taskInput({
  taskId,
  isRecalled,
  provider,
  explicitProvider,
  graceMilliseconds,
  isReviewed = false,
  isAttended = false,
  pauseReason,
}: Standing): TaskInput {
  return {
    taskId,
    mode: isRecalled ? {type: 'review', decision: null} : {type: 'execute'},
    provider,
    explicitProvider,
    graceMilliseconds,
    isReviewed,
    isAttended,
    pauseReason,
  };
}

/** At first the parents of the whole plan, then those that the last task made due. */
export function reviewInput(standing: Standing): ParentReviewInput {
  const {taskId, isFresh, provider, graceMilliseconds, reviewsParents = true, pauseReason} = standing;
  return {
    taskId: isFresh ? null : taskId,
    isEnabled: reviewsParents,
    provider,
    graceMilliseconds,
    pauseReason,
  };
}

/** Whether another task may follow one that could not begin. */
export const isPassedOver = (output: TaskOutput): boolean =>
  output.outcome === 'error' && (isPlanEdit(output.error) || isUnreadable(output.error));

/** The task was changed between its choice and its beginning. */
const isPlanEdit = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'E_TASK_NOT_READY' || error.code === 'E_TASK_NOT_FOUND');

/** A record of the task cannot be used: nobody knows its history, so nothing is done to it. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'E_STORE_CORRUPT';

/** It did not begin, and does not count as one that did. */
export function passOver(
  {taskId, passedOver, begun}: Pick<Standing, 'taskId'> & {passedOver: readonly PassedOver[]; begun: number},
  output: TaskOutput,
): {passedOver: readonly PassedOver[]; begun: number} {
  const error = output.outcome === 'error' ? output.error : undefined;
  return {passedOver: [...passedOver, {taskId, error}], begun: begun - 1};
}

/** Those that stay so; the others are looked at again once another task has run. */
export const stillPassedOver = (passedOver: readonly PassedOver[]): readonly PassedOver[] =>
  passedOver.filter(({error}) => isUnreadable(error));

/** What came of it all. A plan that is through but for tasks that could not begin is not completed. */
export function executorOutput({
  reason,
  attempted,
  reviews,
  pending,
  passedOver,
  error,
}: Required<ExecutorOutput> & {readonly passedOver: readonly PassedOver[]}): ExecutorOutput {
  const [first, ...others] = stillPassedOver(passedOver);
  const lists = {
    ...(reviews.length === 0 ? {} : {reviews}),
    ...(pending.length === 0 ? {} : {pending}),
  };
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

/** Why the plan stops with this task, and the error that tells more. */
export function stopAfter(
  output: TaskOutput,
  standing: Pick<Standing, 'taskId' | 'stopOnFailure'>,
): {reason: StopReason; error?: unknown} {
  const reason = stopReasonAfter(output, standing) ?? 'completed';
  if (output.outcome === 'error') return {reason, error: output.error};
  if (output.outcome !== 'refused') return {reason};
  const task = {id: standing.taskId, title: ''};
  return {reason, error: resumeRefusal('E_RESUME_REJECTED', task, output.run, output.reason)};
}

/** The same for the reviews of parents. */
export function stopAfterReview(
  output: ParentReviewOutput,
  standing: Pick<Standing, 'stopOnFailure'>,
): {reason: StopReason; error?: unknown} {
  return {reason: stopReasonAfterReview(output, standing) ?? 'completed', error: output.error};
}
