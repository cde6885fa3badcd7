import {choicesAt} from '../../machines/policies/review/checkpoint-choices.ts';
import {commentCount} from '../../machines/policies/review/line-comments.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {dollars, duration, workTime} from '../../machines/policies/text/durations.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {hintLine} from '../components/hint-line.tsx';
import {type Line, lineOf} from '../components/lines.tsx';
import {selectLines} from '../components/select.ts';
import {diffKeymap} from '../diff/diff-keymap.ts';
import {diffHelpKeymap} from '../diff/diff-moves.ts';
import {searchHints} from '../diff/diff-search.ts';
import {backStep, type DiffFrame} from '../diff/diff-view.ts';
import {type BodyRoom, bodyFrame, bodyLines} from '../diff/review-body.ts';
import type {ReviewSubject} from '../diff/review-head.ts';
import {hintsOf, type KeyHint} from '../keymap.ts';
import {cutEnd, padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {
  type CheckpointFrame,
  type CheckpointState,
  checkpointItems,
  checkpointKeymap,
  readingKeymap,
} from './checkpoint-state.ts';

export type Room = {
  readonly columns: number;
  readonly rows: number;
  /** The width of the last line, the keys; defaults to `columns`. */
  readonly footColumns?: number;
};

const narrow = 60;
const choices = 4;

/** Task and outcome: one line, or two if there is little space. */
function headLines({task, run}: ReviewSubject, columns: number): Line[] {
  const call = ' ACTION REQUIRED ';
  const name = `${displayLine(task.id)}  ${displayLine(task.title)}`;
  const style = {tone: 'warning', bold: true, inverse: true} as const;
  if (columns < narrow) {
    const first = ` ${outcomeOf(run, columns - call.length - 1)}`;
    return [[{text: call, ...style}, {text: first}], lineOf(cutEnd(` ${name}`, columns), {bold: true})];
  }
  const rest = columns - call.length;
  const right = `${outcomeOf(run, rest)} `;
  const left = padEnd(cutEnd(`  ${name}`, rest - textWidth(right) - 2), rest - textWidth(right));
  return [[{text: call, ...style}, {text: left, bold: true}, {text: right}]];
}

/** Outcome, duration and cost, as much as fits. */
function outcomeOf(run: RunRecord, columns: number): string {
  const cost = run.usage?.cost_usd;
  const parts = [
    `${symbols[run.state] ?? '●'} ${run.state}`,
    duration(workTime(run)),
    ...(cost === undefined ? [] : [dollars(cost)]),
  ];
  while (parts.length > 1 && textWidth(parts.join(' · ')) > columns) parts.pop();
  return parts.join(' · ');
}

const symbols: Partial<Record<RunRecord['state'], string>> = {succeeded: '✓', failed: '✗', canceled: '⊘'};

/** The space for the review between the title and the choices; everything but the keys if the diff is zoomed. */
function bodyRoom({view, diff}: CheckpointState, {columns, rows}: Room): BodyRoom {
  if (diff.isZoomed) return {columns, rows: Math.max(1, rows - 1)};
  const title = columns < narrow ? 2 : 1;
  return {columns, rows: Math.max(1, rows - title - (view === 'choosing' ? choices : 0) - 1)};
}

/** What the diff's keys need to know about their layout. */
export const diffFrameOf = (
  state: CheckpointState,
  subject: ReviewSubject,
  room: Room,
): Pick<DiffFrame, 'columns' | 'height' | 'comments' | 'toldLength'> =>
  bodyFrame({subject, view: state.diff, comments: shownComments(state)}, bodyRoom(state, room));

const shownComments = ({sent, comments}: CheckpointState) => [...sent, ...comments];

/** The whole prompt while choosing or reading. */
export function checkpointLines(
  state: CheckpointState,
  subject: ReviewSubject,
  {columns, rows, footColumns = columns}: Room,
  frame: CheckpointFrame,
): Line[] {
  const {diff} = state;
  const isReading = state.view === 'reading';
  const body = bodyRoom(state, {columns, rows});
  const shown = bodyLines(
    {subject, view: diff, comments: shownComments(state)},
    {...body, isFocused: isReading},
  );
  const fill = Array.from({length: Math.max(0, body.rows - shown.length)}, (): Line => []);
  return [
    ...(diff.isZoomed ? [] : headLines(subject, columns)),
    ...shown,
    ...fill,
    ...(isReading ? [] : selectLines(checkpointItems(frame, columns), state.choice, {columns})),
    footLine(state, frame, footColumns),
  ].slice(-rows);
}

function footLine(state: CheckpointState, frame: CheckpointFrame, columns: number): Line {
  const {diff, view} = state;
  const notice = state.notice ?? unsentNotice(state, frame.run);
  if (notice !== null) return lineOf(cutEnd(` ${displayLine(notice)}`, columns), {tone: 'warning'});
  if (diff.isSearching) return hintLine(searchHints, columns);
  return hintLine(footHints(view, diff, frame), columns);
}

/** Shown if the selected choice would leave comments unsent; null if it does not. */
function unsentNotice(
  {view, choice, comments}: Pick<CheckpointState, 'view' | 'choice' | 'comments'>,
  run: Pick<RunRecord, 'state'>,
): string | null {
  const marked = view === 'choosing' ? choicesAt(run)[choice] : undefined;
  if (marked === undefined || marked.id === 'requestChanges' || comments.length === 0) return null;
  const [verb, them] = comments.length === 1 ? ['stays', 'it'] : ['stay', 'them'];
  return `${commentCount(comments.length)} ${verb} unsent. r sends ${them}, enter continues without.`;
}

/** Esc first leaves what lies over the diff: the list of keys, all that was said, a search, the zoom. */
const withBack = (hints: readonly KeyHint[], diff: CheckpointState['diff']): readonly KeyHint[] =>
  diff.isTold || backStep(diff) !== null
    ? hints.map((hint) => (hint.keys === 'esc' ? {...hint, label: 'back', short: 'back'} : hint))
    : hints;

function footHints(
  view: CheckpointState['view'],
  diff: CheckpointState['diff'],
  frame: CheckpointFrame,
): KeyHint[] {
  const keymap = view === 'reading' ? readingKeymap : checkpointKeymap;
  const [first = [], help = []] = [diffKeymap, diffHelpKeymap].map((each) => hintsOf(each, diff, frame.diff));
  // The diff's last hints give way to the help key.
  return [...withBack(hintsOf(keymap, frame), diff), ...first.slice(0, 3), ...help, ...first.slice(3)];
}
