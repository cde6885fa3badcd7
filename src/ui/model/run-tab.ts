import {checkingWords} from '../../machines/policies/run/check-words.ts';
import type {ConversationKind, ConversationLine} from '../../machines/policies/run/conversation.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import {clockTime, dollars, duration, tokens, workTime} from '../../machines/policies/text/durations.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Line} from '../components/lines.tsx';
import {wrapped} from '../text/wrap.ts';
import type {Jobs} from '../tui-core.ts';
import type {Facts, TuiState} from './facts.ts';
import {justifyLine, type Style} from './styled-lines.ts';
import {isUndone, runBadge, stateBadges, waitNote} from './task-state.ts';

/** Silence is shown after this long. */
const silenceSeconds = 5;

/** Task, elapsed time and state, above the agent's activity. */
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
    ...(isUndone(run, facts.run) ? ['undone'] : []),
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
  {task, run: latest, shownRun: run, stateOf, isPausing, isEngineAlive}: Facts,
): readonly [string, string, Style] {
  if (!task || !run) return ['', '', {}];
  if (run !== latest) return runBadge(run);
  const [symbol, word, style] = stateBadges[stateOf(task)];
  if (run.state === 'running' && state.job?.runs.has(run.run_id)) {
    const [working, , accent] = stateBadges.running;
    return isPausing
      ? [working, 'pausing', {tone: 'warning'}]
      : [working, checkingWords(run) ?? (run.run_type === 'review' ? 'reviewing' : 'working'), accent];
  }
  return [symbol, (waitNote(run, isEngineAlive) ?? word) || run.state, style];
}

/** Working time so far: the ended segments, plus the current one or the check. */
export function elapsed(run: RunRecord, now: number): number {
  const last = run.segments.at(-1);
  const ended = workTime({...run, state: 'paused', segments: run.segments.filter(({ended_at}) => ended_at)});
  const open = run.check ?? (last?.ended_at ? undefined : last);
  const current = open ? now - Date.parse(open.started_at) : 0;
  return ended + Math.max(0, current);
}

function silence(milliseconds: number): string[] {
  return milliseconds < silenceSeconds * 1000 ? [] : [`quiet ${clockTime(milliseconds)}`];
}

/** The header names the usual agent; only a different one is mentioned here. */
const isUsual = ({data}: TuiState, {provider}: RunRecord): boolean =>
  data !== null && 'id' in data.provider && data.provider.id === provider;

const clockColumns = 10;

/** The conversation with times on the left; long messages are wrapped. */
export function talkLines(talks: readonly ConversationLine[], columns: number): Line[] {
  const width = Math.max(8, columns - clockColumns);
  return talks.flatMap(({at, kind, text}) => {
    const time = at === null || kind === 'option' ? '' : timeOfDay(at);
    const [first, rest, style] = kindLooks[kind];
    const body = kind === 'message' ? `“${displayText(text)}”` : displayText(text);
    const lines = body.split('\n').flatMap((line) => wrapped(line, width - rest.length));
    return lines.map(
      (line, index): Line => [
        {text: (index === 0 ? time : '').padEnd(clockColumns), dim: true},
        {text: (index === 0 ? first : rest) + line, ...style},
      ],
    );
  });
}

/** The prefix of the first line, the prefix of the others, and their style. */
const kindLooks = {
  message: ['', ' ', {}],
  command: ['', '  ', {bold: true}],
  output: ['  ', '  ', {dim: true}],
  edit: ['', '  ', {tone: 'accent'}],
  read: ['', '  ', {dim: true}],
  tool: ['', '  ', {}],
  notice: ['! ', '  ', {tone: 'warning'}],
  question: ['? ', '  ', {tone: 'warning', bold: true}],
  option: ['    ', '    ', {tone: 'warning'}],
  verdict: ['', '  ', {bold: true}],
  you: ['you: ', '     ', {tone: 'accent', bold: true}],
  mark: ['', '  ', {dim: true}],
} as const satisfies Record<ConversationKind, readonly [first: string, rest: string, style: Style]>;

function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
