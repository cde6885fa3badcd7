import {displayLine} from '../../machines/policies/text/display-text.ts';
import {clockTime, dollars, duration, tokens, workTime} from '../../machines/policies/text/durations.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Line} from '../components/lines.tsx';
import {wrapped} from '../text/wrap.ts';
import type {Jobs} from '../tui-jobs.ts';
import type {Facts, TuiState} from './facts.ts';
import type {ActivityKind, ActivityLine} from './run-activity.ts';
import {justifyLine, type Style} from './styled-lines.ts';
import {runBadge, stateBadges} from './task-state.ts';

/** Silence is shown after this. */
const silenceSeconds = 5;

/** Task, elapsed time and state, above what the agent does. */
export function runHead(state: TuiState, facts: Facts, jobs: Jobs, columns: number): Line[] {
  const {task, shownRun: run} = facts;
  if (!task || !run) return [];
  const {past} = state;
  const isOwn = state.job?.runs.has(run.run_id) === true;
  const live = isOwn ? jobs.live.of(run.run_id) : null;
  const now = jobs.now();
  const time =
    run.state === 'running' && (isOwn || facts.state === 'running')
      ? clockTime(elapsed(run, now))
      : duration(workTime(run));
  const usage = live?.usage ?? run.usage;
  const parts = [
    ...(usage ? [`${tokens(usage)} tok`] : []),
    ...(usage?.cost_usd === undefined ? [] : [dollars(usage.cost_usd)]),
    ...(live ? silence(now - live.lastActivityAt) : []),
    ...(isUsual(state, run) ? [] : [run.provider]),
    ...(past?.taskId === task.id ? [`run ${past.index + 1} of ${past.runs.length}`] : []),
    ...(state.browse.isRaw ? ['raw output'] : []),
  ];
  const [symbol, word, style] = stateWord(state, facts);
  return [
    justifyLine(
      [
        {text: displayLine(task.id), dim: true},
        {text: `  ${displayLine(task.title)}`, bold: true},
      ],
      [{text: time}],
      columns,
    ),
    justifyLine(
      [{text: `${symbol} ${word}`, ...style}, {text: parts.map((part) => ` · ${part}`).join('')}],
      [],
      columns,
    ),
    [],
  ];
}

function stateWord(
  state: TuiState,
  {task, run: latest, shownRun: run, stateOf, isPausing}: Facts,
): readonly [string, string, Style] {
  if (!task || !run) return ['', '', {}];
  if (run !== latest) return runBadge(run);
  const [symbol, word, style] = stateBadges[stateOf(task)];
  if (run.state === 'running' && state.job?.runs.has(run.run_id)) {
    const [working, , accent] = stateBadges.running;
    return isPausing
      ? [working, 'pausing', {tone: 'warning'}]
      : [working, run.run_type === 'review' ? 'reviewing' : 'working', accent];
  }
  return [symbol, word || run.state, style];
}

/** Work so far: the segments that ended, and the one that runs. */
export function elapsed(run: RunRecord, now: number): number {
  const last = run.segments.at(-1);
  const ended = workTime({...run, state: 'paused', segments: run.segments.filter(({ended_at}) => ended_at)});
  const current = last && !last.ended_at ? now - Date.parse(last.started_at) : 0;
  return ended + Math.max(0, current);
}

function silence(milliseconds: number): string[] {
  return milliseconds < silenceSeconds * 1000 ? [] : [`quiet ${clockTime(milliseconds)}`];
}

/** The header names the agent; only another one is worth a word here. */
const isUsual = ({data}: TuiState, {provider}: RunRecord): boolean =>
  data !== null && 'id' in data.provider && data.provider.id === provider;

const clockColumns = 10;

/** What an agent did, each with its time; what is too long goes on below it. */
export function activityLines(activity: readonly ActivityLine[], columns: number): Line[] {
  const width = Math.max(8, columns - clockColumns);
  return activity.flatMap(({at, kind, text}) =>
    wrapped(displayLine(text), width).map(
      (line, index): Line => [
        {text: index === 0 ? `${timeOfDay(at)}  ` : ' '.repeat(clockColumns), dim: true},
        {text: line, ...kindStyles[kind]},
      ],
    ),
  );
}

const kindStyles = {
  message: {},
  command: {bold: true},
  output: {dim: true},
  edit: {tone: 'accent'},
  read: {dim: true},
  tool: {},
  notice: {tone: 'warning'},
} as const satisfies Record<ActivityKind, Style>;

function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
