import {AppError} from '../contracts/errors.ts';
import type {ProcessLock} from '../contracts/lock.ts';
import type {ProjectLock} from '../contracts/project.ts';

/** One engine per project across processes. Whoever comes second is told who was first. */
export function createProjectLock(file: string, lock: () => Promise<ProcessLock>): ProjectLock {
  let held: {release(): Promise<void>} | null = null;
  return {
    acquire: async () => {
      const attempt = await (await lock()).acquire({waitSeconds: 0});
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
          ['lock', file],
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
