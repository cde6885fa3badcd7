import {type BrokenLines, breakText, type Row} from '../text/break-text.ts';
import {graphemesOf, graphemeWidth, textWidth} from '../text/graphemes.ts';
import type {TextBuffer} from './text-buffer.ts';

/** `breakText`, memoized: every key asks several times and changes one line of perhaps thousands. */
export function rowsOf(text: string, columns: number): readonly Row[] {
  if (last.columns !== columns) last = {text: '', columns, rows: [{start: 0, end: 0}], lines: new Map()};
  if (last.text !== text) last = {...last, text, rows: breakText(text, columns, last.lines)};
  return last.rows;
}

let last = {
  text: '',
  columns: 0,
  rows: [{start: 0, end: 0}] as readonly Row[],
  lines: new Map() as BrokenLines,
};

/** The row of an offset. At a line break, the cursor is at the start of the next row. */
export function rowAt(rows: readonly Row[], offset: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Moves up or down by rows, keeping the column. Beyond the first or last row it goes to the row's end. */
export function moveRows(buffer: TextBuffer, columns: number, by: number): TextBuffer {
  const rows = rowsOf(buffer.text, columns);
  const from = rowAt(rows, buffer.cursor);
  const goal = buffer.goal ?? textWidth(buffer.text.slice(rows[from]?.start, buffer.cursor));
  if (from + by < 0 && from === 0) return {...buffer, cursor: 0, goal: null};
  if (from + by >= rows.length && from === rows.length - 1) {
    return {...buffer, cursor: buffer.text.length, goal: null};
  }
  const target = rows[Math.min(rows.length - 1, Math.max(0, from + by))] ?? {start: 0, end: 0};
  return {...buffer, cursor: offsetOf(buffer.text, target, goal), goal};
}

/** The last position in a row within the column. The end of a wrapped row belongs to the next one. */
function offsetOf(text: string, {start, end}: Row, column: number): number {
  const isBroken = end < text.length && text[end] !== '\n';
  let [offset, width] = [start, 0];
  for (const grapheme of graphemesOf(text.slice(start, end))) {
    width += graphemeWidth(grapheme);
    if (width > column || (isBroken && offset + grapheme.length >= end)) break;
    offset += grapheme.length;
  }
  return offset;
}

/** The first visible row, scrolled just enough to show the cursor. */
export function scrolledTo(top: number, cursorRow: number, height: number, count: number): number {
  const shown = Math.max(1, height);
  const least = Math.max(0, cursorRow - shown + 1);
  return Math.max(0, Math.min(Math.max(top, least), cursorRow, Math.max(least, count - shown)));
}
