import {expect, test} from 'vitest';
import {
  dayAndTime,
  dollars,
  nearTime,
  timeOfDay,
  tokenWords,
  usedTokens,
} from '../../../src/machines/policies/text/durations.ts';

/** In local time, whatever the time zone. */
const local = (day: number, hour: number, minute: number) =>
  new Date(2026, 0, day, hour, minute).toISOString();

test.each([
  {name: 'today', time: local(10, 18, 5), words: '18:05'},
  {name: 'on another day', time: local(9, 0, 0), words: '2026-01-09 00:00'},
])('a time $name', ({time, words}) => {
  expect(timeOfDay(time, local(10, 9, 30))).toBe(words);
});

test.each([
  {name: 'near', time: local(10, 9, 39), words: '09:39:00'},
  {name: 'just past', time: local(10, 9, 29), words: '09:29:00'},
  {name: 'later today', time: local(10, 9, 40), words: '09:40'},
  {name: 'tomorrow', time: local(11, 9, 40), words: '2026-01-11 09:40'},
])('a time to wait for that is $name', ({time, words}) => {
  expect(nearTime(time, local(10, 9, 30))).toBe(words);
});

test('a time shown on another day has its date', () => {
  expect(dayAndTime(local(10, 18, 5))).toBe('2026-01-10 18:05');
});

test.each([
  [0, '0 tokens'],
  [1, '1 token'],
  [999, '999 tokens'],
  [1000, '1k tokens'],
  [1560, '1.6k tokens'],
  [9949, '9.9k tokens'],
  [9950, '10k tokens'],
  [18_400, '18k tokens'],
])('%d is %s', (total, words) => {
  expect(tokenWords(total)).toBe(words);
  expect(usedTokens({input_tokens: total, output_tokens: 0})).toBe(words);
});

test.each([
  [0, '$0.00'],
  [0.003, '<$0.01'],
  [0.005, '$0.01'],
  [12.345, '$12.35'],
])('%d dollars', (cost, words) => {
  expect(dollars(cost)).toBe(words);
});
