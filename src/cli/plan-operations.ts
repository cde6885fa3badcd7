import {requireTask} from '../machines/policies/plan-graph.ts';
import {setStatus} from '../machines/policies/plan-status.ts';
import {retryObstacle} from '../machines/policies/retry-check.ts';
import type {Plan, TaskStatus} from '../services/contracts/plan.ts';
import type {Project} from './composition.ts';
import {liveEngine, refuseWhileRunning} from './running-task.ts';

// What the commands and the terminal UI do to a plan in the same way, with the same refusals.

type Change = {readonly before: Plan; readonly after: Plan};

/** Makes a failed, blocked or lost task ready again. */
export async function retryTask({plans, folder}: Project, taskId: string, now: string): Promise<Change> {
  const task = requireTask(await plans.read(), taskId);
  const {createRunStore} = await import('../services/stores/run-store.ts');
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
  return project.plans.update((plan) => setStatus(plan, taskId, status, now));
}
