import {expect, test} from 'vitest';
import {amountText} from '../../../src/machines/policies/run/budget.ts';
import {silencePause} from '../../../src/machines/policies/run/silence.ts';

test.each([
  [1, '1 token'],
  [2, '2 tokens'],
  [2000, '2k tokens'],
])('a budget of %d is %s', (limit, words) => {
  const overrun = {whose: 'job', setting: 'execution.maxTokens', what: 'tokens', spent: 0, limit} as const;
  expect(amountText(overrun)).toBe(`0 tokens of ${words}`);
});

test.each([
  [1, '1 minute'],
  [15, '15 minutes'],
])('a silence of %d is one of %s', (count, words) => {
  const milliseconds = count * 60_000;
  expect(JSON.stringify(silencePause({milliseconds, isRetrying: false}, milliseconds))).toContain(
    `the agent printed nothing for ${words}"`,
  );
});
