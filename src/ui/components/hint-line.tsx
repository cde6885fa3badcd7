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
  const line: Array<Line[number]> = [{text: ' '}];
  let width = 1;
  for (const {keys, label} of hints) {
    const gap = line.length > 1 ? between : '';
    width += textWidth(`${gap}${keys} ${label}`);
    if (width > columns) return {line, isWhole: false};
    line.push({text: `${gap}${keys}`, bold: true}, {text: ` ${label}`, dim: true});
  }
  return {line, isWhole: true};
}

/** The keys that work now. */
export function KeyHints({hints, columns}: {readonly hints: readonly KeyHint[]; readonly columns: number}) {
  return <Lines lines={[hintLine(hints, columns)]} />;
}
