import {expect, test} from 'vitest';
import {moveRows, rowAt, rowsOf, scrolledTo} from '../../../src/ui/editor/text-rows.ts';
import {textWidth} from '../../../src/ui/text/graphemes.ts';
import fc from '../../helpers/fast-check.ts';

const broken = (text: string, columns: number) =>
  rowsOf(text, columns).map(({start, end}) => text.slice(start, end));

test.each([
  {text: '', columns: 5, rows: ['']},
  {text: 'a\n', columns: 5, rows: ['a', '']},
  {text: 'abcde', columns: 5, rows: ['abcde']},
  {text: 'abcdef', columns: 5, rows: ['abcde', 'f']},
  {text: 'one two', columns: 5, rows: ['one ', 'two']},
  {text: 'one twothree', columns: 5, rows: ['one ', 'twoth', 'ree']},
  {text: '日本語', columns: 5, rows: ['日本', '語']},
  {text: '日', columns: 1, rows: ['日']},
])('$text in $columns columns', ({text, columns, rows}) => {
  expect(broken(text, columns)).toEqual(rows);
});

test('rows contain the whole text and fit', () => {
  fc.assert(
    fc.property(fc.string({unit: 'grapheme'}), fc.integer({min: 8, max: 20}), (line, columns) => {
      const text = line.replaceAll(/[\n\t]/g, ' ');
      const rows = broken(text, columns);
      expect(rows.join('')).toBe(text);
      for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(columns);
    }),
  );
});

test('up and down keep the column they started in', () => {
  const text = 'abcdef\nx\nabcdef';
  let buffer = {text, cursor: 4, goal: null as number | null};
  const places: number[] = [];
  for (const by of [1, 1, -1, -1]) {
    buffer = moveRows(buffer, 20, by);
    places.push(buffer.cursor);
  }
  expect(places).toEqual([8, 13, 8, 4]);
});

test('beyond the first and the last row they go to the ends of the text', () => {
  expect(moveRows({text: 'abc', cursor: 1, goal: null}, 20, -1).cursor).toBe(0);
  expect(moveRows({text: 'abc', cursor: 1, goal: null}, 20, 1).cursor).toBe(3);
});

test('the end of a wrapped row belongs to the next one', () => {
  const text = 'abcdefgh';
  const rows = rowsOf(text, 4);
  expect(rowAt(rows, 4)).toBe(1);
  // From the end of the second row up: the last position that is still in the first.
  expect(moveRows({text, cursor: 8, goal: null}, 4, -1).cursor).toBe(3);
});

test.each([
  {top: 0, row: 4, height: 5, count: 10, shown: 0},
  {top: 0, row: 5, height: 5, count: 10, shown: 1},
  {top: 4, row: 3, height: 5, count: 10, shown: 3},
  {top: 8, row: 9, height: 5, count: 10, shown: 5},
  {top: 3, row: 0, height: 5, count: 1, shown: 0},
])('row $row of $count in $height from $top is visible from $shown', ({top, row, height, count, shown}) => {
  expect(scrolledTo(top, row, height, count)).toBe(shown);
});
