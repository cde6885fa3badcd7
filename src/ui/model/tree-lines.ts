import {isLeaf} from '../../machines/policies/plan/plan-graph.ts';
import {isReviewDue} from '../../machines/policies/review/parent-review.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {clockTime} from '../../machines/policies/text/durations.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Line} from '../components/lines.tsx';
import {position} from '../components/scroll.ts';
import {textWidth} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';
import {type Facts, reviewAtWork, type TuiState} from './facts.ts';
import {missingAgent} from './missing-agent.ts';
import {elapsed} from './run-tab.ts';
import {justifyLine, lineWidth, markLine} from './styled-lines.ts';
import {needsPerson, stateBadges, stateNote, waitNote} from './task-state.ts';
import type {TreeEntry} from './tree.ts';

/** Deeper levels are not indented further: a chain of tasks must not leave the pane. */
const deepestIndent = 8;

/** On narrower trees, levels are indented less. */
const narrowTree = 30;
/** Counts and times, short enough to go beside any title. */
const shortNote = 7;
/** This much of a title, with its symbol, is enough to recognize the task. */
const titleColumns = 24;

/** Only the visible rows of the tree. */
export function treeLines(
  state: TuiState,
  facts: Facts,
  columns: number,
  now: number,
  hasKeys = state.browse.pane === 'tree',
): Line[] {
  const {browse} = state;
  const {entries, layout, plan} = facts;
  if (!plan) return [[{text: state.data === null ? ' reading the plan…' : ' there is no plan', dim: true}]];
  if (entries.length === 0)
    return wrapped(emptyText(state, plan), columns - 1).map((text) => [{text: ` ${text}`, dim: true}]);
  return entries.slice(browse.treeTop, browse.treeTop + layout.paneRows).flatMap((entry) => {
    const task = plan.items.get(entry.id);
    if (!task) return [];
    const line = rowLine(state, facts, plan, task, entry, columns, now, hasKeys);
    return [entry.id === browse.selectedId ? markLine(line) : line];
  });
}

function rowLine(
  state: TuiState,
  facts: Facts,
  plan: Plan,
  task: Task,
  {depth, isMatch}: TreeEntry,
  columns: number,
  now: number,
  hasKeys: boolean,
): Line {
  const isSelected = task.id === state.browse.selectedId;
  const indent = ' '.repeat((columns < narrowTree ? 1 : 2) * Math.min(depth, deepestIndent));
  const {symbol, style, note, isLoud} = rowBadge(state, facts, plan, task, now);
  const fold = isLeaf(task) ? ' ' : isFolded(state, task) ? '▸' : '▾';
  const left: Line = [
    // The selection, and whether the keys move it, is visible without colours, too.
    {text: !isSelected ? ' ' : hasKeys ? '❯' : '›'},
    {text: `${indent}${fold} `, dim: true},
    {text: `${symbol} `, ...style},
    {text: displayLine(task.title), bold: isLoud, dim: !isMatch},
  ];
  const isShown = hasRoomForNote(left, note, isLoud, columns);
  return justifyLine(left, isShown ? [{text: note, ...(isLoud ? style : {dim: true})}] : [], columns);
}

/**
 * The title comes first: a reason is shown beside it only if it fits completely, a state only if enough of
 * the title is left.
 */
function hasRoomForNote(left: Line, note: string, isLoud: boolean, columns: number): boolean {
  const noteColumns = textWidth(note);
  const room = columns - noteColumns - 1;
  if (noteColumns === 0 || lineWidth(left) <= room) return noteColumns > 0;
  return noteColumns <= shortNote || (isLoud && room >= titleColumns);
}

function rowBadge(state: TuiState, facts: Facts, plan: Plan, task: Task, now: number) {
  const below = facts.summary?.below.get(task.id);
  if (below && reviewAtWork(state.job, task)) {
    const [symbol, , style] = stateBadges.running;
    return {symbol, style, note: 'reviewing', isLoud: true};
  }
  if (below) {
    const [symbol, , style] = stateBadges[below.isRunning ? 'running' : facts.stateOf(task)];
    // A folded parent must not hide that a task below it needs the user.
    if (below.needsPerson && isFolded(state, task))
      return {symbol, style, note: 'ACTION REQUIRED', isLoud: true};
    // Nor that one failed or is paused.
    if (below.stopped !== null && !below.isRunning && isFolded(state, task)) {
      const [, word, stoppedStyle] = stateBadges[below.stopped];
      return {symbol, style: stoppedStyle, note: word, isLoud: true};
    }
    if (isReviewDue(plan, task) && !below.needsPerson)
      return {symbol, style, note: 'review due', isLoud: true};
    return {symbol, style, note: `${below.done}/${below.total}`, isLoud: false};
  }
  const taskState = facts.stateOf(task);
  const [symbol, , style] = stateBadges[taskState];
  const run = state.data?.runs.get(task.id);
  if (taskState === 'running' && run) {
    const isPausing = facts.isPausing && state.job?.runs.has(run.run_id) === true;
    return {symbol, style, note: isPausing ? 'pausing' : clockTime(elapsed(run, now)), isLoud: true};
  }
  const isQuiet = taskState === 'ready' || taskState === 'done';
  const note = isQuiet
    ? ''
    : displayLine(stateNote(plan, task, taskState, waitNote(run, facts.isEngineAlive)));
  return {
    symbol,
    style,
    note,
    isLoud: needsPerson(taskState) || ['paused', 'failed', 'lost', 'orphaned'].includes(taskState),
  };
}

/** During a search, everything above a match is unfolded. */
const isFolded = ({browse}: TuiState, {id}: Task): boolean =>
  browse.folded.has(id) && browse.filter === 'all' && browse.query.trim() === '';

function emptyText(state: TuiState, plan: Plan): string {
  const {browse, planning} = state;
  if (plan.items.size === 0) {
    if (planning) return 'the plan is empty; your agent is planning, P shows it';
    const byAgent = missingAgent(state) === null ? ', P has your agent plan it' : '';
    return `the plan is empty: a adds a task${byAgent}`;
  }
  return browse.query === '' ? 'no task matches the filter' : 'no task matches';
}

/** The title of the tree: the filter, and the position. */
export function treeTitle(
  {browse}: TuiState,
  {entries, layout, isSearching: isTyped}: Facts,
): {left: string; right: string} {
  const isSearching = isTyped && browse.pane === 'tree';
  const filter = browse.filter === 'all' ? '' : ` · ${browse.filter}`;
  const query =
    browse.query !== '' || isSearching ? ` /${displayLine(browse.query)}${isSearching ? '▏' : ''}` : '';
  const right = position({top: browse.treeTop, left: 0}, entries.length, layout.paneRows);
  return {left: `Plan${filter}${query}`, right};
}
