import type {TasksInProgress} from '../../machines/policies/plan/running-tasks.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {LockHolder} from '../../services/contracts/lock.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {ProjectFolder} from '../../services/stores/project-folder.ts';
import type {Project} from '../composition.ts';

/** The process whose engine works on the project now; null when a `running` record can only be a lost one. */
export async function liveEngine({lockFile}: ProjectFolder): Promise<LockHolder | null> {
  const {existsSync} = await import('node:fs');
  if (!existsSync(lockFile)) return null;
  const {createProcessLock} = await import('../../services/lock/process-lock.ts');
  return createProcessLock(lockFile).holder();
}

/** Refuses to change a task behind the back of the agent that works on it. */
export async function refuseWhileRunning({folder}: Project, taskId: string): Promise<void> {
  const engine = await liveEngine(folder);
  if (engine === null) return;
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {runs} = await createRunStore({folder: folder.runsFolder}).list(taskId);
  const latest = runs.at(-1);
  if (latest?.state !== 'running') return;
  throw new AppError('E_TASK_RUNNING', `${taskId} is being worked on by process ${engine.pid}`, {
    details: [['run', latest.run_id]],
    next: [
      {command: `blackbird logs ${shellWord(taskId)} --follow`, why: 'watch it'},
      {command: `kill -INT ${engine.pid}`, why: 'pause it, then change the task'},
    ],
  });
}

/** Who works on the project, and which tasks in progress stand still; for changes of many tasks at once. */
export async function tasksAtWork({folder}: Project, plan: Plan): Promise<TasksInProgress> {
  const engine = await liveEngine(folder);
  if (engine === null) return {pid: null, still: new Set(), reviewed: new Set()};
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {tasksInProgress} = await import('../../machines/actors/tasks-in-progress.ts');
  const runs = createRunStore({folder: folder.runsFolder});
  return tasksInProgress(runs, plan, {pid: engine.pid, mayBegin: true});
}
