import {expect, test} from 'vitest';
import {
  cutEnd,
  cutMiddle,
  cutStart,
  cutWords,
  dropColumns,
  justify,
  padEnd,
} from '../../../src/ui/text/fit.ts';
import {textWidth} from '../../../src/ui/text/graphemes.ts';
import {wrapped} from '../../../src/ui/text/wrap.ts';
import fc from '../../helpers/fast-check.ts';

test.each([
  {made: cutEnd('abc', 3), text: 'abc'},
  {made: cutEnd('abcd', 3), text: 'ab…'},
  {made: cutEnd('日本語', 5), text: '日本…'},
  {made: cutEnd('日本語', 4), text: '日…'},
  {made: cutEnd('abc', 0), text: ''},
  {made: cutMiddle('refund-endpoint-1', 17), text: 'refund-endpoint-1'},
  {made: cutMiddle('refund-endpoint-1', 9), text: 'refun…t-1'},
  {made: cutMiddle('refund-endpoint-1', 10), text: 'refun…nt-1'},
  {made: cutMiddle('refund', 2), text: 'r…'},
  {made: cutMiddle('語語語語', 6), text: '語…語'},
  {made: cutWords('an endpoint for refunds', 23), text: 'an endpoint for refunds'},
  {made: cutWords('an endpoint for refunds', 22), text: 'an endpoint for…'},
  {made: cutWords('an endpoint for refunds', 16), text: 'an endpoint for…'},
  {made: cutWords('an endpoint for refunds', 8), text: 'an endp…'},
  {made: cutStart('src/a/b.ts', 10), text: 'src/a/b.ts'},
  {made: cutStart('src/a/b.ts', 6), text: '…/b.ts'},
  {made: cutStart('語語語', 4), text: '…語'},
  {made: dropColumns('abcdef', 2), text: 'cdef'},
  {made: dropColumns('日本', 1), text: '本'},
  {made: padEnd('日', 4), text: '日  '},
  {made: justify('left', 'right', 16), text: 'left       right'},
  {made: justify('a long left side', 'right', 16), text: 'a long l…  right'},
  {made: justify('left', 'a long right', 16), text: 'left  a long ri…'},
])('$text', ({made, text}) => {
  expect(made).toBe(text);
});

test('cut text fits', () => {
  fc.assert(
    fc.property(fc.string({unit: 'grapheme'}), fc.nat(30), (text, columns) => {
      for (const cut of [cutEnd(text, columns), cutStart(text, columns)]) {
        expect(textWidth(cut)).toBeLessThanOrEqual(Math.max(columns, 0));
      }
    }),
  );
});

test('text is wrapped after spaces, long words where they must be, and is safe', () => {
  expect(wrapped('one two three\n\nabcdefghijkl\x1b[2J\n', 8)).toEqual([
    'one two',
    'three',
    '',
    'abcdefgh',
    'ijkl',
  ]);
});
