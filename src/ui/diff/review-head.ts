import {effectsByRank} from '../../machines/policies/review/effect-words.ts';
import {commentCount, requestWords} from '../../machines/policies/review/line-comments.ts';
import {remarksOf} from '../../machines/policies/review/review-remarks.ts';
import {checkWords, isPassed, lastChecks} from '../../machines/policies/run/check-words.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine, visibleLine} from '../../machines/policies/text/display-text.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Line, Span} from '../components/lines.tsx';
import {cutEnd} from '../text/fit.ts';
import {wrapped} from '../text/wrap.ts';

export type ReviewSubject = {
  readonly task: {
    readonly id: string;
    readonly title: string;
    readonly acceptanceCriteria?: readonly string[];
  };
  readonly run: RunRecord;
  /** Its change was undone. */
  readonly isUndone?: boolean;
};

const label = 10;

/** One note about a run: all its lines, and a short form for little space. */
type Part = {
  readonly lines: readonly Line[];
  readonly short: readonly Line[];
  readonly brief: number;
  /** What is shown in this many rows if not all of it fits. */
  readonly cut: (rows: number) => readonly Line[];
};

/** What a reviewer should know before the files: problems and side effects first, then what was said. */
function partsOf({task, run, isUndone = false}: ReviewSubject, columns: number): Part[] {
  const criteria = (task.acceptanceCriteria ?? []).map((each) => `• ${displayLine(each)}`);
  const checks = checksOf(run);
  const isFailed = checks.some(({isPassed}) => !isPassed);
  const part = (name: string, texts: readonly string[], form: Partial<PartForm> = {}): Part[] =>
    texts.length === 0 ? [] : [block(name, texts, columns, {short: texts, brief: 2, style: {}, ...form})];
  return [
    ...part('Undone', isUndone ? ['this change is no longer in the files'] : [], {
      style: {tone: 'warning', bold: true},
    }),
    ...part('Failed', run.failure ? [run.failure.message] : [], {style: {tone: 'bad', bold: true}}),
    ...beware(run, columns),
    ...part('Asked', askedOf(run)),
    ...part('Said', saidOf(run)),
    ...part('Criteria', criteria, {short: [criteria.join('  ')]}),
    ...part(
      'Checks',
      checks.flatMap(({text, tail}) => [text, ...tail]),
      {short: [checks.map(({text}) => text).join('   ')], style: isFailed ? {tone: 'bad', bold: true} : {}},
    ),
  ];
}

/** The agent's last words; a verdict in words instead of as its answer. */
function saidOf(run: RunRecord): string[] {
  const {parent_review_passed: hasPassed, parent_review_feedback: feedback = ''} = run;
  const ids = run.parent_review_resume_task_ids ?? [];
  const verdict = hasPassed
    ? `the review passed\n${remarksOf(run)}`
    : `sent back: ${ids.join(', ')}\n${feedback}`;
  const said = (hasPassed === undefined ? (run.result ?? '') : verdict).trim();
  return said === '' ? [] : said.split('\n');
}

/** What the agent was sent back with. */
function askedOf({feedback = '', comment_ids: comments = []}: RunRecord): string[] {
  const words = requestWords(feedback);
  const count = comments.length === 0 ? [] : [`with ${commentCount(comments.length)}`];
  return [...(words === '' ? [] : words.split('\n')), ...count];
}

type PartForm = {
  /** The short form, in at most this many rows. */
  readonly short: readonly string[];
  readonly brief: number;
  readonly style: Omit<Span, 'text'>;
};

function block(
  name: string,
  texts: readonly string[],
  columns: number,
  {short, brief, style}: PartForm,
): Part {
  const room = roomFor(columns);
  const rowsOf = (shown: readonly string[]) => shown.flatMap((text) => wrapped(text, room));
  const rows = rowsOf(short);
  return {
    lines: labelled(name, rowsOf(texts), style),
    short: labelled(name, rows, style),
    brief,
    cut: (count) => labelled(name, cutTo(rows, count, ' … (+)', room), style),
  };
}

