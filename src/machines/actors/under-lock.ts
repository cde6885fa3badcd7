import type {ProjectLock} from '../../services/contracts/project.ts';

/** For short work that is not a job and must not overlap with one. */
export async function underLock<T>(lock: ProjectLock, work: () => Promise<T>): Promise<T> {
  await lock.acquire();
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
