import {reviewedTasks} from '../../machines/policies/review/parent-review.ts';
import type {ConversationLine} from '../../machines/policies/run/conversation.ts';
import {compareTimestamps} from '../../machines/policies/text/timestamps.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Line} from '../components/lines.tsx';
import {bodyLines} from '../diff/review-body.ts';
import {wrapped} from '../text/wrap.ts';
import type {Jobs} from '../tui-core.ts';
import {detailsLines} from './details-tab.ts';
import {diffReview} from './diff-tab.ts';
import {messageRows} from './error-lines.ts';
import type {Facts, TuiState} from './facts.ts';
import {historyLines} from './history-tab.ts';
import {detailColumns} from './layout.ts';
import {memoizeLast} from './memoize.ts';
import {runHead, talkLines} from './run-tab.ts';
import {keyHints, taskFactsOf} from './task-facts.ts';

/** The content of a pane: fixed lines at the top, and lines that scroll. */
export type DetailContent = {
  readonly head: readonly Line[];
  readonly length: number;
  /** At least the lines from `from` to `to`; a wrapped one gives several. */
  readonly slice: (from: number, to: number) => readonly Line[];
};

const fixed = (lines: readonly Line[], head: readonly Line[] = []): DetailContent => ({
  head,
  length: lines.length,
  slice: (from, to) => lines.slice(from, to),
});

const note = (text: string): Line => [{text, dim: true}];

export function detailContent(state: TuiState, facts: Facts, jobs: Jobs): DetailContent {
  const {plan, task, run, shownRun} = facts;
  const columns = detailColumns(facts);
  if (!plan || !task) return fixed([note('no task is selected')]);
  switch (state.browse.tab) {
    case 'details':
      return fixed(
        detailsOf(plan, task, run, facts.stateOf, facts.isEngineAlive, hintFor(state, plan, task), columns),
      );
    case 'run':
      return runContent(state, facts, jobs, columns);
    case 'diff':
      return shownRun ? diffContent(state, facts) : fixed([note('it has not run yet')]);
    case 'history':
      return fixed(fetched(state, facts, columns));
  }
}

function hintFor(state: TuiState, plan: Plan, task: Task): string {
  const asked = taskFactsOf(state, plan, task);
  return asked === null ? '' : keyHints(asked).join(', ');
}

const detailsOf = memoizeLast(detailsLines);

/** A change may have a million lines: only the visible part is rendered. */
function diffContent(state: TuiState, facts: Facts): DetailContent {
  const columns = detailColumns(facts);
  const review = diffReview(state, facts);
  if (!review || (state.detail?.type === 'failed' && isFetched(state, facts)))
    return fixed(fetched(state, facts, columns));
  const room = {columns, rows: facts.layout.paneRows, isFocused: state.browse.pane === 'detail'};
  return fixed([], bodyLines(review, room));
}

function runContent(state: TuiState, facts: Facts, jobs: Jobs, columns: number): DetailContent {
  const {shownRun: run} = facts;
  if (!run) return fixed([note('it has not run yet')]);
  const head = runHead(state, facts, jobs, columns);
  const live = jobs.live.of(run.run_id);
  const isAtWork = state.job?.runs.has(run.run_id) === true;
  // The log of a run that just ended takes a moment to read; until then its live log stays.
  const isComplete = isFetched(state, facts) && !state.detail?.key.endsWith(earlierOnly);
  if (!live || (!isAtWork && isComplete)) return fixed(fetched(state, facts, columns), head);
  if (state.browse.isRaw) {
    const {raw} = live;
    return {
      head,
      length: raw.length,
      slice: (from, to) => raw.slice(from, to).flatMap((line) => plain(line, columns)),
    };
  }
  const {activity} = live;
  const {detail} = state;
  const earlier =
    detail?.type === 'conversation' && isFetched(state, facts)
      ? earlierLines(detail.talks, live.beganAt, columns)
      : [];
  if (activity.length + earlier.length === 0) return fixed([note('no output yet')], head);
  const place = (index: number) => Math.max(0, index - earlier.length);
  return {
    head,
    length: earlier.length + activity.length,
    slice: (from, to) => [
      ...earlier.slice(from, to),
      ...talkLines(activity.slice(place(from), place(to)), columns),
    ],
  };
}

