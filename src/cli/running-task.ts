import {AppError, shellWord} from '../services/contracts/errors.ts';
import type {Project} from './composition.ts';

/** Refuses to change a task behind the back of the agent that works on it. */
export async function refuseWhileRunning({folder}: Project, taskId: string): Promise<void> {
  const {existsSync} = await import('node:fs');
  if (!existsSync(folder.lockFile)) return;
  const {createProcessLock} = await import('../services/lock/process-lock.ts');
  const holder = await createProcessLock(folder.lockFile).holder();
  if (holder === null) return;
  const {createRunStore} = await import('../services/stores/run-store.ts');
  const {runs} = await createRunStore({folder: folder.runsFolder}).list(taskId);
  const latest = runs.at(-1);
  if (latest?.state !== 'running') return;
  throw new AppError('E_TASK_RUNNING', `${taskId} is being worked on by process ${holder.pid}`, {
    details: [['run', latest.run_id]],
    next: [
      {command: `blackbird logs ${shellWord(taskId)} --follow`, why: 'watch it'},
      {command: `kill -INT ${holder.pid}`, why: 'pause it, then change the task'},
    ],
  });
}
