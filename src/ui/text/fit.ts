import {graphemesOf, graphemeWidth, textWidth} from './graphemes.ts';

/** At most this many columns; a cut is marked. */
export function cutEnd(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 1 ? '' : `${firstColumns(text, columns - 1)}…`;
}

/** Cuts the start: the name at the end of a path matters most. */
export function cutStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  let width = 1;
  const kept: string[] = [];
  for (const grapheme of graphemesOf(text).reverse()) {
    width += graphemeWidth(grapheme);
    if (width > columns) break;
    kept.push(grapheme);
  }
  return `…${kept.reverse().join('')}`;
}

/** Cuts after a word, if that leaves at least half of the space filled. */
export function cutWords(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const part = firstColumns(text, columns - 1);
  const end = text[part.length] === ' ' ? part.length : part.lastIndexOf(' ');
  return end * 2 < part.length ? cutEnd(text, columns) : `${part.slice(0, end)}…`;
}

/** Cuts the middle: ids and names differ at either end. */
export function cutMiddle(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 3) return cutEnd(text, columns);
  const end = cutStart(text, Math.floor(columns / 2));
  return `${firstColumns(text, columns - textWidth(end))}${end}`;
}

/** The visible part of a line that is scrolled by this many columns. */
export function dropColumns(text: string, columns: number): string {
  let width = 0;
  let offset = 0;
  for (const grapheme of columns > 0 ? graphemesOf(text) : []) {
    if (width >= columns) break;
    width += graphemeWidth(grapheme);
    offset += grapheme.length;
  }
  return text.slice(offset);
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** Two texts at both ends of a line; the left one shrinks. */
export function justify(left: string, right: string, columns: number): string {
  const room = columns - textWidth(right) - 2;
  if (room < 8) return cutEnd(`${left}  ${right}`, columns);
  return `${padEnd(cutEnd(left, room), room)}  ${right}`;
}

function firstColumns(text: string, columns: number): string {
  let width = 0;
  let offset = 0;
  for (const grapheme of graphemesOf(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns) break;
    offset += grapheme.length;
  }
  return text.slice(0, offset);
}
