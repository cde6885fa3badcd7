import {outcomeWords} from '../../machines/policies/report/report-words.ts';
import type {Bar, BarState} from '../../machines/policies/report/run-bars.ts';
import type {Mark, MarkKind} from '../../machines/policies/report/run-marks.ts';
import {type Fold, foldsIn, timeScale} from '../../machines/policies/report/time-scale.ts';
import type {Lane, Timeline} from '../../machines/policies/report/timeline.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {duration, timeOfDay} from '../../machines/policies/text/durations.ts';
import {cutEnd} from '../text/fit.ts';
import {markup, safe} from './markup.ts';

export const barWords = {
  launching: 'launching',
  working: 'working',
  waiting_answer: 'waits for an answer',
  waiting_limit: 'waits for a limit',
  waiting_outage: 'waits out an outage',
  verifying: 'checks',
  checkpoint: 'waits for a decision',
  paused: 'paused',
} as const satisfies Record<BarState, string>;

/** Distinguished by their sign; the tooltip has the words. */
export const markSigns = {
  question: '?',
  decision: '◆',
  failure: '✗',
  refusal: '⊘',
  crash: '⚡',
  commit: '●',
  undo: '↶',
} as const satisfies Record<MarkKind, string>;

const [labelWidth, plotWidth, laneHeight, axisHeight, foldWidth] = [230, 770, 28, 34, 46] as const;
const [minTickGap, foldMilliseconds] = [90, 5 * 60_000];

/** A lane per task on one time axis. The classes are in the page's style sheet; it contains no script. */
export function timelineSvg(timeline: Timeline): string {
  // A short job is drawn to scale; in a long one, rests of more than a twentieth are compressed.
  const length = Date.parse(timeline.to) - Date.parse(timeline.from);
  const folds = foldsIn(timeline, Math.max(foldMilliseconds, length / 20));
  const scale = timeScale(timeline, folds, {width: plotWidth, foldWidth});
  const x = (time: string) => round(labelWidth + scale(time));
  const height = axisHeight + timeline.lanes.length * laneHeight;
  const lanes = timeline.lanes.map((lane, place) => drawLane(lane, axisHeight + place * laneHeight, x));
  const rests = folds.map(
    ({from, to}) =>
      markup`<g class="fold"><rect x="${x(from)}" y="${axisHeight}" width="${round(x(to) - x(from))}" height="${height - axisHeight}"/>` +
      markup`<text x="${round((x(from) + x(to)) / 2)}" y="24" text-anchor="middle">${duration(Date.parse(to) - Date.parse(from))}</text></g>`,
  );
  const isFree = (time: number) =>
    !folds.some(({from, to}) => time > Date.parse(from) && time < Date.parse(to));
  const ticks = ticksOf(timeline, length - foldedIn(folds), x)
    .filter(({time}) => isFree(time))
    .map(
      ({left, text}) =>
        markup`<line class="tick" x1="${left}" y1="18" x2="${left}" y2="${height}"/><text class="time" x="${left}" y="12" text-anchor="middle">${text}</text>`,
    );
  const about = `Timeline of ${counted(timeline.lanes.length, 'task')}, ${timeOfDay(timeline.from, timeline.from)} to ${timeOfDay(timeline.to, timeline.from)}`;
  return [
    markup`<svg class="timeline" viewBox="0 0 ${labelWidth + plotWidth + 14} ${height + 4}" role="img" aria-label="${about}">`,
    ...rests,
    ...ticks,
    ...lanes,
    '</svg>',
  ].join('\n');
}

function drawLane(lane: Lane, top: number, x: (time: string) => number): string {
  const {sign, tone, word} = outcomeWords[lane.outcome];
  const name = safe(lane.title === '' ? lane.task_id : `${lane.task_id}  ${lane.title}`);
  const middle = top + laneHeight / 2;
  return [
    markup`<g class="lane"><title>${name}: ${word}</title>`,
    markup`<line class="rule" x1="0" y1="${top}" x2="${labelWidth + plotWidth}" y2="${top}"/>`,
    markup`<text class="sign ${tone}" x="4" y="${middle + 4}">${sign}</text>`,
    markup`<text class="name" x="22" y="${middle + 4}">${cutEnd(name, 30)}</text>`,
    ...lane.bars.map((bar) => drawBar(bar, top, x)),
    ...lane.marks.map((mark) => drawMark(mark, middle, x)),
    '</g>',
  ].join('');
}

function drawBar({state, from, to, text}: Bar, top: number, x: (time: string) => number): string {
  // Even a moment is a visible line.
  const width = Math.max(1.5, round(x(to) - x(from)));
  const length = duration(Date.parse(to) - Date.parse(from));
  const more = text === '' ? '' : ` (${safe(text)})`;
  const title = `${barWords[state]}${more}, ${timeOfDay(from, from)} – ${timeOfDay(to, from)}, ${length}`;
  return markup`<rect class="bar ${state}" x="${x(from)}" y="${top + 7}" width="${width}" height="${laneHeight - 14}" rx="2"><title>${title}</title></rect>`;
}

function drawMark({kind, at, text}: Mark, middle: number, x: (time: string) => number): string {
  const title = `${kind}, ${timeOfDay(at, at)}${text === '' ? '' : `: ${safe(text)}`}`;
  return (
    markup`<g class="mark ${kind}"><title>${title}</title><circle cx="${x(at)}" cy="${middle}" r="7"/>` +
    markup`<text x="${x(at)}" y="${middle + 4}" text-anchor="middle">${markSigns[kind]}</text></g>`
  );
}

const foldedIn = (folds: readonly Fold[]) =>
  folds.reduce((sum, {from, to}) => sum + Date.parse(to) - Date.parse(from), 0);

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((count) => count * hour),
];

/** Round local times, far enough apart to be readable. */
function ticksOf(
  {from, to}: Timeline,
  awake: number,
  x: (time: string) => number,
): Array<{time: number; left: number; text: string}> {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const step = steps.find((each) => awake / each <= plotWidth / minTickGap) ?? steps.at(-1) ?? hour;
  const offset = new Date(begin).getTimezoneOffset() * minute;
  const first = Math.ceil((begin - offset) / step) * step + offset;
  const found: Array<{time: number; left: number; text: string}> = [];
  for (let time = first; time <= end; time += step) {
    const iso = new Date(time).toISOString();
    const left = x(iso);
    if (left - (found.at(-1)?.left ?? -minTickGap) < minTickGap / 2) continue;
    const seconds = step < minute ? `:${iso.slice(17, 19)}` : '';
    found.push({time, left, text: `${timeOfDay(iso, iso)}${seconds}`});
  }
  return found;
}

const round = (value: number) => Math.round(value * 10) / 10;
