import {emptyPlanText} from '../plan/empty-plan.ts';
import {decisionWords} from '../review/checkpoint-choices.ts';
import {checkOutputCommand} from '../run/check-words.ts';
import {commitWords} from '../run/commit-message.ts';
import {counted} from '../text/counted.ts';
import {displayLine} from '../text/display-text.ts';
import {dollars, duration, timeOfDay, tokenWords} from '../text/durations.ts';
import type {Need, TimeNeed} from './needs-you.ts';
import type {CheckReport, Report, TaskReport} from './report.ts';
import type {LaneOutcome, WaitTotal} from './timeline.ts';

export type Tone = 'good' | 'bad' | 'person' | 'rest' | 'busy';

/** Each outcome has a sign, a word and a tone: never colour alone. */
export const outcomeWords = {
  running: {sign: '●', word: 'at work', tone: 'busy'},
  lost: {sign: '✗', word: 'lost: its Blackbird is gone', tone: 'bad'},
  done: {sign: '✓', word: 'done', tone: 'good'},
  failed: {sign: '✗', word: 'failed', tone: 'bad'},
  refused: {sign: '⊘', word: 'its agent refused to continue', tone: 'bad'},
  waiting_answer: {sign: '?', word: 'waits for an answer', tone: 'person'},
  waiting_time: {sign: 'Ⅱ', word: 'waits for its provider', tone: 'rest'},
  paused: {sign: 'Ⅱ', word: 'paused', tone: 'person'},
  decision: {sign: '!', word: 'waits for your decision', tone: 'person'},
  sent_back: {sign: '↩', word: 'sent back', tone: 'person'},
  canceled: {sign: '–', word: 'not started', tone: 'rest'},
  undone: {sign: '↶', word: 'undone', tone: 'rest'},
  skipped: {sign: '–', word: 'skipped', tone: 'rest'},
  dropped: {sign: '–', word: 'dropped', tone: 'rest'},
} as const satisfies Record<LaneOutcome, {sign: string; word: string; tone: Tone}>;

/** `Last night  22:04 – 03:41`, in everyday words; with the date if it was longer ago. */
export function titleOf({from, to, is_live}: Report, now: string): string {
  if (from === null || to === null) return 'Nothing ran';
  const [begin, today] = [new Date(from), new Date(now)];
  const days = Math.round((dayOf(today) - dayOf(begin)) / 86_400_000);
  const isNight = days === 1 && begin.getHours() >= 18;
  const when = days === 0 ? 'Today' : isNight ? 'Last night' : days === 1 ? 'Yesterday' : localDay(begin);
  const end = is_live ? 'now' : timeOfDay(to, days > 1 ? from : morningOf(from, to));
  return `${when}  ${timeOfDay(from, from)} – ${end}`;
}

const dayOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
const pad = (value: number) => String(value).padStart(2, '0');
const localDay = (date: Date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;

/** A night ends on the next day, which needs no date. */
const morningOf = (from: string, to: string) => (Date.parse(to) - Date.parse(from) < 86_400_000 ? to : from);

/** The same for every view: who worked, how much is done, and what it took. */
export function headPieces({jobs, tasks, is_live, done, skipped, total, totals}: Report): string[] {
  const {cost_usd, tokens, limits, outages, crashes, questions, retries} = totals;
  // A job that started nothing did not use its agent.
  const workers = tasks.length === 0 && is_live ? jobs : tasks;
  const agents = [...new Set(workers.map(({agent}) => agent))];
  return [
    ...(agents.length === 0 ? [] : [displayLine(agents.join(', '))]),
    `${done} of ${total} done`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(tokens === null ? [] : [tokenWords(tokens)]),
    ...(cost_usd === null ? [] : [dollars(cost_usd)]),
    ...waitWords(limits, 'usage limit'),
    ...waitWords(outages, 'outage'),
    ...ifAny(questions, 'question'),
    ...ifAny(retries, 'retry', 'retries'),
    ...ifAny(crashes, 'crash', 'crashes'),
  ];
}

function waitWords({count, milliseconds}: WaitTotal, cause: string): string[] {
  if (count === 0) return [];
  return [`${counted(count, 'wait')} of ${duration(milliseconds)} (${cause})`];
}

const ifAny = (count: number, one: string, many?: string) => (count === 0 ? [] : [counted(count, one, many)]);

/** What a task took and left: time, cost, change, checks, commit and interruptions. */
export function taskPieces(task: TaskReport): string[] {
  const {work_milliseconds, cost_usd, change, checks, commit, waits, questions, retries, crashes} = task;
  const waited = (reason: 'limit' | 'outage') => {
    const own = waits.filter((wait) => wait.reason === reason);
    return {count: own.length, milliseconds: own.reduce((sum, wait) => sum + wait.milliseconds, 0)};
  };
  return [
    duration(work_milliseconds),
    ...(cost_usd === null ? [] : [dollars(cost_usd)]),
    ...(change === null || task.kind === 'review' ? [] : [changeWords(change)]),
    ...checks.map(checkPiece),
    ...(task.decision && task.decision !== 'pending' ? [decisionWords[task.decision]] : []),
    ...(commit === null ? [] : [commitWords(commit)]),
    ...waitWords(waited('limit'), 'usage limit'),
    ...waitWords(waited('outage'), 'outage'),
    ...ifAny(questions.filter(({answer}) => answer !== null).length, 'answer'),
    ...ifAny(retries, 'retry', 'retries'),
    ...(crashes === 0 ? [] : ['survived a crash of Blackbird']),
  ];
}

const changeWords = ({files, added, removed}: NonNullable<TaskReport['change']>) =>
  files === 0 ? 'no change' : `${counted(files, 'file')} +${added} −${removed}`;

/** `npm test ✓ (2nd round)`. */
export function checkPiece({command, passed, round}: CheckReport): string {
  const again = round === 1 ? '' : ` (${ordinal(round)} round)`;
  return `${displayLine(command)} ${passed ? '✓' : '✗'}${again}`;
}

/** The end of the failed check's output, and where to find all of it; null if it printed nothing. */
export function failedOutput({
  task,
  isSettled,
}: ReportLine): {lines: readonly string[]; command: string} | null {
  const lines = isSettled ? [] : (task.checks.find(({passed}) => !passed)?.tail ?? []);
  return lines.length === 0 ? null : {lines, command: checkOutputCommand(task.task_id)};
}

function ordinal(count: number): string {
  const isTeen = count % 100 > 10 && count % 100 < 14;
  return `${count}${(!isTeen && ['th', 'st', 'nd', 'rd'][count % 10]) || 'th'}`;
}

/** Why a task is not done, and what to do; null if the user need not do anything. */
export function needPieces(task: TaskReport, need: Need | undefined): {why: string; command: string | null} {
  const words: string = outcomeWords[task.outcome].word;
  const why = need?.why ?? (task.failure === null ? words : `${words}: ${task.failure}`);
  return {why: displayLine(why), command: need?.command ?? null};
}

export type ReportLine = {
  readonly task: TaskReport;
  readonly need: Need | TimeNeed | undefined;
  /** It has ended, and needs nobody. */
  readonly isSettled: boolean;
};

/** The start of a line. Work that ended well but needs someone is not ticked off. */
export const lineWords = ({task, need}: ReportLine): {sign: string; word: string; tone: Tone} =>
  task.outcome === 'done' && need !== undefined
    ? {sign: '!', word: 'needs you', tone: 'person'}
    : outcomeWords[task.outcome];

const over: ReadonlySet<LaneOutcome> = new Set(['done', 'undone', 'canceled', 'skipped', 'dropped']);

/** It needs time, and nobody. */
const isForTime = (need: Need | TimeNeed | undefined): boolean => need !== undefined && 'retry_at' in need;

/**
 * Finished tasks first, those that need someone last, where readers look; then needs of tasks that were not worked on.
 */
export function reportLines({tasks, needs_you, needs_time}: Report): {
  lines: ReportLine[];
  others: ReadonlyArray<Need | TimeNeed>;
} {
  const all = [...needs_time, ...needs_you];
  const needs = new Map(all.map((need) => [need.task_id, need]));
  const lines = tasks.map((task) => {
    const need = needs.get(task.task_id);
    return {task, need, isSettled: over.has(task.outcome) && need === undefined};
  });
  const worked = new Set(tasks.map(({task_id}) => task_id));
  return {
    lines: [
      ...lines.filter(({isSettled}) => isSettled),
      ...lines.filter(({isSettled, need}) => !isSettled && need === undefined),
      ...lines.filter(({need}) => isForTime(need)),
      ...lines.filter(({need}) => need !== undefined && !isForTime(need)),
    ],
    others: all.filter(({task_id}) => !worked.has(task_id)),
  };
}

/** A need in the formats that list needs apart from tasks. */
export type NeedItem = Readonly<Record<'sign' | 'task_id' | 'title' | 'why', string>> & {
  readonly tone: Tone;
  readonly command: string | null;
  readonly output: ReturnType<typeof failedOutput>;
};

/** What needs the user, and what only needs time; no section is empty. */
export function needSections(report: Report): Array<{heading: string; items: NeedItem[]}> {
  const {lines, others} = reportLines(report);
  const needs = [
    ...lines.flatMap((line) => (line.need === undefined ? [] : [{need: line.need, item: itemOf(line)}])),
    ...others.map((need) => ({need, item: {...need, ...signOf(need), output: null}})),
  ];
  const itemsOf = (isTime: boolean) =>
    needs.flatMap(({need, item}) => (isForTime(need) === isTime ? [item] : []));
  return [
    {heading: 'Needs you', items: itemsOf(false)},
    {heading: 'Needs time', items: itemsOf(true)},
  ].filter(({items}) => items.length > 0);
}

function itemOf(line: ReportLine): NeedItem {
  const {task, need} = line;
  const {sign, tone} = lineWords(line);
  const {task_id, title} = task;
  return {sign, tone, task_id, title, ...needPieces(task, need), output: failedOutput(line)};
}

/** The sign of a need whose task was not worked on. */
export const signOf = (need: Need | TimeNeed): {sign: string; tone: Tone} =>
  isForTime(need) ? {sign: 'Ⅱ', tone: 'rest'} : {sign: '!', tone: 'person'};

/** Jobs that an error ended, which no task shows: a full disk, for example. */
export const errorLines = ({jobs}: Report): string[] =>
  jobs
    .filter(({reason, runs}) => reason === 'error' && runs > 0)
    .map(({job_id, message}) => `job ${displayLine(job_id)} ended by an error: ${displayLine(message)}`);

/** The last job, if it was refused before it started anything; earlier refusals are outdated. */
export function refusalLine({jobs}: Report): string {
  const last = jobs.at(-1);
  return last?.reason === 'error' && last.runs === 0
    ? `the last job could not start: ${displayLine(last.message)}`
    : '';
}

/** What is left, and how to continue; empty if nothing is. */
export function restLine(report: Report): string {
  const {is_live, ready, next, done, skipped, total, needs_you, reviews_due, before_all} = report;
  if (is_live) return '';
  if (total === 0) return emptyPlanText;
  if (ready === 0) {
    if (done + skipped < total || needs_you.length > 0) return '';
    if (reviews_due.length === 0) return `Everything is done${skipped > 0 ? ' or skipped' : ''}.`;
    return `The review of ${reviews_due.map(displayLine).join(', ')} is due. Continue with: blackbird execute`;
  }
  const names = next.map(({task_id}) => displayLine(task_id)).join(', ');
  const others = ready > next.length ? `, and ${ready - next.length} more` : '';
  const first = before_all === null ? '' : `${displayLine(before_all)}, then `;
  return `${ready} ready: ${names}${others}. Continue with: ${first}blackbird execute`;
}
