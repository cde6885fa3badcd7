import {expect, onTestFinished, test, vi} from 'vitest';
import {listenToSignals} from '../../src/cli/terminal/signals.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP', 'SIGCONT'] as const;
const counts = () => signals.map((signal) => process.listenerCount(signal));

test('signals that mean stop pause, Ctrl+Z suspends the agent before Blackbird, and nothing is left', () => {
  const calls: unknown[] = [];
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(process, 'kill').mockImplementation((...args) => {
    calls.push(args);
    return true;
  });
  const before = counts();
  const release = listenToSignals({
    pause: (reason) => void calls.push(reason),
    suspend: () => void calls.push('suspend'),
    wake: () => void calls.push('wake'),
  });
  for (const signal of signals) process.emit(signal);
  expect(calls).toEqual([
    ...['user_interrupt', 'terminated', 'terminated'],
    ...['suspend', [process.pid, 'SIGSTOP'], 'wake'],
  ]);
  release();
  expect(counts()).toEqual(before);
});
