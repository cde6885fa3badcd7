import {displayLine} from '../../machines/policies/text/display-text.ts';
import {cutEnd} from '../../ui/text/fit.ts';
import {textWidth} from '../../ui/text/graphemes.ts';
import type {Surface} from '../context.ts';
import {painter, type Style} from './paint.ts';

export type Cell = string | {readonly text: string; readonly style: Style};

export type Column = {
  readonly title: string;
  /** Gives way when the terminal is too narrow: the widest of the first ones, then of the last ones. */
  readonly shrinks?: 'first' | 'last';
};

/** Aligned columns under a header: colour and the terminal's width on a terminal, whole and plain elsewhere. */
export function renderTable(
  columns: readonly Column[],
  rows: ReadonlyArray<readonly Cell[]>,
  surface: Surface,
): string {
  const paint = painter(surface);
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'string' ? {text: cell, style: null} : cell)),
  );
  const texts = cells.map((row) =>
    row.map(({text}, index) => (index === 0 ? indented(text) : displayLine(text))),
  );
  const widths = columns.map(({title}) => textWidth(title));
  for (const row of texts) {
    for (let index = 0; index < widths.length; index++) {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(row[index] ?? ''));
    }
  }
  shrinkToFit(widths, columns, surface.columns);

  const line = (row: readonly string[], styleOf: (index: number) => Style | null) =>
    row
      .map((text, index) => {
        const width = widths[index] ?? 0;
        const clipped = surface.isTerminal ? cutEnd(text, width) : text;
        const style = styleOf(index);
        const painted = style === null || clipped === '' ? clipped : paint(style, clipped);
        return index === row.length - 1
          ? painted
          : painted + ' '.repeat(Math.max(0, width - textWidth(clipped)));
      })
      .join('  ')
      .trimEnd();

  const body = texts.map((row, index) => line(row, (column) => cells[index]?.[column]?.style ?? null));
  const header = line(
    columns.map(({title}) => title),
    () => 'dim',
  );
  return [header, ...body].join('\n');
}

/** Keeps the indentation of a tree, which `displayLine` would trim. */
function indented(text: string): string {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return indent + displayLine(text);
}

/** So much of a column stays, however narrow the terminal is. */
const narrowest = 10;

function shrinkToFit(widths: number[], columns: readonly Column[], available: number): void {
  let excess = widths.reduce((sum, width) => sum + (width > 0 ? width + 2 : 0), -2) - available;
  for (const turn of ['first', 'last']) {
    const shrinking = columns.flatMap(({shrinks}, index) => (shrinks === turn ? [index] : []));
    while (excess > 0) {
      const [widest, next = narrowest] = shrinking.map((index) => widths[index] ?? 0).sort((a, b) => b - a);
      if (widest === undefined || widest <= narrowest) break;
      // Down to the next wide one, then by turns.
      const cut = Math.min(excess, Math.max(1, widest - Math.max(next, narrowest)));
      const index = shrinking.find((each) => widths[each] === widest) ?? 0;
      widths[index] = widest - cut;
      excess -= cut;
    }
  }
}
