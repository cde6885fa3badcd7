import {describe, expect, test} from 'vitest';
import type {KnownOfTask} from '../../../src/machines/policies/run/task-options.ts';
import * as browse from '../../../src/ui/model/browse.ts';
import {startBrowse} from '../../../src/ui/model/browse.ts';
import {stateNote, type TaskState, taskState, waitNote} from '../../../src/ui/model/task-state.ts';
import {summarizePlan, treeEntries} from '../../../src/ui/model/tree.ts';
import {pausedRun, restingRun, runRecord, waitingRun} from '../../fakes/runs.ts';
import {family, planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

const plan = planOf(
  family(task('p'), task('a', {status: 'done'}), family(task('q'), task('b'), task('c', {deps: ['b']}))),
  task('z', {title: 'Refund notes', status: 'failed'}),
);
const stateOf = (each: ReturnType<typeof task>): TaskState => taskState(factsIn(plan)(each));
const rows = (wish: Partial<Parameters<typeof treeEntries>[1]> = {}) =>
  treeEntries(plan, {folded: new Set(), filter: 'all', query: '', ...wish}, stateOf).map(
    ({id, depth, isMatch}) => `${' '.repeat(depth)}${id}${isMatch ? '' : '*'}`,
  );

describe('the rows of the tree', () => {
  test.each<{name: string; wish: Parameters<typeof rows>[0]; seen: string[]}>([
    {name: 'everything', wish: {}, seen: ['p', ' a', ' q', '  b', '  c', 'z']},
    {name: 'nothing below a collapsed task', wish: {folded: new Set(['q'])}, seen: ['p', ' a', ' q', 'z']},
    {name: 'collapsed inside collapsed', wish: {folded: new Set(['p', 'q'])}, seen: ['p', 'z']},
    {name: 'ready, with its ancestors', wish: {filter: 'ready'}, seen: ['p*', ' q*', '  b']},
    {name: 'blocked', wish: {filter: 'blocked'}, seen: ['p*', ' q*', '  c']},
    {name: 'attention', wish: {filter: 'attention'}, seen: ['z']},
    {name: 'open', wish: {filter: 'open'}, seen: ['p*', ' q*', '  b', '  c', 'z']},
    {name: 'search in titles, in any case', wish: {query: 'REFUND'}, seen: ['z']},
    {
      name: 'search in ids, collapsed or not',
      wish: {query: 'c', folded: new Set(['p'])},
      seen: ['p*', ' q*', '  c'],
    },
    {name: 'no match', wish: {query: 'nothing'}, seen: []},
  ])('$name', ({wish, seen}) => {
    expect(rows(wish)).toEqual(seen);
  });
});

test('the summary counts leaves, and every parent what is below it', () => {
  const {below, counts, total, done, attention} = summarizePlan(plan, stateOf);
  expect({total, done, attention, counts: Object.fromEntries(counts)}).toEqual({
    total: 4,
    done: 1,
    attention: [],
    counts: {done: 1, ready: 1, waits: 1, failed: 1},
  });
  expect(Object.fromEntries(below)).toEqual({
    p: {done: 1, total: 3, isRunning: false, needsPerson: false, stopped: null},
    q: {done: 0, total: 2, isRunning: false, needsPerson: false, stopped: null},
  });
});

describe('the state of a task', () => {
  const alone = (status: ReturnType<typeof task>['status']) => planOf(task('a', {status}));
  test.each<{
    name: string;
    status: ReturnType<typeof task>['status'];
    run?: ReturnType<typeof runRecord>;
    around?: Partial<KnownOfTask>;
    state: TaskState;
  }>([
    {
      name: 'running, with an engine',
      status: 'in_progress',
      run: runRecord(),
      around: {isEngineAlive: true},
      state: 'running',
    },
    {name: 'running, but its Blackbird is gone', status: 'in_progress', run: runRecord(), state: 'lost'},
    {
      name: 'running, and its agent is alive without its Blackbird',
      status: 'in_progress',
      run: runRecord(),
      around: {isOrphaned: true},
      state: 'orphaned',
    },
    {
      name: 'sent back at its checkpoint, and not delivered',
      status: 'in_progress',
      run: restingRun({state: 'succeeded', decision_required: true, decision_state: 'changes_requested'}),
      state: 'decision',
    },
    {name: 'paused', status: 'in_progress', run: pausedRun(), state: 'paused'},
    {
      name: 'paused because it was lost',
      status: 'in_progress',
      run: pausedRun({pause_reason: 'process_lost'}),
      state: 'lost',
    },
    {name: 'asking', status: 'waiting_user', run: waitingRun(), state: 'asks'},
    {
      name: 'undecided',
      status: 'in_progress',
      run: restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'}),
      state: 'decision',
    },
    {
      name: 'undecided once, then set by hand',
      status: 'done',
      run: restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'}),
      state: 'done',
    },
    {name: 'in progress by hand', status: 'in_progress', state: 'stalled'},
    {name: 'waiting by hand', status: 'waiting_user', state: 'stalled'},
    {name: 'sent back', status: 'done', around: {isSentBack: true}, state: 'feedback'},
    {name: 'todo', status: 'todo', state: 'ready'},
    {name: 'failed', status: 'failed', run: restingRun({state: 'failed'}), state: 'failed'},
  ])('$name: $state', ({status, run, around, state}) => {
    const one = alone(status);
    const it = one.items.get('a');
    expect(it && taskState(factsIn(one, {run: run ?? null, ...around})(it))).toBe(state);
  });
});

describe('moving', () => {
  const entries = Array.from({length: 10}, (_, index) => ({id: `t${index}`, depth: 0, isMatch: true}));
  const at = (id: string, treeTop = 0) => ({...startBrowse, selectedId: id, treeTop});

  test.each([
    {from: 't0', by: -1, to: 't0'},
    {from: 't0', by: 1, to: 't1'},
    {from: 't9', by: 1, to: 't9'},
    {from: 't4', by: Number.POSITIVE_INFINITY, to: 't9'},
    {from: 't4', by: Number.NEGATIVE_INFINITY, to: 't0'},
  ])('from $from by $by is $to', ({from, by, to}) => {
    expect(browse.moveSelection(at(from), entries, by).selectedId).toBe(to);
  });

  test.each([
    {selected: 't2', top: 0, height: 3, treeTop: 0},
    {selected: 't3', top: 0, height: 3, treeTop: 1},
    {selected: 't1', top: 2, height: 3, treeTop: 1},
    {selected: 't9', top: 9, height: 4, treeTop: 6},
    {selected: 't0', top: 5, height: 20, treeTop: 0},
  ])('$selected is kept in view of $height rows from $top', ({selected, top, height, treeTop}) => {
    expect(browse.keepInView(at(selected, top), entries, height, null)).toMatchObject({
      selectedId: selected,
      treeTop,
    });
  });

  test('a selected task that is gone gives way to the one in its place', () => {
    expect(browse.keepInView({...at('gone', 2), row: 4}, entries, 3, null)).toMatchObject({
      selectedId: 't4',
      row: 4,
    });
    expect(browse.keepInView({...at('gone'), row: 12}, entries, 3, null)).toMatchObject({
      selectedId: 't9',
      row: 9,
    });
    // The place is kept for when there is something to select again.
    expect(browse.keepInView(at('gone'), [], 3, null)).toEqual(at('gone'));
  });

  test('a hidden task gives way to its nearest visible ancestor, and in a search to the first match', () => {
    const seen = (wish: Partial<Parameters<typeof treeEntries>[1]>) =>
      treeEntries(plan, {folded: new Set(), filter: 'all', query: '', ...wish}, stateOf);
    const chosen = (wish: Parameters<typeof seen>[0]) =>
      browse.keepInView({...startBrowse, ...wish, selectedId: 'c', row: 4}, seen(wish), 9, plan).selectedId;
    expect(chosen({folded: new Set(['q'])})).toBe('q');
    expect(chosen({folded: new Set(['p', 'q'])})).toBe('p');
    expect(chosen({filter: 'ready'})).toBe('q');
    expect(chosen({filter: 'attention'})).toBe('z');
    expect(chosen({query: 'notes'})).toBe('z');
    expect(chosen({query: 'b'})).toBe('b');
  });

  test('showing a task expands its ancestors, and ends a filter that hides it', () => {
    const hidden = {...startBrowse, folded: new Set(['p', 'q', 'z']), filter: 'ready', query: 'x'} as const;
    expect(browse.reveal(hidden, plan, [], 'c')).toEqual({
      ...startBrowse,
      selectedId: 'c',
      folded: new Set(['z']),
    });
    const entry = {id: 'c', depth: 2, isMatch: true};
    expect(browse.reveal(hidden, plan, [entry], 'c')).toEqual({...hidden, selectedId: 'c'});
  });

  test('the end of a run is followed until one scrolls back, and again at its end', () => {
    const run = browse.showTab(startBrowse, 'run');
    const frame = {length: 100, height: 10};
    expect(run.detailTop).toBe(null);
    const back = browse.scrollDetail(run, -1, frame);
    expect(back.detailTop).toBe(89);
    expect(browse.scrollDetail(back, 1, frame).detailTop).toBe(null);
    expect(browse.scrollDetail(back, -200, frame).detailTop).toBe(0);
  });
});

test.each([
  {name: 'a job is at work', isEngineAlive: true, kind: 'rate_limit', note: 'waits until 18:05'},
  {name: 'nothing is at work', isEngineAlive: false, kind: 'rate_limit', note: null},
  {name: 'the user has to log in', isEngineAlive: true, kind: 'auth', note: null},
] as const)('a task that is held up, when $name: $note', ({isEngineAlive, kind, note}) => {
  const local = (time: string) => new Date(`2026-01-10T${time}:00`).toISOString();
  const times = {retry_at: local('18:05'), updated_at: local('17:00')};
  expect(waitNote(pausedRun({failure: {kind, message: ''}, ...times}), isEngineAlive)).toBe(note);
});

test.each([
  {state: 'paused', note: 'waits until 18:05'},
  {state: 'skipped', note: 'skipped'},
  {state: 'done', note: 'done'},
] as const)('a task that is $state says: $note', ({state, note}) => {
  expect(stateNote(plan, task('a'), state, 'waits until 18:05')).toBe(note);
});
