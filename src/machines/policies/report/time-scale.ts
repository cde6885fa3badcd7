import type {Timeline} from './timeline.ts';

/** A period without any agent or check: drawn short, labelled with its length. */
export type Fold = {readonly from: string; readonly to: string};

/** Working periods closer together than this are merged: gaps of seconds are not readable. */
const joinMilliseconds = 60_000;

/** Long idle periods of the whole job: between jobs, at a limit, at a question. In chronological order. */
export function foldsIn(
  {from, to, lanes}: Pick<Timeline, 'from' | 'to' | 'lanes'>,
  minMilliseconds: number,
): Fold[] {
  const busy = lanes
    .flatMap(({bars}) => bars)
    .filter(({state}) => state === 'working' || state === 'verifying')
    .map((bar) => ({from: Date.parse(bar.from), to: Date.parse(bar.to)}))
    .sort((one, other) => one.from - other.from);
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const folds: Fold[] = [];
  let last = begin;
  for (const stretch of [...busy, {from: end, to: end}]) {
    const [left, right] = [last + joinMilliseconds / 2, stretch.from - joinMilliseconds / 2];
    if (right - left >= minMilliseconds) folds.push({from: isoTime(left), to: isoTime(right)});
    last = Math.max(last, stretch.to);
  }
  return folds;
}

const isoTime = (milliseconds: number) => new Date(milliseconds).toISOString();

/** The position of a moment: 0 at the left, `width` at the right. A fold takes `foldWidth`, however long it was. */
export function timeScale(
  {from, to}: Pick<Timeline, 'from' | 'to'>,
  folds: readonly Fold[],
  {width, foldWidth}: {readonly width: number; readonly foldWidth: number},
): (time: string) => number {
  const pieces = piecesOf(Date.parse(from), Date.parse(to), folds);
  const awake = pieces.reduce((sum, piece) => sum + (piece.isFold ? 0 : piece.to - piece.from), 0);
  const room = Math.max(0, width - foldWidth * folds.length);
  return (time) => {
    const at = Date.parse(time);
    let left = 0;
    for (const piece of pieces) {
      const length = piece.to - piece.from;
      const size = piece.isFold ? foldWidth : awake === 0 ? 0 : (length / awake) * room;
      if (at <= piece.to) {
        const part = length === 0 ? 0 : Math.max(0, at - piece.from) / length;
        return left + part * size;
      }
      left += size;
    }
    return left;
  };
}

type Piece = {readonly from: number; readonly to: number; readonly isFold: boolean};

function piecesOf(from: number, to: number, folds: readonly Fold[]): Piece[] {
  const pieces: Piece[] = [];
  let last = from;
  for (const fold of folds) {
    const [begin, end] = [Date.parse(fold.from), Date.parse(fold.to)];
    pieces.push({from: last, to: begin, isFold: false}, {from: begin, to: end, isFold: true});
    last = end;
  }
  return [...pieces, {from: last, to, isFold: false}];
}
