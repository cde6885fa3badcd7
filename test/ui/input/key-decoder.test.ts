import {describe, expect, test} from 'vitest';
import {createKeyDecoder} from '../../../src/ui/input/key-decoder.ts';
import type {KeyPress} from '../../../src/ui/input/key-press.ts';
import fc from '../../helpers/fast-check.ts';

const decoded = (...chunks: readonly string[]): KeyPress[] => {
  const decoder = createKeyDecoder();
  return chunks.flatMap((chunk) => decoder.push(chunk));
};
const text = (char: string): KeyPress => ({name: char === ' ' ? 'space' : char, text: char});

test.each<{sent: string; keys: KeyPress[]}>([
  {sent: 'a', keys: [text('a')]},
  {sent: 'G', keys: [text('G')]},
  {sent: ' ', keys: [text(' ')]},
  {sent: 'é', keys: [text('é')]},
  {sent: 'e\u0301', keys: [text('e\u0301')]},
  {sent: '👩‍👩‍👧', keys: [text('👩‍👩‍👧')]},
  {sent: 'jj', keys: [text('j'), text('j')]},
  {sent: 'j\r', keys: [text('j'), {name: 'enter'}]},
  {sent: '\r', keys: [{name: 'enter'}]},
  {sent: '\n', keys: [{name: 'enter'}]},
  {sent: '\t', keys: [{name: 'tab'}]},
  {sent: '\x7f', keys: [{name: 'backspace'}]},
  {sent: '\b', keys: [{name: 'backspace'}]},
  {sent: '\x03', keys: [{name: 'ctrl+c'}]},
  {sent: '\x13', keys: [{name: 'ctrl+s'}]},
  {sent: '\x1a', keys: [{name: 'ctrl+z'}]},
  {sent: '\x1f', keys: [{name: 'ctrl+_'}]},
  {sent: '\x00', keys: [{name: 'ctrl+space'}]},
  {sent: '\x1b[A', keys: [{name: 'up'}]},
  {sent: '\x1bOA', keys: [{name: 'up'}]},
  {sent: '\x1b[B\x1b[B\r', keys: [{name: 'down'}, {name: 'down'}, {name: 'enter'}]},
  {sent: '\x1b[1;5D', keys: [{name: 'ctrl+left'}]},
  {sent: '\x1b[1;3C', keys: [{name: 'alt+right'}]},
  {sent: '\x1b\x1b[D', keys: [{name: 'alt+left'}]},
  {sent: '\x1b[1;2A', keys: [{name: 'shift+up'}]},
  {sent: '\x1b[Z', keys: [{name: 'shift+tab'}]},
  {sent: '\x1b[H', keys: [{name: 'home'}]},
  {sent: '\x1b[4~', keys: [{name: 'end'}]},
  {sent: '\x1b[3~', keys: [{name: 'delete'}]},
  {sent: '\x1b[3;5~', keys: [{name: 'ctrl+delete'}]},
  {sent: '\x1b[5~\x1b[6~', keys: [{name: 'pageup'}, {name: 'pagedown'}]},
  {sent: '\x1bb', keys: [{name: 'alt+b'}]},
  {sent: '\x1b\x7f', keys: [{name: 'alt+backspace'}]},
  {sent: '\x1b\r', keys: [{name: 'alt+enter'}]},
  {sent: '\x1b[13;5u', keys: [{name: 'ctrl+enter'}]},
  {sent: '\x1b[27;5;13~', keys: [{name: 'ctrl+enter'}]},
  {sent: '\x1b[97u', keys: [text('a')]},
  {sent: '\x1b[<64;12;5M', keys: [{name: 'wheelup', at: {column: 12, row: 5}}]},
  {sent: '\x1b[<65;200;60M', keys: [{name: 'wheeldown', at: {column: 200, row: 60}}]},
  {sent: '\x1b[<0;1;2M', keys: [{name: 'click', at: {column: 1, row: 2}}]},
  // Releases, other buttons, and the old form followed by its three characters.
  {sent: '\x1b[<0;1;2m\x1b[<2;1;2M', keys: []},
  {sent: '\x1b[M !!j', keys: [text('j')]},
  // Focus reports and the like are not keys.
  {sent: '\x1b[I\x1b[O\x1b[?1;2c', keys: []},
  {sent: '\x1b[200~two\rlines\x1b[201~', keys: [{name: 'paste', text: 'two\rlines'}]},
  {sent: '\x1b[200~\x1b[201~x', keys: [{name: 'paste', text: ''}, text('x')]},
  {
    sent: '\x1b[200~with \x1b[31mcolour\x03\x1b[201~\r',
    keys: [{name: 'paste', text: 'with \x1b[31mcolour\x03'}, {name: 'enter'}],
  },
])('$sent', ({sent, keys}) => {
  expect(decoded(sent)).toEqual(keys);
});

describe('many characters at once', () => {
  test('up to eight are typed', () => {
    expect(decoded('12345678').map(({name}) => name)).toEqual([...'12345678']);
  });
  test('nine are a paste that no list takes for keys', () => {
    expect(decoded('1234567\r9')).toEqual([{name: 'paste', text: '1234567\r9'}]);
  });
  test('a key that is held down is not a paste', () => {
    expect(decoded('jjjjjjjjjjjj')).toHaveLength(12);
  });
  test('Ctrl+C counts anywhere', () => {
    expect(decoded('a long line of text\x03').at(-1)).toEqual({name: 'ctrl+c'});
  });
});

describe('an incomplete sequence', () => {
  const lone = (sent: string) => {
    const decoder = createKeyDecoder();
    const keys = decoder.push(sent);
    return {keys, wait: decoder.waitMs(), flushed: decoder.flush(), after: decoder.waitMs()};
  };
  test.each<{sent: string; flushed: KeyPress[]}>([
    {sent: '\x1b', flushed: [{name: 'escape'}]},
    {sent: '\x1b\x1b', flushed: [{name: 'escape'}, {name: 'escape'}]},
    {sent: '\x1b[', flushed: [{name: 'alt+['}]},
    {sent: '\x1bO', flushed: [{name: 'alt+O'}]},
    {sent: '\x1b[1;5', flushed: []},
  ])('$sent ends when nothing follows', ({sent, flushed}) => {
    expect(lone(sent)).toEqual({keys: [], wait: 40, flushed, after: null});
  });
  test('a paste without an end releases the keyboard', () => {
    expect(lone('\x1b[200~half')).toEqual({
      keys: [],
      wait: 1000,
      after: null,
      flushed: [{name: 'paste', text: 'half'}],
    });
  });
  test('nothing, after a complete key', () => {
    expect(lone('a').wait).toBe(null);
  });
});

test('keys are the same however a slow line splits them', () => {
  const sequence = fc.constantFrom(
    '\x1b[A',
    '\x1bOB',
    '\x1b[1;5D',
    '\x1b[3~',
    '\x1bb',
    '\x03',
    '\r',
    '\x1b[200~p\x1b[Aq\x1b[201~',
  );
  fc.assert(
    fc.property(fc.array(sequence, {minLength: 1, maxLength: 8}), fc.array(fc.nat()), (sequences, cuts) => {
      const sent = sequences.join('');
      const places = [...new Set([0, ...cuts.map((cut) => cut % sent.length), sent.length])].sort(
        (a, b) => a - b,
      );
      const chunks = places.slice(1).map((end, index) => sent.slice(places[index], end));
      expect(decoded(...chunks)).toEqual(decoded(sent));
    }),
  );
});
