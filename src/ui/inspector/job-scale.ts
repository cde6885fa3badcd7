import type {JobPage} from '../../machines/policies/inspect/job-page.ts';
import {timeScale} from '../../machines/policies/report/time-scale.ts';

/** The position of a moment in the lanes, in pixels; what is outside is not drawn. */
export type LaneScale = {
  readonly at: (time: string) => number;
  readonly width: number;
};

export type LaneWindow = {readonly zoom: number; readonly start: number};

const foldWidth = 44;

export function laneScale(
  {from, to, folds}: Pick<JobPage, 'from' | 'to' | 'folds'>,
  width: number,
  {zoom, start}: LaneWindow,
): LaneScale {
  const whole = width * zoom;
  const scale = timeScale({from, to}, folds, {width: whole, foldWidth});
  return {width, at: (time) => scale(time) - start * whole};
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const steps = [1, 2, 5, 10, 30]
  .map((n) => n * second)
  .concat(
    [1, 2, 5, 10, 30].map((n) => n * minute),
    [1, 2, 3, 6, 12, 24, 48, 168].map((n) => n * hour),
  );
const most = 200;

/** Round times far enough apart to be readable, none inside a fold. */
export function ticksOf(
  {from, to, folds}: Pick<JobPage, 'from' | 'to' | 'folds'>,
  {at, width}: LaneScale,
  room: number,
): Array<{readonly time: number; readonly x: number}> {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const folded = folds.reduce((sum, fold) => sum + Date.parse(fold.to) - Date.parse(fold.from), 0);
  const whole = at(to) - at(from);
  const awake = Math.max(1, end - begin - folded);
  const step = steps.find((each) => (each / awake) * whole >= room) ?? steps.at(-1) ?? hour;
  const offset = new Date(begin).getTimezoneOffset() * minute;
  const ticks: Array<{time: number; x: number}> = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const piece of awakePieces(begin, end, folds)) {
    for (let time = Math.ceil((piece.from - offset) / step) * step + offset; time <= piece.to; time += step) {
      const x = at(new Date(time).toISOString());
      if (x > width || ticks.length >= most) return ticks;
      if (x < 0 || x - last < room * 0.8) continue;
      ticks.push({time, x});
      last = x;
    }
  }
  return ticks;
}

function awakePieces(begin: number, end: number, folds: JobPage['folds']): Array<{from: number; to: number}> {
  const pieces: Array<{from: number; to: number}> = [];
  let last = begin;
  for (const fold of folds) {
    pieces.push({from: last, to: Date.parse(fold.from)});
    last = Date.parse(fold.to);
  }
  return [...pieces, {from: last, to: end}];
}
