import type {KeyPress} from '../input/key-press.ts';
import type {KeyHint} from '../keymap.ts';
import {type DiffView, nextMatch} from './diff-view.ts';

/** The keys while a search is typed. */
export const searchHints: readonly KeyHint[] = [
  {keys: 'enter', label: 'keep', short: 'keep'},
  {keys: 'esc', label: 'clear', short: 'clear'},
];

/** What is typed after `/`: jumps to the first match at once. */
export function searchStep(view: DiffView, {name, text}: KeyPress): DiffView {
  if (name === 'escape' || name === 'ctrl+c') return {...view, isSearching: false, query: ''};
  if (name === 'enter') return {...view, isSearching: false};
  if (name === 'backspace') return found({...view, query: [...view.query].slice(0, -1).join('')});
  return text === undefined ? view : found({...view, query: view.query + text.replace(/\s+/g, ' ')});
}

/** Includes the current row: a longer query may still match it. */
function found(view: DiffView): DiffView {
  const {cursor, top, ...next} = nextMatch({...view, cursor: view.cursor - 1, notice: null}, 1);
  return next.notice === null && view.query !== ''
    ? {...next, cursor, top}
    : {...next, cursor: view.cursor, top: view.top};
}
