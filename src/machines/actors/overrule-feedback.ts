import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isConsumed} from '../policies/review/parent-feedback.ts';
import {completeParents, isReviewDue, reviewNeed} from '../policies/review/parent-review.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import type {RunStep} from '../policies/run/run-step.ts';
import {openFeedback, pendingOf} from './pending-feedback.ts';
import {completionsBelow, readableRuns} from './readable-runs.ts';
import {underLock} from './under-lock.ts';

/** The services for editing or dismissing review feedback. */
export type OverruleServices = Pick<Services, 'plans' | 'runs' | 'feedback' | 'lock' | 'digest' | 'now'>;

export type Dismissal = {
  readonly dismissed: readonly PendingFeedback[];
  /** Parents without pending feedback are done, unless work was repeated. */
  readonly completed: readonly string[];
};

/**
 * Leaves these tasks as they are, despite the review. It counts once the review's record says so; the files go last, so
 * that after a crash the same call or the next job finishes the work.
 */
export function dismissFeedback(
  services: OverruleServices,
  taskIds: readonly string[],
  by: string,
): Promise<Dismissal> {
  return underLock(services.lock, async () => {
    const dismissed = await undeliveredFor(services, taskIds);
    const now = services.now();
    for (const each of dismissed)
      await recordOnReview(services, each, {type: 'dismissed', taskId: each.childTaskId, by}, now);
    const completed = await completeOverruled(services, dismissed);
    for (const {childTaskId} of dismissed) await services.feedback.remove(childTaskId);
    return {dismissed, completed};
  });
}

/** Edits review feedback. The record of the review keeps both texts; null if nothing is pending. */
export function editFeedback(
  services: OverruleServices,
  taskId: string,
  text: string,
  by: string,
): Promise<PendingFeedback | null> {
  return underLock(services.lock, async () => {
    const pending = await pendingOf(services, taskId);
    if (!pending) return null;
    const feedback = text.trim();
    if (feedback === '') {
      throw new AppError('E_NO_INPUT', `say what to tell ${taskId}`, {
        next: [{command: `blackbird feedback dismiss ${shellWord(taskId)}`, why: 'leave the task as it is'}],
      });
    }
    const edited = {...pending, feedback, updatedAt: services.now()};
    const step = {type: 'feedbackEdited', taskId, by, feedback} as const;
    await recordOnReview(services, pending, step, edited.updatedAt);
    await services.feedback.save(edited);
    return edited;
  });
}

/** Includes those dismissed by a Blackbird that died before it deleted the file. */
async function undeliveredFor(
  services: OverruleServices,
  taskIds: readonly string[],
): Promise<readonly PendingFeedback[]> {
  const undelivered: PendingFeedback[] = [];
  for (const taskId of taskIds) {
    const found = await services.feedback.read(taskId);
    if (found && !isConsumed(found, (await services.runs.list(taskId)).runs)) undelivered.push(found);
  }
  return undelivered;
}

/** Records who did it and when, before the feedback changes. */
async function recordOnReview(
  {runs}: OverruleServices,
  {parentTaskId, reviewRunId}: PendingFeedback,
  step: RunStep,
  now: string,
): Promise<void> {
  try {
    await runs.update(parentTaskId, reviewRunId, (run) => applyRunStep(run, step, now));
  } catch (error) {
    // The record was removed; the feedback is not kept because of that.
    if (!(error instanceof AppError && error.code === 'E_RUN_NOT_FOUND')) throw error;
  }
}

async function completeOverruled(
  services: OverruleServices,
  dismissed: readonly PendingFeedback[],
): Promise<readonly string[]> {
  const {pending, broken} = await openFeedback(services);
  // An unreadable file could belong to any of them: the next job reports it.
  if (broken.length > 0) return [];
  const gone = new Set(dismissed.map(({childTaskId}) => childTaskId));
  const left = pending.filter(({childTaskId}) => !gone.has(childTaskId));
  const plan = await services.plans.read();
  const overruled: string[] = [];
  for (const id of new Set(dismissed.map(({parentTaskId}) => parentTaskId)))
    if (await isOverruled(services, plan, id, left)) overruled.push(id);
  if (overruled.length === 0) return [];
  const {after} = await services.plans.update((current) =>
    completeParents(current, overruled, services.now()),
  );
  return overruled.filter((id) => after.items.get(id)?.status === 'done');
}

async function isOverruled(
  services: OverruleServices,
  plan: Plan,
  parentId: string,
  pending: readonly PendingFeedback[],
): Promise<boolean> {
  const parent = plan.items.get(parentId);
  if (!parent || !isReviewDue(plan, parent)) return false;
  const reviews = await readableRuns(services, parentId);
  const completions = await completionsBelow(services, plan, parent);
  return reviewNeed({parentId, reviews, pending, ...completions}) === 'nothing';
}