/** Marks what was fetched of a run that continues here: what was said before. */
const earlierOnly = '|earlier';

const earlierLines = memoizeLast(
  (talks: readonly ConversationLine[], before: number, columns: number): readonly Line[] =>
    talkLines(
      talks.filter(({at}) => at === null || at < before),
      columns,
    ),
);

const plain = (text: string, columns: number): Line[] => wrapped(text, columns).map((line) => [{text: line}]);

/** What the open tab has to fetch; empty if everything is known. A changed run is fetched again. */
export function detailKey(state: TuiState, facts: Facts, second: number): string {
  const {browse, job} = state;
  const {screen, task, shownRun: run} = facts;
  if (screen !== 'plan' || !task || browse.tab === 'details') return '';
  const subject = detailSubject(state, facts);
  if (browse.tab === 'history') return `${subject}|${run?.run_id} ${run?.updated_at}`;
  if (!run) return '';
  // A run of this process has a live log; one elsewhere is read every other second.
  const isRunning = facts.state === 'running' && run.state === 'running';
  if (browse.tab === 'run' && run.state === 'running' && job?.runs.has(run.run_id)) {
    return run.segments.some(({ended_at}) => ended_at) && !browse.isRaw ? `${subject}${earlierOnly}` : '';
  }
  const at = browse.tab === 'diff' && run.run_type === 'review' ? lastBelow(state, facts) : run.updated_at;
  return `${subject}|${at} ${isRunning ? Math.floor(second / 2) : ''}`;
}

/** When a task below a parent was last at work: its change is part of the parent's. */
function lastBelow({data}: TuiState, {plan, task}: Facts): string {
  const below = plan && task ? reviewedTasks(plan, task) : [];
  const times = below.flatMap(({id}) => data?.runs.get(id)?.updated_at ?? []);
  return times.toSorted(compareTimestamps).at(-1) ?? '';
}

/** What a tab is about, whatever happened to it since. */
function detailSubject({browse}: TuiState, {task, shownRun: run}: Facts): string {
  if (browse.tab === 'history') return `history ${task?.id}`;
  return `${browse.tab} ${run?.run_id} ${browse.tab === 'run' && browse.isRaw ? 'raw' : ''}`;
}

const isFetched = (state: TuiState, facts: Facts): boolean =>
  state.detail?.key.startsWith(`${detailSubject(state, facts)}|`) === true;

function fetched(state: TuiState, facts: Facts, columns: number): readonly Line[] {
  const {detail} = state;
  if (!detail || !isFetched(state, facts)) return [note('loading…')];
  return fetchedLines(detail, columns);
}

const fetchedLines = memoizeLast(
  (detail: NonNullable<TuiState['detail']>, columns: number): readonly Line[] => {
    switch (detail.type) {
      case 'loading':
        return [note('loading…')];
      case 'failed':
        return [...plain(detail.title, columns), [], ...messageRows(detail.lines, columns)];
      case 'transcript': {
        const lines = detail.lines.flatMap((line) => plain(line, columns));
        const cut = detail.isCut ? [note('… what came before is in: blackbird logs')] : [];
        return lines.length === 0 ? [note('the agent printed nothing')] : [...cut, ...lines];
      }
      case 'conversation': {
        const lines = talkLines(detail.talks, columns);
        const cut = detail.isCut ? [note('… what came before is in: blackbird logs')] : [];
        return lines.length === 0 ? [note('the agent printed nothing')] : [...cut, ...lines];
      }
      case 'diff':
        return [];
      case 'history':
        return historyLines(detail, columns);
    }
  },
);
