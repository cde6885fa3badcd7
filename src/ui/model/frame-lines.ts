import {waitLine} from '../../machines/policies/job/wait-lines.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {dollars} from '../../machines/policies/text/durations.ts';
import type {Refusal} from '../commands/command.ts';
import {keymapFor} from '../commands/command-table.ts';
import {restartRefusal, resumeRefusal} from '../commands/task-refusals.ts';
import type {Line} from '../components/lines.tsx';
import {bindingOf, hintsOf, type KeyHint} from '../keymap.ts';
import {textWidth} from '../text/graphemes.ts';
import type {Facts, TuiState} from './facts.ts';
import {cutLine, justifyLine, lineWidth} from './styled-lines.ts';

/** The first line: project, agent and progress. */
export function headerLine(name: string, state: TuiState, {summary, layout}: Facts): Line {
  const {data} = state;
  const hasAgent = data !== null && 'id' in data.provider && data.provider.source !== 'none';
  const agent = data === null ? '' : hasAgent ? data.provider.id : 'no agent';
  const parts = [
    agent,
    ...(summary && summary.total > 0 ? [`${summary.done}/${summary.total} done`] : []),
    ...(data?.cost == null ? [] : [dollars(data.cost)]),
  ].filter((part) => part !== '');
  return justifyLine(
    [{text: ' blackbird', bold: true, tone: 'accent'}, {text: `  ${displayLine(name)}`}],
    [{text: `${parts.join(' · ')} `, dim: true}],
    layout.width,
  );
}

/** The window title: the state, visible from other windows. */
export function terminalTitle(
  name: string,
  {job}: TuiState,
  {summary, isPausing, hasBanner, plan}: Facts,
): string {
  const project = `${displayLine(name)} · blackbird`;
  if (!summary) return project;
  const done = `${summary.done}/${summary.total}`;
  if (summary.attention.length > 0) return `! needs you · ${done} · ${project}`;
  if (isPausing) return `Ⅱ pausing · ${done} · ${project}`;
  if (hasBanner) return `Ⅱ paused · ${done} · ${project}`;
  const [run] = job?.runs.values() ?? [];
  const title = run && plan?.items.get(run.task_id)?.title;
  if (title !== undefined) return `● ${displayLine(title)} · ${done} · ${project}`;
  return `${done} · ${project}`;
}

/** The line above the keys: what must not be missed, and the last message. */
export function bannerLine(state: TuiState, facts: Facts): Line {
  const {notice, data, job} = state;
  const {width} = facts.layout;
  const called = callLine(state, facts);
  const said: Line = notice ? [{text: ` ${displayLine(notice.text)}`, tone: notice.tone}] : [];
  if (facts.hasBanner) return alertLine(' Paused.', ' Ctrl+C again to quit.', notice ? said : called, width);
  if (facts.isConfirming) return alertLine(' Ctrl+C again to quit.', '', [], width);
  if (facts.isPausing) return alertLine(' Pausing…', ' Ctrl+C again to force.', said, width);
  if (called.length > 0) {
    const rest = notice ? said : called;
    return cutLine([{text: ' ACTION REQUIRED ', bold: true, inverse: true, tone: 'warning'}, ...rest], width);
  }
  if (notice) return cutLine(said, width);
  if (job?.isStopping) return [{text: job.wait ? ' Ends now.' : ' Stops after this task.', tone: 'warning'}];
  if (data?.otherEngine != null) {
    return cutLine(
      [{text: ` Process ${data.otherEngine} is working on this project; you can watch.`, tone: 'accent'}],
      width,
    );
  }
  const [warning] = data?.config.warnings ?? [];
  return warning === undefined ? [] : cutLine([{text: ` ${displayLine(warning)}`, tone: 'warning'}], width);
}

/** Which tasks need the user, and the keys that lead there. What is already open is left out. */
function callLine(state: TuiState, facts: Facts): Line {
  const {summary, panel, screen, task} = facts;
  const attention = summary?.attention ?? [];
  const waiting = attention.length;
  if (waiting === 0 || panel !== null) return [];
  const what = waiting === 1 ? ' a task needs you' : ` ${waiting} tasks need you`;
  if (screen !== 'plan') return [{text: `${what}${screen === 'home' ? ': enter shows the plan' : ''}`}];
  const isThere = waiting === 1 && task?.id === attention[0];
  // In the other pane n goes to the next match or file.
  const way = state.browse.pane === 'tree' ? 'n goes there' : 'esc, then n goes there';
  const ways = [...(isThere ? [] : [way]), ...continueKeys(state, facts, attention)].join(', ');
  return [{text: ways === '' ? what : `${what}: ${ways}`}];
}

/** The key that does something about one of these tasks; none while every key is refused. */
function continueKeys(state: TuiState, facts: Facts, taskIds: readonly string[]): string[] {
  const isOpen = (refusal: Refusal) =>
    taskIds.some((id) => refusal({...facts, task: facts.plan?.items.get(id) ?? null}, state) === null);
  if (isOpen(resumeRefusal)) return ['u opens it'];
  return isOpen(restartRefusal) ? ['R restarts it'] : [];
}

/** The same while a job waits for a limit. A requested pause, or a task that needs the user, comes first. */
export function waitBanner(state: TuiState, facts: Facts, now: string): Line {
  const wait = state.job?.wait;
  const isUrgent = facts.isPausing || facts.hasBanner || (facts.summary?.attention.length ?? 0) > 0;
  if (!wait || isUrgent || state.notice || state.job?.isStopping) return bannerLine(state, facts);
  const {width} = facts.layout;
  const whole = ` Ⅱ ${waitLine(wait, now)}`;
  const brief = ` Ⅱ ${waitLine(wait, now, true)}`;
  const canTry = bindingOf(keymapFor(facts, state), 'r', facts, state)?.id === 'job.retryNow';
  const text =
    [...(canTry ? [`${whole}  r tries now`] : []), whole].find((each) => textWidth(each) <= width) ?? brief;
  return cutLine([{text, tone: 'warning'}], width);
}

/** An alert with its advice, and the notice beside it; if both do not fit, the notice replaces the advice. */
function alertLine(alert: string, advice: string, said: Line, width: number): Line {
  const style = {bold: true, inverse: true, tone: 'warning'} as const;
  if (said.length === 0) return cutLine([{text: alert + advice, ...style}], width);
  const whole: Line = [{text: `${alert}${advice} `, ...style}, ...said];
  return lineWidth(whole) <= width ? whole : cutLine([{text: `${alert} `, ...style}, ...said], width);
}

/** Only the keys that work now. */
export const activeHints = (state: TuiState, facts: Facts): KeyHint[] =>
  hintsOf(keymapFor(facts, state), facts, state);
