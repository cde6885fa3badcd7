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

/** What a person's own word about a review is written with. */
export type OverruleServices = Pick<Services, 'plans' | 'runs' | 'feedback' | 'lock' | 'digest' | 'now'>;

export type Dismissal = {
  readonly dismissed: readonly PendingFeedback[];
  /** Parents with no feedback left are done, unless work was done again. */
  readonly completed: readonly string[];
};

/**
 * Leaves these tasks as they are, whatever the review said. It holds once the record of the review says so; the
 * files go last, so that the same call, or the next job, does the rest after a crash.
 */
export function dismissFeedback(
  services: OverruleServices,
  taskIds: readonly string[],
  by: string,
): Promise<Dismissal> {
  return underLock(services.lock, async () => {
    const dismissed = await unheardOf(services, taskIds);
    const now = services.now();
    for (const each of dismissed)
      await recordOnReview(services, each, {type: 'dismissed', taskId: each.childTaskId, by}, now);
    const completed = await completeOverruled(services, dismissed);
    for (const {childTaskId} of dismissed) await services.feedback.remove(childTaskId);
    return {dismissed, completed};
  });
}

/** Changes what a task is told of a review. The record of the review keeps both; null where nothing is pending. */
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

/** With those whose dismissal was recorded by a Blackbird that died before their file was gone. */
async function unheardOf(
  services: OverruleServices,
  taskIds: readonly string[],
): Promise<readonly PendingFeedback[]> {
  const unheard: PendingFeedback[] = [];
  for (const taskId of taskIds) {
    const found = await services.feedback.read(taskId);
    if (found && !isConsumed(found, (await services.runs.list(taskId)).runs)) unheard.push(found);
  }
  return unheard;
}

/** Who did it, and when, before the feedback changes or goes. */
async function recordOnReview(
  {runs}: OverruleServices,
  {parentTaskId, reviewRunId}: PendingFeedback,
  step: RunStep,
  now: string,
): Promise<void> {
  try {
    await runs.update(parentTaskId, reviewRunId, (run) => applyRunStep(run, step, now));
  } catch (error) {
    // Somebody removed the record; the feedback is not kept for that.
    if (!(error instanceof AppError && error.code === 'E_RUN_NOT_FOUND')) throw error;
  }
}

async function completeOverruled(
  services: OverruleServices,
  dismissed: readonly PendingFeedback[],
): Promise<readonly string[]> {
  const {pending, broken} = await openFeedback(services);
  // A file that cannot be read could be of any of them: the next job asks for it.
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
