import {vi} from 'vitest';

/**
 * Waits until the job no longer throws; what it threw last is the failure. It ends as soon as it can and gives up
 * only on a hang, so that a busy machine is no failure.
 */
export function eventually<T>(job: () => T | Promise<T>, timeout = 120_000): Promise<T> {
  return vi.waitFor(job, {timeout, interval: 10});
}
