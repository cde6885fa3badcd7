import {AppError} from '../contracts/errors.ts';
import type {ProjectLock} from '../contracts/project.ts';
import {ensureStateFolder, type ProjectFolder} from '../stores/project-folder.ts';
import {createProcessLock} from './process-lock.ts';

/** One engine per project across processes. A second one first waits briefly, then is told who holds the lock. */
export function createProjectLock(folder: ProjectFolder, {waitSeconds = 0} = {}): ProjectLock {
  let held: {release(): Promise<void>} | null = null;
  return {
    acquire: async () => {
      await ensureStateFolder(folder);
      const attempt = await createProcessLock(folder.lockFile).acquire({waitSeconds});
      if (attempt.acquired) {
        held = attempt.lock;
        return;
      }
      const {pid, since} = attempt.holder ?? {};
      const who = pid === undefined ? 'another process' : `process ${pid}`;
      throw new AppError('E_REPO_LOCKED', `${who} is already executing this plan`, {
        details: [
          ...(pid === undefined ? [] : [['pid', String(pid)] as const]),
          ...(since === undefined ? [] : [['since', since] as const]),
          ['lock', folder.lockFile],
        ],
        next: [
          {command: 'blackbird status', why: 'see what it is working on'},
          {command: 'blackbird pause', why: 'pause it'},
        ],
      });
    },
    release: async () => {
      const lockHeld = held;
      held = null;
      await lockHeld?.release();
    },
  };
}
