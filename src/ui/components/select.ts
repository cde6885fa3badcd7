import {bindingOf, type Keymap} from '../keymap.ts';
import {cutEnd} from '../text/fit.ts';
import type {Line} from './lines.tsx';

export type SelectItem = {
  readonly label: string;
  /** Said behind the label. */
  readonly note?: string;
  readonly isDisabled?: boolean;
};

/** Moving the mark: over disabled items, and around at an end. */
export const selectKeymap: Keymap<(items: readonly SelectItem[], index: number) => number> = [
  {
    id: 'select.down',
    keys: ['down', 'j'],
    label: 'down',
    run: (items, index) => nextEnabled(items, index, 1),
  },
  {id: 'select.up', keys: ['up', 'k'], label: 'up', run: (items, index) => nextEnabled(items, index, -1)},
  {
    id: 'select.first',
    keys: ['home', 'g'],
    label: 'first',
    run: (items) => nextEnabled(items, items.length - 1, 1),
  },
  {id: 'select.last', keys: ['end', 'G'], label: 'last', run: (items) => nextEnabled(items, 0, -1)},
];

export const selectKeys: readonly string[] = selectKeymap.flatMap(({keys}) => keys);

/** Which item is marked after a key; null when the key is none of a list. */
export const selectedAfter = (items: readonly SelectItem[], index: number, key: string): number | null =>
  bindingOf(selectKeymap, key)?.run(items, index) ?? null;

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
