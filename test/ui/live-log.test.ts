import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {createLiveLog} from '../../src/ui/live-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('keeps the last lines and counts the others', () => {
  const log = createLiveLog<number>({capacity: 3});
  for (const line of [1, 2, 3]) log.push(line);
  expect([log.slice(0, 3), log.length, log.dropped]).toEqual([[1, 2, 3], 3, 0]);
  log.push(4);
  expect([log.slice(0, 3), log.length, log.dropped]).toEqual([[2, 3, 4], 3, 1]);
  expect([log.slice(-5, 1), log.slice(2, 9), log.slice(5, 9)]).toEqual([[2], [4], []]);
});

test('notifies once per interval for any number of lines, and not at all without any', () => {
  const log = createLiveLog<number>({interval: 100});
  const told = vi.fn();
  log.version.subscribe(told);
  for (let line = 0; line < 20_000; line++) log.push(line);
  vi.advanceTimersByTime(99);
  expect(told).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(1);
  expect(told).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  expect(told).toHaveBeenCalledTimes(1);
  log.push(1);
  vi.advanceTimersByTime(100);
  expect(told).toHaveBeenCalledTimes(2);
});
