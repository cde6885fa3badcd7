import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import type {LockAttempt, ProcessLock} from '../../../src/services/contracts/lock.ts';
import {createLingeringLock} from '../../../src/services/lock/lingering-lock.ts';

beforeEach(() => {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance']});
});
afterEach(() => {
  vi.useRealTimers();
});

/** A lock that logs its calls; `deny` makes the next attempt fail. */
function openLock({deny = false, failRelease = false} = {}) {
  const diary: string[] = [];
  const lock: ProcessLock = {
    acquire: async ({waitSeconds}): Promise<LockAttempt> => {
      diary.push(`acquire ${waitSeconds}`);
      if (deny) return {acquired: false, holder: null};
      const release = async () => {
        diary.push('release');
        if (failRelease) throw new Error('cannot release');
      };
      return {acquired: true, lock: {release}};
    },
    holder: async () => null,
  };
  const underLock = createLingeringLock(async () => lock);
  const job = <T>(name: string, work: () => Promise<T> | T): Promise<T> =>
    underLock(
      20,
      () => new Error('denied'),
      async () => {
        diary.push(name);
        return work();
      },
    );
  return {diary, job};
}

describe('a series of jobs', () => {
  test('takes the lock once and releases it when nothing follows for 100 ms', async () => {
    const {diary, job} = openLock();
    await job('a', () => 1);
    await vi.advanceTimersByTimeAsync(99);
    await job('b', () => 2);
    await vi.advanceTimersByTimeAsync(99);
    expect(diary).toEqual(['acquire 20', 'a', 'b']);
    await vi.advanceTimersByTimeAsync(1);
    expect(diary).toEqual(['acquire 20', 'a', 'b', 'release']);
    await job('c', () => 3);
    expect(diary).toEqual(['acquire 20', 'a', 'b', 'release', 'acquire 20', 'c']);
  });

  test('that does not end still releases the lock after a second', async () => {
    const {diary, job} = openLock();
    for (let turn = 0; turn < 26; turn++) {
      await job('job', () => turn);
      await vi.advanceTimersByTimeAsync(40);
    }
    expect(diary.indexOf('release')).toBe(27);
    expect(diary.filter((entry) => entry === 'job').length).toBe(26);
  });

  test('runs one after another, in order of arrival, and gives each its result', async () => {
    const {diary, job} = openLock();
    let running = 0;
    const work = (name: string) => async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      running--;
      return name;
    };
    expect(await Promise.all(['a', 'b', 'c'].map((name) => job(name, work(name))))).toEqual(['a', 'b', 'c']);
    expect(diary).toEqual(['acquire 20', 'a', 'b', 'c']);
  });

  test('continues after a job that failed, and the lock is released', async () => {
    const {diary, job} = openLock();
    const failed = job('a', () => Promise.reject(new Error('a bug')));
    const next = job('b', () => 'fine');
    await expect(failed).rejects.toThrow('a bug');
    expect(await next).toBe('fine');
    await vi.advanceTimersByTimeAsync(100);
    expect(diary).toEqual(['acquire 20', 'a', 'b', 'release']);
  });

  test('is denied: the job does not run, and the next one tries again', async () => {
    const {diary, job} = openLock({deny: true});
    await expect(job('a', () => 1)).rejects.toThrow('denied');
    await expect(job('b', () => 2)).rejects.toThrow('denied');
    expect(diary).toEqual(['acquire 20', 'acquire 20']);
  });

  test('succeeds although the lock cannot be released', async () => {
    const {diary, job} = openLock({failRelease: true});
    expect(await job('a', () => 'done')).toBe('done');
    await vi.advanceTimersByTimeAsync(100);
    expect(await job('b', () => 'done')).toBe('done');
    expect(diary).toEqual(['acquire 20', 'a', 'release', 'acquire 20', 'b']);
  });
});
