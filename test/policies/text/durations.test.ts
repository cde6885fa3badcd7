import {expect, test} from 'vitest';
import {
  dayAndTime,
  timeOfDay,
  tokenWords,
  usedTokens,
} from '../../../src/machines/policies/text/durations.ts';

/** As the clock beside the screen shows it, wherever that is. */
const local = (day: number, hour: number, minute: number) =>
  new Date(2026, 0, day, hour, minute).toISOString();

test.each([
  {name: 'today', time: local(10, 18, 5), words: '18:05'},
  {name: 'on another day', time: local(9, 0, 0), words: '2026-01-09 00:00'},
])('a time $name', ({time, words}) => {
  expect(timeOfDay(time, local(10, 9, 30))).toBe(words);
});

test('a time that is read on another day has its date', () => {
  expect(dayAndTime(local(10, 18, 5))).toBe('2026-01-10 18:05');
});

test.each([
  [0, '0 tokens'],
  [1, '1 token'],
  [999, '999 tokens'],
  [1000, '1k tokens'],
])('%d is %s', (total, words) => {
  expect(tokenWords(total)).toBe(words);
  expect(usedTokens({input_tokens: total, output_tokens: 0})).toBe(words);
});
