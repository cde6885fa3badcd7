import type {ProjectLock} from '../../services/contracts/project.ts';

/** Does something that is no job and must not meet one: nothing begins meanwhile. */
export async function underLock<T>(lock: ProjectLock, work: () => Promise<T>): Promise<T> {
  await lock.acquire();
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