const roomFor = (columns: number): number => Math.max(8, columns - label - 2);

const labelled = (name: string, rows: readonly string[], style: PartForm['style']): Line[] =>
  rows.map((row, place) => [
    {
      text: place === 0 ? ` ${name.padEnd(label - 1)}` : ' '.repeat(label),
      dim: style.tone === undefined,
      ...style,
    },
    {text: row, ...style},
  ]);

/** At most this many rows; the last one says that there are more. */
function cutTo(rows: readonly string[], count: number, more: string, room: number): string[] {
  const shown = rows.slice(0, count);
  const last = shown.at(-1);
  if (last === undefined || rows.length <= count) return shown;
  return [...shown.slice(0, -1), `${cutEnd(last, room - more.length + 1)}${more}`];
}

/** Every side effect gets a row before any is shown in full; omitted ones are counted. */
function beware({side_effects: effects}: RunRecord, columns: number): Part[] {
  const ranked = effectsByRank(effects);
  const [heads, details] = [ranked.heads.map(visibleLine), ranked.details.map(visibleLine)];
  if (heads.length === 0) return [];
  const room = roomFor(columns);
  const style = {tone: 'warning', bold: true} as const;
  const whole = [...heads, ...details].flatMap((text) => wrapped(text, room));
  const lines = labelled('Beware', whole, style);
  const cut = (count: number): Line[] => {
    const first = spread(heads, count, room);
    const all = [...first, ...spread(details, count - first.length, room)];
    return labelled('Beware', cutTo(all, count, ` +${all.length - count} more (+)`, room), style);
  };
  return [{lines, short: lines, brief: Number.POSITIVE_INFINITY, cut}];
}

/** One row per text; the remaining rows go to the first ones. */
function spread(texts: readonly string[], count: number, room: number): string[] {
  let spare = Math.max(0, count - texts.length);
  return texts.flatMap((text) => {
    const rows = wrapped(text, room);
    const given = Math.min(rows.length, 1 + spare);
    spare -= given - 1;
    return cutTo(rows, given, ' … (+)', room);
  });
}

type Check = {readonly text: string; readonly isPassed: boolean; readonly tail: readonly string[]};

/** The last results of the checks; failed ones with the end of their output. */
const checksOf = (run: RunRecord): Check[] =>
  lastChecks(run).map((check) => ({
    text: checkWords(check),
    isPassed: isPassed(check),
    tail: isPassed(check) ? [] : check.tail.trimEnd().split('\n').slice(-tailLines),
  }));

const tailLines = 20;

/** Everything known about a run besides its diff. */
export const noteLines = (subject: ReviewSubject, columns: number): Line[] =>
  partsOf(subject, columns).flatMap(({lines}) => [...lines]);

/** As much as fits into this many rows; the last parts shrink first. */
export function briefLines(subject: ReviewSubject, columns: number, rows: number): Line[] {
  const parts = partsOf(subject, columns);
  const counts = parts.map(({short, brief}) => Math.min(short.length, brief));
  const total = () => counts.reduce((sum, count) => sum + count, 0);
  for (const least of [1, 0]) {
    for (let part = parts.length - 1; part >= 0; part--) {
      while (total() > rows && (counts[part] ?? 0) > least) counts[part] = (counts[part] ?? 0) - 1;
    }
  }
  return parts.flatMap(({short, cut}, part) => {
    const count = counts[part] ?? 0;
    return short.length <= count ? [...short] : [...cut(count)];
  });
}

/** The size of the change from the record, if there is no diff to count. */
export function totalsOf({review_summary: summary}: RunRecord): string {
  const last = summary?.diffstat.split('\n').findLast((line) => line.trim() !== '');
  if (last !== undefined && /\bchanged\b/.test(last)) return displayLine(last.trim());
  const count = summary?.total_files ?? summary?.files.length ?? 0;
  if (count > 0) return `${counted(count, 'file')} changed`;
  return displayLine(summary?.note ?? 'no files were changed');
}
