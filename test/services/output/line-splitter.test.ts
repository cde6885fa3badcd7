import {describe, expect, test} from 'vitest';
import {createLineSplitter, maxLineBytes} from '../../../src/services/output/line-splitter.ts';
import fc from '../../helpers/fast-check.ts';

function split(chunks: readonly (Buffer | string)[], maxBytes = maxLineBytes) {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), {maxBytes});
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return {lines, dropped: splitter.dropped};
}

describe('lines', () => {
  test.each<{name: string; chunks: (Buffer | string)[]; lines: string[]}>([
    {name: 'nothing', chunks: [], lines: []},
    {name: 'an empty chunk', chunks: [''], lines: []},
    {name: 'one line', chunks: ['a\n'], lines: ['a']},
    {name: 'a last line without a line ending', chunks: ['a\nb'], lines: ['a', 'b']},
    {name: 'empty lines', chunks: ['\n\na\n\n'], lines: ['', '', 'a', '']},
    {name: 'CRLF', chunks: ['a\r\nb\r\n'], lines: ['a', 'b']},
    {name: 'CRLF split in two', chunks: ['a\r', '\nb'], lines: ['a', 'b']},
    {name: 'a lone CR inside a line', chunks: ['a\rb\n'], lines: ['a\rb']},
    {name: 'only one CR belongs to the line ending', chunks: ['a\r\r\n'], lines: ['a\r']},
    {name: 'a CR at the very end', chunks: ['a\r'], lines: ['a']},
    {name: 'a line in many chunks', chunks: ['a', 'b', '', 'c', '\nd'], lines: ['abc', 'd']},
    {name: 'a character split in two', chunks: [Buffer.of(0xc3), Buffer.of(0xbc, 0x0a)], lines: ['ü']},
    {
      name: 'invalid UTF-8',
      chunks: [Buffer.of(0x61, 0xff, 0xc3, 0x0a, 0x62, 0x0a)],
      lines: ['a\ufffd\ufffd', 'b'],
    },
    {name: 'NUL', chunks: ['a\0b\n'], lines: ['a\0b']},
    {
      name: 'a Unicode line separator is not a line ending',
      chunks: ['a\u2028b\u0085c\n'],
      lines: ['a\u2028b\u0085c'],
    },
  ])('$name', ({chunks, lines}) => {
    expect(split(chunks)).toEqual({lines, dropped: 0});
  });

  test('do not depend on how the bytes arrive', () => {
    const bytes = fc.array(fc.constantFrom(0x0a, 0x0d, 0x61, 0x62, 0xc3, 0xbc, 0xff, 0x00), {maxLength: 60});
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(60), {maxLength: 10}),
        fc.integer({min: 1, max: 12}),
        (all, cuts, limit) => {
          const whole = Buffer.from(all);
          const edges = [
            0,
            ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b),
            all.length,
          ];
          const chunks = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
          expect(split(chunks, limit)).toEqual(split([whole], limit));
        },
      ),
      {numRuns: 5_000},
    );
  });

  test('are those of the text when nothing is too long', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({unit: 'grapheme'}).map((line) => line.replaceAll(/[\r\n]/g, '_'))),
        (lines) => {
          expect(split(lines.map((line) => `${line}\n`)).lines).toEqual(
            lines.map((line) => Buffer.from(line).toString()),
          );
        },
      ),
      {numRuns: 1_000},
    );
  });
});

test('lines are kept back while held, the last one too, and come in order', () => {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => {
    lines.push(line);
    if (line.startsWith('hold')) splitter.hold();
  });
  splitter.push(Buffer.from('a\nhold 1\nb\nhold 2\nc\nd'));
  expect(lines).toEqual(['a', 'hold 1']);
  splitter.push(Buffer.from('\ne'));
  splitter.end();
  expect(lines).toEqual(['a', 'hold 1']);
  splitter.readOn();
  expect(lines).toEqual(['a', 'hold 1', 'b', 'hold 2']);
  splitter.readOn();
  expect(lines).toEqual(['a', 'hold 1', 'b', 'hold 2', 'c', 'd', 'e']);
});

describe('too long', () => {
  test.each([
    {name: 'at the limit', chunks: ['1234\nnext\n'], lines: ['1234', 'next'], dropped: 0},
    {name: 'over the limit', chunks: ['12345\nnext\n'], lines: ['next'], dropped: 1},
    {name: 'over the limit in pieces', chunks: ['12', '34', '5', '6\nnext\n'], lines: ['next'], dropped: 1},
    {name: 'at the limit in pieces', chunks: ['12', '34', '\nnext\n'], lines: ['1234', 'next'], dropped: 0},
    {name: 'the last line', chunks: ['a\n12345'], lines: ['a'], dropped: 1},
    {name: 'two in a row', chunks: ['12345\n123456\na'], lines: ['a'], dropped: 2},
  ])('$name', ({chunks, lines, dropped}) => {
    expect(split(chunks, 4)).toEqual({lines, dropped});
  });

  test('the limit is 1 MiB', () => {
    const line = 'x'.repeat(1024 * 1024);
    expect(split([line, '\n', `${line}x\n`])).toEqual({lines: [line], dropped: 1});
  });

  test('a gigabyte without a line ending is not buffered', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const splitter = createLineSplitter(() => expect.unreachable());
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < 1024 ** 3; sent += chunk.length) splitter.push(chunk);
    splitter.end();
    expect(splitter.dropped).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });
});
