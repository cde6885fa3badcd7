import {graphemesOf, graphemeWidth, textWidth} from './graphemes.ts';

/** A line of the screen, as offsets into a text. */
export type Row = {readonly start: number; readonly end: number};

/** The text broken into rows of so many columns, behind blanks where there are any. */
export function breakText(text: string, columns: number): Row[] {
  const rows: Row[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    rows.push(...breakLine(line, start, Math.max(1, columns)));
    start += line.length + 1;
  }
  return rows;
}

function breakLine(line: string, offset: number, columns: number): Row[] {
  if (textWidth(line) <= columns) return [{start: offset, end: offset + line.length}];
  const rows: Row[] = [];
  let [start, at, width, blank] = [0, 0, 0, -1];
  for (const grapheme of graphemesOf(line)) {
    const next = graphemeWidth(grapheme);
    while (width + next > columns && at > start) {
      // Behind the last blank, or within the word when it fills the row.
      const end = blank > start ? blank : at;
      rows.push({start: offset + start, end: offset + end});
      width = textWidth(line.slice(end, at));
      start = end;
      blank = -1;
    }
    width += next;
    at += grapheme.length;
    if (/\s/.test(grapheme)) blank = at;
  }
  rows.push({start: offset + start, end: offset + line.length});
  return rows;
}
