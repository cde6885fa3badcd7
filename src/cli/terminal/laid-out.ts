import {textWidth} from '../../ui/text/graphemes.ts';
import type {Surface} from '../context.ts';
import {folded} from './fold.ts';
import {painter, type Style} from './paint.ts';

/** A piece of a line, measured before it is coloured. */
export type Piece = {readonly text: string; readonly style?: Style};

/** One line; on a terminal the pieces that do not fit go below it, and one that is too wide breaks between words. */
export function laidOut(sign: Piece, head: Piece, pieces: readonly Piece[], surface: Surface): string[] {
  const paint = painter(surface);
  const painted = ({text, style}: Piece) => (style === undefined || text === '' ? text : paint(style, text));
  const gap = '  ';
  const before = sign.text === '' ? '' : `${painted(sign)} `;
  const rows: Piece[][] = [[]];
  let width = textWidth(sign.text) + textWidth(head.text) + 1;
  for (const piece of pieces) {
    width += gap.length + textWidth(piece.text);
    if (surface.isTerminal && width > surface.columns) {
      rows.push([]);
      width = 4 + textWidth(piece.text);
    }
    rows.at(-1)?.push(piece);
  }
  return rows.flatMap((row, place) => {
    const start = place === 0 ? [`${before}${painted(head)}`] : ['  '];
    const line = [...start, ...row.map(painted)].join(gap).trimEnd();
    return folded(line, surface.columns).split('\n');
  });
}
