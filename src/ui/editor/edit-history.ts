import type {TextBuffer} from './text-buffer.ts';

/** The kind of edit: consecutive letters are undone together. */
export type EditKind = 'type' | 'erase' | 'other';

export type EditHistory = {
  readonly past: readonly TextBuffer[];
  readonly future: readonly TextBuffer[];
  readonly last: EditKind | null;
};

export const noHistory: EditHistory = {past: [], future: [], last: null};

const stepLimit = 500;
const sizeLimit = 4_000_000;

/** Remembers the text before an edit. */
export function recordEdit(history: EditHistory, before: TextBuffer, kind: EditKind): EditHistory {
  const goesOn = kind !== 'other' && kind === history.last && history.past.length > 0;
  return {past: goesOn ? history.past : bounded([...history.past, before]), future: [], last: kind};
}

/** The next letter starts a new undo step. */
export const breakEdit = (history: EditHistory): EditHistory =>
  history.last === null ? history : {...history, last: null};

export function undo(
  {past, future}: EditHistory,
  now: TextBuffer,
): {history: EditHistory; buffer: TextBuffer} | null {
  const buffer = past.at(-1);
  if (!buffer) return null;
  return {buffer, history: {past: past.slice(0, -1), future: [...future, now], last: null}};
}

export function redo(
  {past, future}: EditHistory,
  now: TextBuffer,
): {history: EditHistory; buffer: TextBuffer} | null {
  const buffer = future.at(-1);
  if (!buffer) return null;
  return {buffer, history: {past: [...past, now], future: future.slice(0, -1), last: null}};
}

/** Large pastes shorten the history, but the last step can always be undone. */
function bounded(past: readonly TextBuffer[]): readonly TextBuffer[] {
  let size = 0;
  let start = past.length;
  while (start > 0 && past.length - start < stepLimit) {
    size += past[start - 1]?.text.length ?? 0;
    if (size > sizeLimit && start < past.length) break;
    start--;
  }
  return start === 0 ? past : past.slice(start);
}
