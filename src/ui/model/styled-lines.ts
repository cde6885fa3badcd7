import type {Line, Span} from '../components/lines.tsx';
import {cutEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';

export type Style = Omit<Span, 'text'>;

export const lineText = (line: Line): string => line.map(({text}) => text).join('');

/** Left and right on one line of exactly this width; the left side shrinks, then the right one is dropped. */
export function justifyLine(left: Line, right: Line, columns: number): Line {
  const rightWidth = lineWidth(right);
  const shown = rightWidth + 8 > columns ? [] : right;
  const room = shown.length === 0 ? columns : columns - rightWidth - 1;
  const cut = cutLine(left, room);
  const gap = Math.max(0, columns - lineWidth(cut) - lineWidth(shown));
  return [...cut, {text: ' '.repeat(gap)}, ...shown];
}

export const lineWidth = (line: Line): number => line.reduce((sum, {text}) => sum + textWidth(text), 0);

/** Cuts a line to this width, with a mark where something is missing. */
export function cutLine(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  const shown: Span[] = [];
  let room = columns;
  for (const span of line) {
    const width = textWidth(span.text);
    if (width < room) {
      shown.push(span);
      room -= width;
      continue;
    }
    shown.push({...span, text: cutEnd(`${span.text} `, room)});
    break;
  }
  return shown;
}

/** The same line, highlighted as the selected one. */
export const markLine = (line: Line): Line => line.map((span) => ({...span, inverse: true}));
