import {fromPromise} from 'xstate';
import type {ProjectLock} from '../../services/contracts/project.ts';
import type {Services} from '../../services/contracts/services.ts';

export const defineAcquireLockActor = (lock: ProjectLock) => fromPromise<void, void>(() => lock.acquire());

/** Whatever the job still had to write is on disk before another one may begin. */
export const defineReleaseLockActor = ({lock, plans}: Pick<Services, 'lock' | 'plans'>) =>
  fromPromise<void, void>(async () => {
    try {
      await plans.flush();
    } finally {
      await lock.release();
    }
  });
