import type {TasksInProgress} from '../../machines/policies/plan/running-tasks.ts';
import type {LockHolder} from '../../services/contracts/lock.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {ProjectFolder} from '../../services/stores/project-folder.ts';
import type {Project} from '../composition.ts';

/** The process whose engine works on the project; null if a `running` record can only be a lost one. */
export async function liveEngine({lockFile}: ProjectFolder): Promise<LockHolder | null> {
  const {existsSync} = await import('node:fs');
  if (!existsSync(lockFile)) return null;
  const {createProcessLock} = await import('../../services/lock/process-lock.ts');
  return createProcessLock(lockFile).holder();
}

/** Who works on the project, and which tasks in progress are idle; read before the plan is locked. */
export async function tasksAtWork({folder, plans}: Project, plan?: Plan): Promise<TasksInProgress> {
  const engine = await liveEngine(folder);
  if (engine === null) return {pid: null, still: new Set(), reviewed: new Set()};
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {tasksInProgress} = await import('../../machines/actors/tasks-in-progress.ts');
  const runs = createRunStore({folder: folder.runsFolder});
  return tasksInProgress(runs, plan ?? (await plans.read()), {pid: engine.pid, mayBegin: true});
}
