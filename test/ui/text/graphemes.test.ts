import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';
import {expect, test} from 'vitest';
import {boundariesOf, graphemesOf, graphemeWidth, textWidth} from '../../../src/ui/text/graphemes.ts';
import fc from '../../helpers/fast-check.ts';

// Ink lays out with its own package; a different count would shift the cursor.
const fromInk = createRequire(createRequire(import.meta.url).resolve('ink'));
const {default: inkWidth} = (await import(pathToFileURL(fromInk.resolve('string-width')).href)) as {
  default: (text: string) => number;
};

test.each([
  {text: 'abc', width: 3},
  {text: 'é', width: 1},
  {text: 'e\u0301', width: 1},
  {text: '日本', width: 4},
  {text: 'ｱｲ', width: 2},
  {text: '한', width: 2},
  {text: '👍', width: 2},
  {text: '👍🏽', width: 2},
  {text: '👩‍👩‍👧', width: 2},
  {text: '🇩🇪', width: 2},
  {text: '1️⃣', width: 2},
  {text: '❤️', width: 2},
  {text: '❤', width: 1},
  {text: '✓ ✗ ⊘ ❯ … ─', width: 11},
  {text: '\u200b', width: 0},
  {text: '', width: 0},
])('$text takes $width columns', ({text, width}) => {
  expect([textWidth(text), inkWidth(text)]).toEqual([width, width]);
});

test('a tab is shown as four blanks', () => {
  expect(graphemeWidth('\t')).toBe(4);
});

test('every assigned character that a text may contain is as wide as Ink takes it', () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0x32000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const char = String.fromCodePoint(code);
    if (!/[\p{L}\p{N}\p{P}\p{S}\p{Zs}]/u.test(char)) continue;
    if (graphemeWidth(char) !== inkWidth(char)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test('characters and their offsets make up the text', () => {
  fc.assert(
    fc.property(fc.string({unit: 'grapheme'}), (text) => {
      expect(graphemesOf(text).join('')).toBe(text);
      const boundaries = boundariesOf(text);
      expect(boundaries.at(-1)).toBe(text.length);
      expect(boundaries.slice(1).map((end, index) => text.slice(boundaries[index], end))).toEqual(
        graphemesOf(text),
      );
    }),
  );
});
