import {graphemesOf, graphemeWidth, textWidth} from './graphemes.ts';

/** A line of the screen, as offsets into a text. */
export type Row = {readonly start: number; readonly end: number};

/** The rows of lines broken before, each relative to its line. */
export type BrokenLines = Map<string, readonly Row[]>;

/**
 * Breaks a text into rows of this width, after spaces if possible. Lines in `known` are reused, and it
 * contains this text's lines afterwards: it must be for the same width.
 */
export function breakText(text: string, columns: number, known: BrokenLines = new Map()): Row[] {
  const rows: Row[] = [];
  const used: BrokenLines = new Map();
  let offset = 0;
  for (const line of text.split('\n')) {
    const broken = used.get(line) ?? known.get(line) ?? breakLine(line, Math.max(1, columns));
    used.set(line, broken);
    for (const {start, end} of broken) rows.push({start: offset + start, end: offset + end});
    offset += line.length + 1;
  }
  known.clear();
  for (const [line, broken] of used) known.set(line, broken);
  return rows;
}

function breakLine(line: string, columns: number): Row[] {
  if (textWidth(line) <= columns) return [{start: 0, end: line.length}];
  const rows: Row[] = [];
  let [start, at, width, blank] = [0, 0, 0, -1];
  for (const grapheme of graphemesOf(line)) {
    const next = graphemeWidth(grapheme);
    while (width + next > columns && at > start) {
      // After the last space, or inside a word that fills the row.
      const end = blank > start ? blank : at;
      rows.push({start, end});
      width = textWidth(line.slice(end, at));
      start = end;
      blank = -1;
    }
    width += next;
    at += grapheme.length;
    if (/\s/.test(grapheme)) blank = at;
  }
  rows.push({start, end: line.length});
  return rows;
}
