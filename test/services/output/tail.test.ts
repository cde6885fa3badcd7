import {expect, test} from 'vitest';
import {createTail, tailBytes} from '../../../src/services/output/tail.ts';
import fc from '../../helpers/fast-check.ts';

function tailOf(chunks: readonly (Buffer | string)[], capacity?: number) {
  const tail = createTail(capacity);
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.text();
}

test.each<{name: string; chunks: (Buffer | string)[]; text: string}>([
  {name: 'nothing', chunks: [], text: ''},
  {name: 'less than fits', chunks: ['ab', 'c'], text: 'abc'},
  {name: 'exactly what fits', chunks: ['abcd', 'efgh'], text: 'abcdefgh'},
  {name: 'one byte more', chunks: ['abcd', 'efghi'], text: 'bcdefghi'},
  {name: 'one chunk larger than fits', chunks: ['x', 'abcdefghij'], text: 'cdefghij'},
  {name: 'a character cut at the front', chunks: ['ü234567', '8'], text: '2345678'},
  {name: 'a long character cut at the front', chunks: ['😀5678', '9'], text: '56789'},
  {name: 'a character that is not complete yet', chunks: ['a', Buffer.of(0xe2, 0x9c)], text: 'a'},
  {name: 'and then is', chunks: ['a', Buffer.of(0xe2, 0x9c), Buffer.of(0x93)], text: 'a✓'},
])('$name', ({chunks, text}) => {
  expect(tailOf(chunks, 8)).toBe(text);
});

test('keeps 16 KiB', () => {
  expect(tailBytes).toBe(16_384);
  expect(tailOf(['x', 'y'.repeat(16_384)])).toBe('y'.repeat(16_384));
  expect(tailOf(['x', 'y'.repeat(16_383)])).toBe(`x${'y'.repeat(16_383)}`);
});

test('is always the end of the text, without broken characters', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({unit: 'grapheme-composite'})),
      fc.integer({min: 4, max: 40}),
      (chunks, capacity) => {
        const whole = Buffer.from(chunks.join('')).toString();
        const text = tailOf(chunks, capacity);
        expect(whole.endsWith(text)).toBe(true);
        const missing = Math.min(capacity, Buffer.byteLength(whole)) - Buffer.byteLength(text);
        expect(missing).toBeLessThanOrEqual(3);
      },
    ),
    {numRuns: 2_000},
  );
});
