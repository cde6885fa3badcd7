import {expect, test} from 'vitest';
import {retryAfter, stretchOf} from '../../../src/machines/policies/simulation/quota.ts';

const noon = new Date(2026, 0, 5, 12, 0).getTime();
const at = (minute: number) => noon + minute * 60_000;

test.each([
  {name: 'before the limit', from: 0, minutes: 10, expected: {worked: 10, resetAt: null}},
  {name: 'up to it', from: 0, minutes: 60, expected: {worked: 60, resetAt: null}},
  {name: 'across it', from: 0, minutes: 100, expected: {worked: 60, resetAt: 180}},
  {name: 'inside it', from: 90, minutes: 10, expected: {worked: 0, resetAt: 180}},
  {name: 'at its end', from: 180, minutes: 10, expected: {worked: 10, resetAt: null}},
  {
    name: 'up to the limit of the next day',
    from: 180,
    minutes: 24 * 60,
    expected: {worked: 22 * 60, resetAt: 27 * 60},
  },
])('work $name', ({from, minutes, expected}) => {
  const {milliseconds, resetAt} = stretchOf(at(from), minutes * 60_000, {fromMinute: 13 * 60, minutes: 120});
  expect({worked: milliseconds / 60_000, resetAt}).toEqual({
    ...expected,
    resetAt: expected.resetAt === null ? null : at(expected.resetAt),
  });
});

test('a limit that extends past midnight', () => {
  const limit = {fromMinute: 23 * 60, minutes: 120};
  expect(stretchOf(at(12 * 60 + 30), 60_000, limit)).toEqual({milliseconds: 0, resetAt: at(13 * 60)});
});

test('a job retries shortly after the limit, as always', () => {
  expect(retryAfter(at(120), at(0))).toBe(at(121));
});
