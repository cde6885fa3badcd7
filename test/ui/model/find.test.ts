import {expect, test} from 'vitest';
import type {Line} from '../../../src/ui/components/lines.tsx';
import {findIn, highlighted} from '../../../src/ui/model/find.ts';

const contentOf = (lines: readonly string[], copies = 1) => ({
  head: [],
  length: lines.length,
  slice: (from: number, to: number): Line[] =>
    lines.slice(from, to).flatMap((text) => Array.from({length: copies}, () => [{text}])),
});

test.each([
  {from: 0, step: 1, found: 1},
  {from: 1, step: 1, found: 1},
  {from: 2, step: 1, found: 4},
  {from: 5, step: 1, found: 1},
  {from: 3, step: -1, found: 1},
  {from: 0, step: -1, found: 4},
] as const)('from $from by $step the match is $found', ({from, step, found}) => {
  const lines = ['a', 'A match', 'b', 'c', 'match', 'd'];
  expect(findIn(contentOf(lines), 'MATCH', from, step)).toBe(found);
  // Wrapping gives more lines than positions.
  expect(findIn(contentOf(lines, 2), 'MATCH', from, step)).toBe(found);
});

test('without matches, or without text, nothing is found', () => {
  expect(findIn(contentOf(['a', 'b']), 'x', 0, 1)).toBe(null);
  expect(findIn(contentOf([]), 'x', 0, 1)).toBe(null);
});

test('a match far down is found without computing every line twice', () => {
  let made = 0;
  const length = 100_000;
  const slice = (from: number, to: number) => {
    made += to - from;
    return Array.from(
      {length: to - from},
      (_, index): Line => [{text: from + index === 99_000 ? 'here' : ''}],
    );
  };
  expect(findIn({head: [], length, slice}, 'here', 0, 1)).toBe(99_000);
  expect(made).toBeLessThan(length + 200);
});

test('matches are inverse, whatever their case, and the rest keeps its style', () => {
  expect(highlighted([[{text: 'Use cents, not CENTS', dim: true}], [{text: 'other'}]], 'cents')).toEqual([
    [
      {text: 'Use ', dim: true},
      {text: 'cents', dim: true, inverse: true},
      {text: ', not ', dim: true},
      {text: 'CENTS', dim: true, inverse: true},
      {text: '', dim: true},
    ],
    [{text: 'other'}],
  ]);
});
