import type {Keymap} from '../keymap.ts';
import {cutEnd} from '../text/fit.ts';
import type {Line} from './lines.tsx';

export type SelectCommand = `select.${'up' | 'down' | 'first' | 'last' | 'choose'}`;

export const selectKeymap: Keymap<SelectCommand> = [
  {keys: ['up', 'down', 'k', 'j'], label: 'move', command: 'select.up', hint: 'always', shown: 2},
  {keys: ['enter'], label: 'choose', command: 'select.choose', hint: 'always'},
  {keys: ['home', 'g'], label: 'first', command: 'select.first'},
  {keys: ['end', 'G'], label: 'last', command: 'select.last'},
];

export type SelectItem = {
  readonly label: string;
  /** Said behind the label. */
  readonly note?: string;
  readonly isDisabled?: boolean;
};

/** Which item is marked after a key; null when the key is none of a list. Disabled ones are stepped over. */
export function selectedAfter(items: readonly SelectItem[], index: number, key: string): number | null {
  const last = items.length - 1;
  if (key === 'down' || key === 'j') return nextEnabled(items, index, 1);
  if (key === 'up' || key === 'k') return nextEnabled(items, index, -1);
  if (key === 'home' || key === 'g') return nextEnabled(items, last, 1);
  if (key === 'end' || key === 'G') return nextEnabled(items, 0, -1);
  return null;
}

function nextEnabled(items: readonly SelectItem[], from: number, step: 1 | -1): number {
  const count = items.length;
  for (let tried = 1; tried <= count; tried++) {
    const index = (((from + step * tried) % count) + count) % count;
    if (items[index]?.isDisabled !== true) return index;
  }
  return from;
}

/** The items around the marked one, as many as fit. */
export function selectLines(
  items: readonly SelectItem[],
  index: number,
  {columns, height = items.length}: {readonly columns: number; readonly height?: number},
): Line[] {
  const top = Math.max(0, Math.min(index - Math.floor(height / 2), items.length - height));
  return items.slice(top, top + height).map((item, place) => itemLine(item, top + place === index, columns));
}

function itemLine({label, note, isDisabled = false}: SelectItem, isMarked: boolean, columns: number): Line {
  const text = cutEnd(label, columns - 3);
  const rest = note === undefined ? '' : cutEnd(`  ${note}`, columns - 3 - text.length);
  return [
    isMarked ? {text: ' ❯ ', tone: 'accent', bold: true} : {text: '   '},
    isMarked ? {text, tone: 'accent', bold: true} : {text, dim: isDisabled},
    {text: rest, dim: true},
  ];
}
