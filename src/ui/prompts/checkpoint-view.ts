import {displayLine} from '../../machines/policies/text/display-text.ts';
import {dollars, duration, workTime} from '../../machines/policies/text/durations.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {hintLine} from '../components/hint-line.tsx';
import {blankLine, type Line, lineOf} from '../components/lines.tsx';
import {clamped, position} from '../components/scroll.ts';
import {selectLines} from '../components/select.ts';
import {hintsOf} from '../keymap.ts';
import {cutEnd, justify, padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {
  type CheckpointState,
  checkpointItems,
  checkpointKeymap,
  type LoadedDiff,
} from './checkpoint-state.ts';
import {diffKeymap, diffLines, emptyDiff} from './diff-view.ts';
import {totalsOf} from './review-lines.ts';

export type CheckpointSubject = {
  readonly task: {readonly id: string; readonly title: string};
  readonly run: RunRecord;
};

export type Room = {
  readonly columns: number;
  readonly rows: number;
  /** For the last line, the keys; the same as `columns` where it is missing. */
  readonly footColumns?: number;
};

const narrow = 60;
const choices = 4;

/** Task and outcome: one line, or two where there is little room. */
function headLines({task, run}: CheckpointSubject, columns: number): Line[] {
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

/** How it ended, how long it took, what it cost: as much of that as there is room for. */
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

/** How many lines of the summary there is room for. */
export function summaryHeight({columns, rows}: Room): number {
  return Math.max(0, rows - (columns < narrow ? 2 : 1) - 1 - choices - 1);
}

/** The whole prompt while one chooses. */
export function choosingLines(
  state: CheckpointState,
  subject: CheckpointSubject,
  summary: readonly Line[],
  {columns, rows, footColumns = columns, changesRefused}: Room & {readonly changesRefused: string | null},
): Line[] {
  const height = summaryHeight({columns, rows});
  const scroll = clamped(state.summary, summary.length, height);
  const place = position(scroll, summary.length, height);
  const body = summary.slice(scroll.top, scroll.top + height);
  const hints = hintsOf(checkpointKeymap, {count: summary.length, height});
  return [
    ...headLines(subject, columns),
    [{text: justify(` ${totalsOf(subject.run)}`, place === '' ? '' : `${place} `, columns), bold: true}],
    ...body,
    ...Array.from({length: Math.max(0, Math.min(1, height - body.length))}, () => blankLine),
    ...selectLines(checkpointItems(subject.run, changesRefused), state.choice, {columns}),
    state.notice === null
      ? hintLine(hints, footColumns)
      : lineOf(cutEnd(` ${state.notice}`, footColumns), {tone: 'warning'}),
  ].slice(-rows);
}

/** The full diff, or why it is not there. */
export function readingLines(
  diff: LoadedDiff,
  {task}: CheckpointSubject,
  {columns, rows, footColumns = columns}: Room,
): Line[] {
  const title = `${displayLine(task.id)}  ${displayLine(task.title)}`;
  const foot = hintLine(
    hintsOf(diffKeymap, diff.state === 'ready' ? diff.view : emptyDiff, diffHeight(rows)),
    footColumns,
  );
  if (diff.state === 'ready') {
    return [...diffLines(diff.view, {title, columns, height: diffHeight(rows)}), foot];
  }
  const text =
    diff.state === 'failed' ? `The diff cannot be shown: ${displayLine(diff.reason)}` : 'Reading the diff…';
  return [lineOf(cutEnd(` ${title}`, columns), {bold: true}), lineOf(cutEnd(` ${text}`, columns)), foot];
}

/** Without the line above and the hints below. */
export const diffHeight = (rows: number) => Math.max(1, rows - 2);
