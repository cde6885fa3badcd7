import {boundariesOf} from '../text/graphemes.ts';

/** A text being edited. The cursor is an offset between two characters, never inside one. */
export type TextBuffer = {
  readonly text: string;
  readonly cursor: number;
  /** The column that up and down try to keep; any other edit resets it. */
  readonly goal: number | null;
};

export const bufferOf = (text: string): TextBuffer => ({text, cursor: text.length, goal: null});

export type Edit = (buffer: TextBuffer) => TextBuffer;

export function insert({text, cursor}: TextBuffer, inserted: string): TextBuffer {
  return placed(text.slice(0, cursor) + inserted + text.slice(cursor), cursor + inserted.length);
}

/** Replaces a range and puts the cursor after it. */
export function replace({text}: TextBuffer, start: number, end: number, by: string): TextBuffer {
  return placed(text.slice(0, start) + by + text.slice(end), start + by.length);
}

export const moveLeft: Edit = (buffer) => moved(buffer, before(buffer));
export const moveRight: Edit = (buffer) => moved(buffer, after(buffer));
export const moveWordLeft: Edit = (buffer) => moved(buffer, wordStart(buffer, word));
export const moveWordRight: Edit = (buffer) => moved(buffer, wordEnd(buffer));
export const moveLineStart: Edit = (buffer) => moved(buffer, lineStart(buffer.text, buffer.cursor));
export const moveLineEnd: Edit = (buffer) => moved(buffer, lineEnd(buffer.text, buffer.cursor));
export const moveStart: Edit = (buffer) => moved(buffer, 0);
export const moveEnd: Edit = (buffer) => moved(buffer, buffer.text.length);

export const deleteLeft: Edit = (buffer) => removed(buffer, before(buffer), buffer.cursor);
export const deleteRight: Edit = (buffer) => removed(buffer, buffer.cursor, after(buffer));
/** Back to the last space, like a shell. */
export const deleteToBlank: Edit = (buffer) => removed(buffer, wordStart(buffer, noBlank), buffer.cursor);
export const deleteWordLeft: Edit = (buffer) => removed(buffer, wordStart(buffer, word), buffer.cursor);
export const deleteWordRight: Edit = (buffer) => removed(buffer, buffer.cursor, wordEnd(buffer));
/** At the end of a line it deletes the newline, so that repeating it continues. */
export const deleteLineEnd: Edit = (buffer) => {
  const end = lineEnd(buffer.text, buffer.cursor);
  return removed(buffer, buffer.cursor, end === buffer.cursor ? after(buffer) : end);
};
export const deleteLineStart: Edit = (buffer) => {
  const start = lineStart(buffer.text, buffer.cursor);
  return removed(buffer, start === buffer.cursor ? before(buffer) : start, buffer.cursor);
};

export const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1;

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

const moved = ({text}: TextBuffer, cursor: number): TextBuffer => placed(text, cursor);

function removed({text}: TextBuffer, start: number, end: number): TextBuffer {
  return placed(text.slice(0, start) + text.slice(end), start);
}

/** Joined texts can form one character; the cursor then goes after it. */
function placed(text: string, offset: number): TextBuffer {
  const start = lineStart(text, offset);
  const line = text.slice(start, lineEnd(text, offset));
  const cursor = boundariesOf(line).find((boundary) => start + boundary >= offset);
  return {text, cursor: cursor === undefined ? offset : start + cursor, goal: null};
}

function before({text, cursor}: TextBuffer): number {
  const start = lineStart(text, cursor);
  if (cursor === start) return Math.max(0, cursor - 1);
  const line = text.slice(start, lineEnd(text, cursor));
  return start + (boundariesOf(line).findLast((boundary) => start + boundary < cursor) ?? 0);
}

function after({text, cursor}: TextBuffer): number {
  const end = lineEnd(text, cursor);
  if (cursor === end) return Math.min(text.length, cursor + 1);
  const start = lineStart(text, cursor);
  const next = boundariesOf(text.slice(start, end)).find((boundary) => start + boundary > cursor);
  return next === undefined ? end : start + next;
}

// Combining marks belong to the letter before them, so that no word ends inside a character.
const word = /[\p{L}\p{N}\p{M}\p{Join_Control}_]/u;
const noBlank = /\S/u;

function wordStart({text, cursor}: TextBuffer, part: RegExp): number {
  const chars = [...text.slice(0, cursor)];
  while (chars.length > 0 && !part.test(chars.at(-1) ?? '')) chars.pop();
  while (chars.length > 0 && part.test(chars.at(-1) ?? '')) chars.pop();
  return chars.join('').length;
}

function wordEnd({text, cursor}: TextBuffer): number {
  const chars = [...text.slice(cursor)];
  let index = 0;
  while (index < chars.length && !word.test(chars[index] ?? '')) index++;
  while (index < chars.length && word.test(chars[index] ?? '')) index++;
  return cursor + chars.slice(0, index).join('').length;
}
