import {AppError} from '../contracts/errors.ts';
import type {LockAttempt, ProcessLock} from '../contracts/lock.ts';
import type {RepoLock} from '../contracts/session.ts';
import type {AgencyFiles} from './data-folder.ts';

/**
 * Long enough for a faster process to finish, so that both get the session they want; short enough not to
 * look stuck.
 */
const waitSeconds = 5;

export function createRepoLock(files: AgencyFiles, lockOf: (file: string) => Promise<ProcessLock>): RepoLock {
  let held: {release(): Promise<void>} | null = null;
  return {
    acquire: async (repoId) => {
      const file = files.lock(repoId);
      const attempt = await (await lockOf(file)).acquire({waitSeconds});
      if (!attempt.acquired) throw locked(repoId, file, attempt);
      held = attempt.lock;
    },
    release: async () => {
      const lock = held;
      held = null;
      await lock?.release();
    },
  };
}

function locked(repoId: string, file: string, {holder}: LockAttempt & {acquired: false}): AppError {
  const who = holder ? ` by pid ${holder.pid} since ${holder.since}` : '';
  return new AppError('E_REPO_LOCKED', `repo ${repoId} is locked${who} (lock file: ${file})`);
}
