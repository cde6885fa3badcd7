import {cutEnd, padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';
import type {Line} from './lines.tsx';

export type SelectItem = {
  readonly label: string;
  /** Shown before the label: the key that marks it. */
  readonly mark?: string;
  /** Shown after the label. */
  readonly note?: string;
  readonly isDisabled?: boolean;
};

/** Nothing is selected: a list of actions starts like this, so that a stray key decides nothing. */
export const unmarked = -1;

/** Shown if Enter is pressed before anything is selected. */
export const markFirst = 'Select a choice first: ↑ ↓ or j k, then enter.';

type Move = (items: readonly SelectItem[], index: number) => number;

const next: Move = (items, index) => nextEnabled(items, index, 1);
const previous: Move = (items, index) =>
  index === unmarked ? last(items, index) : nextEnabled(items, index, -1);
const first: Move = (items) => nextEnabled(items, items.length - 1, 1);
const last: Move = (items) => nextEnabled(items, 0, -1);

/** Moves the selection past disabled items, wrapping around. In the order in which hints name the keys. */
const moves = new Map<string, Move>([
  ['up', previous],
  ['down', next],
  ['j', next],
  ['k', previous],
  ['home', first],
  ['end', last],
  ['g', first],
  ['G', last],
]);

/** The keys of every list. */
export const selectKeys: readonly string[] = [...moves.keys()];

/** The selection after a key; null if it is not a list key. */
export const selectedAfter = (items: readonly SelectItem[], index: number, key: string): number | null =>
  moves.get(key)?.(items, index) ?? null;

function nextEnabled(items: readonly SelectItem[], from: number, step: 1 | -1): number {
  const count = items.length;
  for (let tried = 1; tried <= count; tried++) {
    const index = (((from + step * tried) % count) + count) % count;
    if (items[index]?.isDisabled !== true) return index;
  }
  return from;
}

/** The items around the selected one, as many as fit. */
export function selectLines(
  items: readonly SelectItem[],
  index: number,
  {columns, height = items.length}: {readonly columns: number; readonly height?: number},
): Line[] {
  const top = Math.max(0, Math.min(index - Math.floor(height / 2), items.length - height));
  return items.slice(top, top + height).map((item, place) => itemLine(item, top + place === index, columns));
}

/** With the notes below each other, if the labels leave them half of the space and that cuts none of them. */
export function withAlignedNotes(items: readonly SelectItem[], columns: number): readonly SelectItem[] {
  const noted = items.filter(({note}) => note !== undefined);
  const widest = Math.max(0, ...noted.map(({label}) => textWidth(label)));
  const isWhole = (labelColumns: number, note = '') => labelColumns + textWidth(note) + 5 <= columns;
  const cuts = noted.some(({label, note}) => isWhole(textWidth(label), note) && !isWhole(widest, note));
  if (cuts || widest * 2 > columns) return items;
  return items.map((item) => (item.note === undefined ? item : {...item, label: padEnd(item.label, widest)}));
}

/** The same with complete labels, wrapped if long; the selected one is always visible. */
export function wrappedSelectLines(
  items: readonly SelectItem[],
  index: number,
  {columns, height}: {readonly columns: number; readonly height: number},
): Line[] {
  const blocks = items.map(({label, mark}, place): Line[] => {
    const before = mark === undefined ? '' : `${mark}  `;
    return wrapped(label, columns - 3 - before.length).map((text, row): Line => {
      const isMarked = place === index;
      const style = isMarked ? ({tone: 'accent', bold: true} as const) : {};
      return [
        {text: isMarked && row === 0 ? ' ❯ ' : '   ', ...style},
        {text: `${row === 0 ? before : ' '.repeat(before.length)}${text}`, ...style},
      ];
    });
  });
  const all = blocks.flat();
  const start = blocks.slice(0, Math.max(0, index)).flat().length;
  const end = start + (blocks[index]?.length ?? 0);
  const top = Math.max(
    0,
    Math.min(start, Math.max(end - height, Math.floor((start + end - height) / 2)), all.length - height),
  );
  return all.slice(top, top + height);
}

function itemLine({label, note, isDisabled = false}: SelectItem, isMarked: boolean, columns: number): Line {
  const text = cutEnd(label, columns - 3);
  const rest = note === undefined ? '' : cutEnd(`  ${note}`, columns - 3 - textWidth(text));
  return [
    isMarked ? {text: ' ❯ ', tone: 'accent', bold: true} : {text: '   '},
    isMarked ? {text, tone: 'accent', bold: true} : {text, dim: isDisabled},
    {text: rest, dim: true},
  ];
}
