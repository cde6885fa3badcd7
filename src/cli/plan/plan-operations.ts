import {existsSync, readdirSync} from 'node:fs';
import {resolveConfig, settingOf} from '../../machines/policies/config-resolution.ts';
import {requireTask} from '../../machines/policies/plan/plan-graph.ts';
import {setStatus} from '../../machines/policies/plan/plan-status.ts';
import {leaveForReview} from '../../machines/policies/review/parent-review.ts';
import {atCheckpoint, retryObstacle} from '../../machines/policies/run/retry-check.ts';
import type {Plan, TaskStatus} from '../../services/contracts/plan.ts';
import type {Project} from '../composition.ts';
import {liveEngine, refuseWhileRunning} from '../job/running-task.ts';

// What the commands and the terminal UI do to a plan in the same way, with the same refusals.

type Change = {readonly before: Plan; readonly after: Plan};

/** Makes a failed, blocked or lost task ready again. */
export async function retryTask(project: Project, taskId: string, now: string): Promise<Change> {
  const {plans, folder} = project;
  await refuseAtCheckpoint(project, taskId);
  const task = requireTask(await plans.read(), taskId);
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const latest = await createRunStore({folder: folder.runsFolder}).latest(taskId);
  const obstacle = retryObstacle(task, latest, (await liveEngine(folder)) !== null);
  if (obstacle) throw obstacle;
  return plans.update((plan) => setStatus(plan, taskId, 'todo', now));
}

/** Sets a status by hand, never behind the back of an agent. */
export async function setTaskStatus(
  project: Project,
  taskId: string,
  status: TaskStatus,
  now: string,
): Promise<Change> {
  await refuseWhileRunning(project, taskId);
  await refuseAtCheckpoint(project, taskId);
  return changeByHand(project, (plan) => setStatus(plan, taskId, status, now), taskId);
}

/**
 * A change of a person's own. What it completes on the way is left for a review where an agent has worked
 * below it; `named` is the task whose status it sets, which is a person's word.
 */
export async function changeByHand(
  {plans, folder, config}: Project,
  change: (plan: Plan) => Plan,
  named?: string,
): Promise<Change> {
  const isReviewed = settingOf(resolveConfig(await config.layers()), 'execution.parentReviewEnabled');
  const {taskFolderName} = await import('../../services/stores/task-folder.ts');
  let worked: ReadonlySet<string> | undefined;
  const hasRuns = (id: string) => {
    worked ??= new Set(existsSync(folder.runsFolder) ? readdirSync(folder.runsFolder) : []);
    return worked.has(taskFolderName(id));
  };
  return plans.update((plan) => {
    const changed = change(plan);
    return isReviewed && changed !== plan
      ? leaveForReview(plan, changed, {hasRuns, ...(named === undefined ? {} : {named})})
      : changed;
  });
}

/** A status by hand would let the plan go on without the decision it waits for. */
async function refuseAtCheckpoint({plans, folder}: Project, taskId: string): Promise<void> {
  const task = (await plans.read()).items.get(taskId);
  if (task?.status !== 'in_progress') return;
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {openDecision} = await import('../../machines/policies/review/decisions.ts');
  const {runs} = await createRunStore({folder: folder.runsFolder}).list(taskId);
  if (openDecision(task, runs) !== null) throw atCheckpoint(taskId);
}
