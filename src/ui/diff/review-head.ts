import {effectTexts} from '../../machines/policies/review/effect-words.ts';
import {checkWords, isPassed, lastChecks} from '../../machines/policies/run/check-words.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Line, Span} from '../components/lines.tsx';
import {cutEnd} from '../text/fit.ts';
import {wrapped} from '../text/wrap.ts';

/** What is reviewed. */
export type ReviewSubject = {
  readonly task: {
    readonly id: string;
    readonly title: string;
    readonly acceptanceCriteria?: readonly string[];
  };
  readonly run: RunRecord;
};

const label = 10;

/** One thing to know about a run: all its lines, and those that will do where there is little room. */
type Part = {readonly lines: readonly Line[]; readonly short: readonly Line[]; readonly brief: number};

/** What a reviewer should know before the files: what went wrong or around the diff first, then what was said. */
function partsOf({task, run}: ReviewSubject, columns: number): Part[] {
  const effects = effectTexts(run.side_effects).map(displayLine);
  const criteria = (task.acceptanceCriteria ?? []).map((each) => `• ${displayLine(each)}`);
  const said = (run.result ?? '').trim();
  const checks = checksOf(run);
  const isFailed = checks.some(({isPassed}) => !isPassed);
  const alarm = {tone: 'warning', bold: true} as const;
  const part = (name: string, texts: readonly string[], form: Partial<PartForm> = {}): Part[] =>
    texts.length === 0 ? [] : [block(name, texts, columns, {short: texts, brief: 2, style: {}, ...form})];
  return [
    ...part('Failed', run.failure ? [run.failure.message] : [], {style: {tone: 'bad', bold: true}}),
    ...part('Beware', effects, {brief: Number.POSITIVE_INFINITY, style: alarm}),
    ...part('Said', said === '' ? [] : said.split('\n')),
    ...part('Criteria', criteria, {short: [criteria.join('  ')]}),
    ...part(
      'Checks',
      checks.flatMap(({text, tail}) => [text, ...tail]),
      {short: [checks.map(({text}) => text).join('   ')], style: isFailed ? {tone: 'bad', bold: true} : {}},
    ),
  ];
}

type PartForm = {
  /** What is said where there is little room, in at most so many rows. */
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
  const linesOf = (shown: readonly string[]) =>
    shown
      .flatMap((text) => wrapped(text, Math.max(8, columns - label - 2)))
      .map(
        (row, place): Line => [
          {
            text: place === 0 ? ` ${name.padEnd(label - 1)}` : ' '.repeat(label),
            dim: style.tone === undefined,
            ...style,
          },
          {text: row, ...style},
        ],
      );
  return {lines: linesOf(texts), short: linesOf(short), brief};
}

type Check = {readonly text: string; readonly isPassed: boolean; readonly tail: readonly string[]};

/** The checks as they were made last, each with how it ended; of those that failed the end of their output. */
const checksOf = (run: RunRecord): Check[] =>
  lastChecks(run).map((check) => ({
    text: checkWords(check),
    isPassed: isPassed(check),
    tail: isPassed(check) ? [] : check.tail.trimEnd().split('\n').slice(-tailLines),
  }));

const tailLines = 20;

/** Everything that is known of a run beside its diff. */
export const toldLines = (subject: ReviewSubject, columns: number): Line[] =>
  partsOf(subject, columns).flatMap(({lines}) => [...lines]);

/** As much of it as fits into so many rows; each part gives way, the last one first. */
export function briefLines(subject: ReviewSubject, columns: number, rows: number): Line[] {
  const parts = partsOf(subject, columns);
  const counts = parts.map(({short, brief}) => Math.min(short.length, brief));
  const total = () => counts.reduce((sum, count) => sum + count, 0);
  for (const least of [1, 0]) {
    for (let part = parts.length - 1; part >= 0; part--) {
      while (total() > rows && (counts[part] ?? 0) > least) counts[part] = (counts[part] ?? 0) - 1;
    }
  }
  return parts.flatMap(({short}, part) => cutTo(short, counts[part] ?? 0, columns));
}

function cutTo(lines: readonly Line[], count: number, columns: number): Line[] {
  const shown = lines.slice(0, count);
  const last = shown.at(-1);
  if (!last || lines.length <= count) return shown;
  const [front, ...rest] = last;
  const text = rest.map((span) => span.text).join('');
  const more = ` … (+)`;
  const [style = {text: ''}] = rest;
  return [
    ...shown.slice(0, -1),
    [front ?? {text: ''}, {...style, text: `${cutEnd(text, columns - label - more.length - 1)}${more}`}],
  ];
}

/** How much changed, where there is no diff to count: what the record says. */
export function totalsOf({review_summary: summary}: RunRecord): string {
  const last = summary?.diffstat.split('\n').findLast((line) => line.trim() !== '');
  if (last !== undefined && /\bchanged\b/.test(last)) return displayLine(last.trim());
  const count = summary?.total_files ?? summary?.files.length ?? 0;
  if (count > 0) return `${count} ${count === 1 ? 'file' : 'files'} changed`;
  return displayLine(summary?.note ?? 'no files were changed');
}
