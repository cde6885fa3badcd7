import type {LockAttempt, ProcessLock} from '../contracts/lock.ts';

/** Kept this long after a job, in case another follows at once. */
const lingerMilliseconds = 100;
/** Released at the latest then, so that other processes have their turn. */
const longestHoldMilliseconds = 1_000;

/**
 * A lock that lingers between jobs: taking it from the kernel costs a process, and an executing plan writes
 * between two quick tasks. Jobs of one process run one after another.
 */
export function createLingeringLock(lock: () => Promise<ProcessLock>) {
  let held: {release(): Promise<void>; since: number} | null = null;
  let idle: NodeJS.Timeout | null = null;
  let tail: Promise<unknown> = Promise.resolve();

  const acquire = async (waitSeconds: number): Promise<LockAttempt | null> => {
    if (idle) clearTimeout(idle);
    idle = null;
    if (held) return null;
    const attempt = await (await lock()).acquire({waitSeconds});
    if (attempt.acquired) held = {release: attempt.lock.release, since: performance.now()};
    return attempt;
  };
  const release = async () => {
    const current = held;
    held = null;
    // The job is done; a lock that cannot be given back ends with this process at the latest.
    await current?.release().catch(() => {});
  };
  const rest = async () => {
    if (!held) return;
    if (performance.now() - held.since >= longestHoldMilliseconds) return release();
    idle = setTimeout(() => {
      tail = tail.then(release, release);
    }, lingerMilliseconds);
    idle.unref();
  };

  /** Runs a job under the lock; `onDenied` makes the error when somebody else holds it all the time. */
  return <T>(
    waitSeconds: number,
    onDenied: (attempt: LockAttempt) => Error,
    job: () => Promise<T>,
  ): Promise<T> => {
    const run = async () => {
      const attempt = await acquire(waitSeconds);
      if (attempt && !attempt.acquired) throw onDenied(attempt);
      try {
        return await job();
      } finally {
        await rest();
      }
    };
    const result = tail.then(run, run);
    tail = result.catch(() => {});
    return result;
  };
}
