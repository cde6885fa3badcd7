import {createHash} from 'node:crypto';
import {userInfo} from 'node:os';
import {completionsBelow, readableRuns} from '../../machines/actors/readable-runs.ts';
import {isConsumed} from '../../machines/policies/review/parent-feedback.ts';
import {completeParents, isReviewDue, reviewNeed} from '../../machines/policies/review/parent-review.ts';
import {applyRunStep} from '../../machines/policies/run/run-record.ts';
import type {RunStep} from '../../machines/policies/run/run-step.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {BrokenFeedback, PendingFeedback} from '../../services/contracts/feedback.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunStore} from '../../services/contracts/run.ts';
import {createFeedbackStore} from '../../services/stores/feedback-store.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {Project} from '../composition.ts';

// What the commands and the terminal UI do with pending feedback.

export type KnownFeedback = {
  readonly pending: readonly PendingFeedback[];
  readonly broken: readonly BrokenFeedback[];
};

/** What waits for an answer. A file that a crash left behind its run is no longer waiting. */
export async function listFeedback({folder}: Pick<Project, 'folder'>): Promise<KnownFeedback> {
  const {pending, broken} = await createFeedbackStore({folder: folder.feedbackFolder}).list();
  const runs = createRunStore({folder: folder.runsFolder});
  const open: PendingFeedback[] = [];
  for (const each of pending) {
    if (!isConsumed(each, (await runs.list(each.childTaskId)).runs)) open.push(each);
  }
  return {pending: open, broken};
}

/** Whether a resume of this task brings feedback, so that nobody needs to be asked anything. */
export async function hasFeedback(project: Pick<Project, 'folder'>, taskId: string): Promise<boolean> {
  return (await listFeedback(project)).pending.some(({childTaskId}) => childTaskId === taskId);
}

/** Overrules a review for one task. A parent with no feedback left is done, unless work was done again. */
export async function dismissFeedback(
  {folder, plans}: Project,
  taskId: string,
  now: string,
): Promise<{readonly dismissed: PendingFeedback | null; readonly completed: readonly string[]}> {
  const feedback = createFeedbackStore({folder: folder.feedbackFolder});
  const dismissed = await feedback.read(taskId);
  if (!dismissed) return {dismissed: null, completed: []};
  const runs = createRunStore({folder: folder.runsFolder});
  const step = {type: 'dismissed', taskId, by: loginName()} as const;
  await recordOnReview(runs, dismissed, step, now);
  await feedback.remove(taskId);
  const {pending} = await listFeedback({folder});
  const plan = await plans.read();
  const parent = plan.items.get(dismissed.parentTaskId);
  if (!parent || !(await isOverruled(runs, plan, parent, pending))) return {dismissed, completed: []};
  const {before, after} = await plans.update((current) => completeParents(current, [parent.id], now));
  return {dismissed, completed: after === before ? [] : [parent.id]};
}

/** Changes what a task is told of a review. The record of the review keeps both; null where nothing is pending. */
export async function editFeedback(
  {folder}: Pick<Project, 'folder'>,
  taskId: string,
  text: string,
  now: string,
): Promise<PendingFeedback | null> {
  const store = createFeedbackStore({folder: folder.feedbackFolder});
  const pending = (await listFeedback({folder})).pending.find(({childTaskId}) => childTaskId === taskId);
  if (!pending) return null;
  const feedback = text.trim();
  if (feedback === '')
    throw new AppError('E_NO_INPUT', `say what ${taskId} is told`, {
      next: [{command: `blackbird feedback dismiss ${shellWord(taskId)}`, why: 'leave the task as it is'}],
    });
  const edited = {...pending, feedback, updatedAt: now};
  const step = {type: 'feedbackEdited', taskId, by: loginName(), feedback} as const;
  await recordOnReview(createRunStore({folder: folder.runsFolder}), pending, step, now);
  await store.save(edited);
  return edited;
}

/** On the review's record, before the feedback changes or goes: who did it, and when. */
async function recordOnReview(
  runs: RunStore,
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

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry, as in some containers.
    return '';
  }
}

async function isOverruled(
  runs: RunStore,
  plan: Plan,
  parent: Task,
  pending: readonly PendingFeedback[],
): Promise<boolean> {
  if (!isReviewDue(plan, parent)) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const need = reviewNeed({
    parentId: parent.id,
    reviews: await readableRuns({runs}, parent.id),
    pending,
    ...(await completionsBelow({runs, digest}, plan, parent)),
  });
  return need === 'nothing';
}
