import type {LockAttempt, ProcessLock} from '../contracts/lock.ts';

/** Kept this long after a job in case another follows. */
const lingerMilliseconds = 100;
/** Released by then at the latest, so that other processes get a turn. */
const longestHoldMilliseconds = 1_000;

/**
 * A lock that is kept between jobs: taking it from the kernel costs a process, and a running plan is written
 * between quick tasks. The jobs of one process run one after another.
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
    // The job is done; a lock that cannot be released ends with this process.
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

  /** Runs a job under the lock; `onDenied` makes the error if someone else holds it for the whole wait. */
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
