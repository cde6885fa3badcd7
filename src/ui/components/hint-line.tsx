import type {KeyHint} from '../keymap.ts';
import {textWidth} from '../text/graphemes.ts';
import {type Line, Lines} from './lines.tsx';

/** Hints on one line, whole ones only; those that matter most stand first. */
export function hintLine(hints: readonly KeyHint[], columns: number): Line {
  const line: Array<Line[number]> = [{text: ' '}];
  let width = 1;
  for (const {keys, label} of hints) {
    const gap = line.length > 1 ? '   ' : '';
    width += textWidth(`${gap}${keys} ${label}`);
    if (width > columns) break;
    line.push({text: `${gap}${keys}`, bold: true}, {text: ` ${label}`, dim: true});
  }
  return line;
}

/** The keys that work now. */
export function KeyHints({hints, columns}: {readonly hints: readonly KeyHint[]; readonly columns: number}) {
  return <Lines lines={[hintLine(hints, columns)]} />;
}
