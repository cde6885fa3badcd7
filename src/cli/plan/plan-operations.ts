import {existsSync, readdirSync} from 'node:fs';
import {resolveConfig, settingOf} from '../../machines/policies/config-resolution.ts';
import {requireSeen, type SeenTask} from '../../machines/policies/plan/plan-conflict.ts';
import {setStatus} from '../../machines/policies/plan/plan-status.ts';
import {refuseTaking} from '../../machines/policies/plan/running-tasks.ts';
import {leaveForReview} from '../../machines/policies/review/parent-review.ts';
import type {Plan, Task, TaskStatus} from '../../services/contracts/plan.ts';
import {ensureStateFolder} from '../../services/stores/project-folder.ts';
import type {Project} from '../composition.ts';
import {tasksAtWork} from '../job/running-task.ts';

// Plan changes shared by the commands and the TUI, with the same refusals.

type Change = {readonly before: Plan; readonly after: Plan};

/** Makes a failed, blocked or lost task ready again. */
export async function retryTask(project: Project, taskId: string, now: string): Promise<Change> {
  await requireOf(project, taskId, 'retry');
  return changePlan(project, (plan) => setStatus(plan, taskId, 'todo', now));
}

/** Sets a status by hand, but never behind an agent's back. */
export async function setTaskStatus(
  project: Project,
  taskId: string,
  status: TaskStatus,
  now: string,
  seen: readonly SeenTask[] = [],
): Promise<Change> {
  await requireOf(project, taskId, 'setStatus');
  const change = (plan: Plan) => {
    requireSeen(plan, seen);
    return setStatus(plan, taskId, status, now);
  };
  return changeByHand(project, change, taskId);
}

/** Any change by the user: refused if it takes a task away from the agent that works on it. */
export async function changePlan(project: Project, change: (plan: Plan) => Plan): Promise<Change> {
  const inProgress = await tasksAtWork(project);
  return project.plans.update((plan) => {
    const changed = change(plan);
    refuseTaking(plan, changed, inProgress);
    return changed;
  });
}

/**
 * The same. Parents it completes are left for a review if an agent has worked below them; `named` is the task
 * whose status the user sets explicitly.
 */
export async function changeByHand(
  project: Project,
  change: (plan: Plan) => Plan,
  named?: string,
): Promise<Change> {
  const {folder, config} = project;
  const isReviewed = settingOf(resolveConfig(await config.layers()), 'execution.parentReviewEnabled');
  const {taskFolderName} = await import('../../services/stores/task-folder.ts');
  let worked: ReadonlySet<string> | undefined;
  const hasRuns = (id: string) => {
    worked ??= new Set(existsSync(folder.runsFolder) ? readdirSync(folder.runsFolder) : []);
    return worked.has(taskFolderName(id));
  };
  return changePlan(project, (plan) => {
    const changed = change(plan);
    return isReviewed && changed !== plan
      ? leaveForReview(plan, changed, {hasRuns, ...(named === undefined ? {} : {named})})
      : changed;
  });
}

/** Asks the run chart; a manual status would let the plan continue without the decision it waits for. */
async function requireOf(project: Project, taskId: string, command: 'retry' | 'setStatus'): Promise<void> {
  // A missing state folder is reported before anything is written.
  await ensureStateFolder(project.folder);
  const plan = await project.plans.read();
  // The plan itself reports an unknown task.
  if (!plan.items.has(taskId) && command === 'setStatus') return;
  const {requirePossible} = await import('../../machines/policies/run/run-refusals.ts');
  const {taskFacts} = await import('./read-task-facts.ts');
  const facts = await taskFacts(project, plan, taskId);
  if (facts.unreadable !== undefined) await requireReadable(project, facts.task);
  requirePossible(facts, command);
}

/** Refused like an execution, with the same way out: it is unknown whether the task waits for a decision. */
async function requireReadable({folder}: Project, task: Task): Promise<void> {
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {readableRuns} = await import('../../machines/actors/readable-runs.ts');
  await readableRuns({runs: createRunStore({folder: folder.runsFolder})}, task.id, task);
}
