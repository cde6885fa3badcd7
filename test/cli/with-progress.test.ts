import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {withProgress} from '../../src/cli/terminal/with-progress.ts';

const clear = '\r\u001b[2K';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTerminal = true) {
  const written: string[] = [];
  const stderr = {isTerminal, columns: 20, hasColor: false};
  return {written, context: {stderr, writeErr: (text: string) => void written.push(text)}};
}

const lasting = (milliseconds: number) => () =>
  new Promise<string>((resolve) => setTimeout(resolve, milliseconds, 'result'));

test('a job of less than a second shows nothing', async () => {
  const {written, context} = terminal();
  const job = withProgress(context, () => '1 of 2', lasting(999));
  await vi.advanceTimersByTimeAsync(999);
  expect(await job).toBe('result');
  expect(written).toEqual([]);
});

test('a longer one shows every second how far it is, cut to the terminal, and leaves nothing behind', async () => {
  const {written, context} = terminal();
  let count = 0;
  const job = withProgress(context, () => `${++count} of a great many agents`, lasting(2_500));
  await vi.advanceTimersByTimeAsync(2_500);
  expect(await job).toBe('result');
  expect(written).toEqual([`${clear}1 of a great many …`, `${clear}2 of a great many …`, clear]);
});

test('a job that fails leaves nothing behind either', async () => {
  const {written, context} = terminal();
  const job = withProgress(
    context,
    () => 'at work',
    async () => {
      await lasting(1_500)();
      throw new Error('it failed');
    },
  );
  const failure = expect(job).rejects.toThrow('it failed');
  await vi.advanceTimersByTimeAsync(1_500);
  await failure;
  expect(written).toEqual([`${clear}at work`, clear]);
});

test('without a terminal nothing is shown', async () => {
  const {written, context} = terminal(false);
  const job = withProgress(context, () => 'at work', lasting(5_000));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await job).toBe('result');
  expect(written).toEqual([]);
});
