import type {KeyHint} from '../keymap.ts';
import {textWidth} from '../text/graphemes.ts';
import {type Line, Lines} from './lines.tsx';

/** Hints on one line, never cut. If they do not all fit, the most important ones in their short form. */
export function hintLine(hints: readonly KeyHint[], columns: number): Line {
  const all = spansOf(hints, '   ', columns);
  if (all.isWhole) return all.line;
  const short = hints.flatMap((hint) => (hint.short === undefined ? [] : [{...hint, label: hint.short}]));
  return short.length === 0 ? all.line : spansOf(short, '  ', columns).line;
}

function spansOf(
  hints: readonly KeyHint[],
  between: string,
  columns: number,
): {line: Line; isWhole: boolean} {
  const shown = fitting(hints, between, columns);
  const line: Array<Line[number]> = [{text: ' '}];
  for (const {keys, label} of shown) {
    const gap = line.length > 1 ? between : '';
    line.push({text: `${gap}${keys}`, bold: true}, {text: ` ${label}`, dim: true});
  }
  return {line, isWhole: shown.length === hints.length};
}

/** As many as fit. The key that leads to all the others stays. */
function fitting(hints: readonly KeyHint[], between: string, columns: number): KeyHint[] {
  const widthOf = ({keys, label}: KeyHint) => textWidth(`${between}${keys} ${label}`);
  const room = columns - 1 + between.length;
  const help = hints.find(({keys}) => keys === '?');
  let used = help ? widthOf(help) : 0;
  const end = hints.findIndex((hint) => {
    if (hint !== help) used += widthOf(hint);
    return used > room;
  });
  if (end < 0) return [...hints];
  const shown = hints.slice(0, end);
  return !help || shown.includes(help) || widthOf(help) > room ? shown : [...shown, help];
}

/** The keys that work now. */
export function KeyHints({hints, columns}: {readonly hints: readonly KeyHint[]; readonly columns: number}) {
  return <Lines lines={[hintLine(hints, columns)]} />;
}
