import {createHash} from 'node:crypto';
import {userInfo} from 'node:os';
import {completionsBelow, readableRuns} from '../../machines/actors/readable-runs.ts';
import {isConsumed} from '../../machines/policies/review/parent-feedback.ts';
import {completeParents, isReviewDue, reviewNeed} from '../../machines/policies/review/parent-review.ts';
import {applyRunStep} from '../../machines/policies/run/run-record.ts';
import {AppError} from '../../services/contracts/errors.ts';
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
  await recordDismissal(runs, dismissed, now);
  await feedback.remove(taskId);
  const {pending} = await listFeedback({folder});
  const plan = await plans.read();
  const parent = plan.items.get(dismissed.parentTaskId);
  if (!parent || !(await isOverruled(runs, plan, parent, pending))) return {dismissed, completed: []};
  const {before, after} = await plans.update((current) => completeParents(current, [parent.id], now));
  return {dismissed, completed: after === before ? [] : [parent.id]};
}

/** On the review's record, before the feedback goes: who overruled it, and when. */
async function recordDismissal(
  runs: RunStore,
  {childTaskId, parentTaskId, reviewRunId}: PendingFeedback,
  now: string,
): Promise<void> {
  const step = {type: 'dismissed', taskId: childTaskId, by: loginName()} as const;
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
