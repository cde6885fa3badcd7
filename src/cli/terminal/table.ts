import {displayLine} from '../../machines/policies/text/display-text.ts';
import {cutEnd} from '../../ui/text/fit.ts';
import {textWidth} from '../../ui/text/graphemes.ts';
import type {Surface} from '../context.ts';
import {painter, type Style} from './paint.ts';

export type Cell = string | {readonly text: string; readonly style: Style};

export type Column = {
  readonly title: string;
  /** Shrinks if the terminal is too narrow: the widest `first` columns, then the `last` ones. */
  readonly shrinks?: 'first' | 'last';
  /** A `last` column's width beyond this shrinks with the `first` ones. */
  readonly fair?: number;
  readonly cut?: typeof cutEnd;
};

/** Aligned columns under a header: coloured and fitted to a terminal, complete and plain otherwise. */
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
        const clipped = surface.isTerminal ? (columns[index]?.cut ?? cutEnd)(text, width) : text;
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

/** The minimum width of a column, however narrow the terminal is. */
const narrowest = 10;

function shrinkToFit(widths: number[], columns: readonly Column[], available: number): void {
  let excess = widths.reduce((sum, width) => sum + (width > 0 ? width + 2 : 0), -2) - available;
  for (const turn of ['first', 'last'] as const) {
    const least = ({shrinks, fair}: Column) => (turn === 'first' && shrinks === 'last' && fair) || narrowest;
    const isAsked = ({shrinks, fair}: Column) =>
      shrinks === turn || (shrinks === 'last' && fair !== undefined);
    while (excess > 0) {
      const shrinking = columns
        .map((column, index) => ({index, width: widths[index] ?? 0, least: least(column), column}))
        .filter(({column, width, least}) => isAsked(column) && width > least)
        .sort((a, b) => b.width - a.width);
      const [widest, next] = shrinking;
      if (widest === undefined) break;
      // Down to the next widest, then in turn.
      const floor = Math.max(widest.least, next?.width ?? 0);
      const cut = Math.min(excess, Math.max(1, widest.width - floor));
      widths[widest.index] = widest.width - cut;
      excess -= cut;
    }
  }
}
