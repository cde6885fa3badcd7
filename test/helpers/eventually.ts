import {vi} from 'vitest';

/**
 * Waits until the job no longer throws; its last error is the failure. Returns as soon as possible and gives
 * up only on a hang, so that a busy machine does not fail the test.
 */
export function eventually<T>(job: () => T | Promise<T>, timeout = 120_000): Promise<T> {
  return vi.waitFor(job, {timeout, interval: 10});
}
