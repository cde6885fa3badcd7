import type {JobRow} from '../../machines/policies/inspect/job-rows.ts';
import {isDraftTaskId} from '../../machines/policies/planning/draft-task.ts';
import type {Bar} from '../../machines/policies/report/run-bars.ts';
import type {Mark, MarkKind} from '../../machines/policies/report/run-marks.ts';
import {duration, localTime} from '../../machines/policies/text/durations.ts';
import {barWords, markSigns} from '../report/timeline-svg.ts';
import {addressText, latest, type Moment} from './address.ts';
import {element} from './dom.ts';
import type {LaneScale} from './job-scale.ts';
import {outcomeMark} from './outcome-mark.ts';
import {textWidth} from './text-width.ts';

const markWidth = 14;
/** Below this many pixels not even the start of a text is worth showing. */
const leastLabel = 72;

const markWords = {
  question: 'asked',
  decision: 'decided',
  failure: 'failed',
  refusal: 'refused',
  crash: 'crashed',
  commit: 'committed',
  undo: 'undone',
} as const satisfies Record<MarkKind, string>;

/** A task of the plan: its name and state, with its history in the lane. */
export function drawRow(
  row: JobRow,
  scale: LaneScale,
  {onFold}: {readonly onFold: (taskId: string) => void},
): HTMLElement {
  const drawn = element('div', {class: `row ${row.kind}`}, taskCell(row, onFold), laneCell(row, scale));
  return drawn;
}

function taskCell(row: JobRow, onFold: (taskId: string) => void): HTMLElement {
  const {task_id, title, depth, is_parent, is_closed, word, done, total, lane} = row;
  const last = lane?.bars.at(-1) ?? lane?.marks.at(-1);
  const how = is_parent && !lane ? `${done}/${total}` : word;
  // A draft's id is generated, so its kind comes first.
  const id = element('span', {class: 'id'}, task_id);
  const isOpenable = is_parent || last !== undefined;
  const cell = element(
    'button',
    {
      type: 'button',
      class: 'task',
      'data-main': true,
      'aria-expanded': is_parent ? String(!is_closed) : undefined,
      'aria-disabled': isOpenable ? undefined : 'true',
      title: `${task_id} ${title}: ${word}${is_parent ? `, ${done} of ${total} done` : ''}`,
    },
    element('span', {class: 'twist', 'aria-hidden': 'true'}, is_parent ? (is_closed ? '▸' : '▾') : ''),
    outcomeMark(row),
    element('span', {class: 'title'}, ...(isDraftTaskId(task_id) ? [`${title} `, id] : [id, ` ${title}`])),
    element('span', {class: 'how'}, how),
  );
  cell.style.paddingLeft = `${6 + Math.min(depth, 12) * 14}px`;
  cell.addEventListener('click', () => {
    if (is_parent) onFold(task_id);
    else if (last) openRun(task_id, last.run_id, latest);
  });
  return cell;
}

function laneCell(row: JobRow, scale: LaneScale): HTMLElement {
  const {lane, span, task_id} = row;
  const cell = element('div', {class: 'lane'});
  if (span && row.is_parent) {
    const line = place(element('span', {class: 'span'}), scale, span.from, span.to);
    if (line) cell.append(line);
  }
  lane?.bars.forEach((bar, index) => {
    const drawn = place(barOf(bar, `b${index}`), scale, bar.from, bar.to);
    if (!drawn) return;
    const isMarked = lane.marks.some(({at}) => Math.abs(scale.at(at) - scale.at(bar.from)) < markWidth);
    if (isMarked) drawn.classList.add('marked');
    drawn.addEventListener('click', () =>
      openRun(task_id, bar.run_id, {type: 'time', at: bar.from, isMark: false}),
    );
    cell.append(drawn);
  });
  lane?.marks.forEach((mark, index) => {
    const x = scale.at(mark.at);
    if (x < -8 || x > scale.width + 8) return;
    const drawn = markOf(mark, `m${index}`);
    drawn.style.left = `${Math.max(8, Math.min(scale.width - 8, x))}px`;
    drawn.addEventListener('click', () =>
      openRun(task_id, mark.run_id, {type: 'time', at: mark.at, isMark: true}),
    );
    cell.append(drawn);
  });
  return cell;
}

/** Null if it is outside the visible range. Everything is wide enough to be pointed at. */
function place<T extends HTMLElement>(part: T, scale: LaneScale, from: string, to: string): T | null {
  const [left, right] = [Math.max(-2, scale.at(from)), Math.min(scale.width + 2, scale.at(to))];
  if (right < 0 || left > scale.width) return null;
  const width = Math.max(4, right - left);
  part.style.left = `${left}px`;
  part.style.width = `${width}px`;
  // Half a word says nothing; the colour and title are enough.
  if (Math.min(textWidth(part.textContent ?? '', 'line') + 12, leastLabel) > width)
    part.classList.add('short');
  return part;
}

function barOf(bar: Bar, part: string): HTMLButtonElement {
  const words = barWords[bar.state];
  const long = duration(Date.parse(bar.to) - Date.parse(bar.from));
  const told = [
    words,
    `${localTime(bar.from)}–${bar.is_open ? 'now' : localTime(bar.to)}`,
    long,
    ...(bar.text === '' ? [] : [bar.text]),
  ].join(', ');
  return element(
    'button',
    {
      type: 'button',
      class: `bar ${bar.state}${bar.is_open ? ' open' : ''}`,
      tabindex: -1,
      'data-part': part,
      title: told,
      'aria-label': told,
    },
    element('span', {'aria-hidden': 'true'}, bar.text === '' ? words : bar.text),
  );
}

function markOf({kind, at, text}: Mark, part: string): HTMLButtonElement {
  const told = `${markWords[kind]} ${localTime(at)}${text === '' ? '' : `: ${text}`}`;
  return element(
    'button',
    {
      type: 'button',
      class: `moment ${kind}`,
      tabindex: -1,
      'data-part': part,
      title: told,
      'aria-label': told,
    },
    markSigns[kind],
  );
}

function openRun(taskId: string, runId: string, moment: Moment): void {
  location.hash = addressText({view: 'machines', subject: {taskId, runId}, moment, only: false});
}
