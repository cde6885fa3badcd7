import {expect, test} from 'vitest';
import {
  chainTo,
  changedFiles,
  sinceReview,
  uncommittedUndos,
} from '../../../src/machines/policies/run/task-runs.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {restingRun} from '../../fakes/runs.ts';

const run = (run_id: string, resumed_from_run_id?: string, files: readonly string[] = []): RunRecord =>
  restingRun({
    state: 'succeeded',
    run_id,
    review_summary: {files: [...files], diffstat: '', snippets: []},
    ...(resumed_from_run_id === undefined ? {} : {resumed_from_run_id}),
  });

const [first, second, third] = [run('a-1'), run('a-2', 'a-1'), run('a-3', 'a-2')] as const;
const restart: RunRecord = {...run('a-2'), restart_of_run_id: 'a-1'};

test.each([
  {name: 'a run that continues none', latest: first, runs: [first, second], chain: ['a-1']},
  {
    name: 'all runs it continues, oldest first',
    latest: third,
    runs: [third, first, second],
    chain: ['a-1', 'a-2', 'a-3'],
  },
  {
    name: 'not a run that started over in between',
    latest: third,
    runs: [run('a-2'), third],
    chain: ['a-2', 'a-3'],
  },
  {
    name: 'with the runs that were replaced by a restart',
    latest: third,
    runs: [first, restart, third],
    chain: ['a-1', 'a-2', 'a-3'],
  },
  {name: 'as far as records exist', latest: third, runs: [first, third], chain: ['a-3']},
])('a chain is $name', ({latest, runs, chain}) => {
  expect(chainTo(latest, runs).map(({run_id}) => run_id)).toEqual(chain);
});

test('a chain that was made cyclic ends', () => {
  const runs = [run('a-1', 'a-2'), run('a-2', 'a-1')] as const;
  expect(chainTo(runs[1], runs).map(({run_id}) => run_id)).toEqual(['a-2', 'a-1', 'a-2']);
});

test('since the last review are the runs after the last decided one', () => {
  const decided = (each: RunRecord): RunRecord => ({...each, decision_resolved_at: '2026-01-01T00:00:00Z'});
  expect(sinceReview([first, second, third])).toEqual([first, second, third]);
  expect(sinceReview([decided(first), second, third])).toEqual([second, third]);
  expect(sinceReview([decided(first), decided(second), decided(third)])).toEqual([]);
  const asked: RunRecord = {...decided(third), decision_state: 'pending'};
  expect(sinceReview([decided(first), second, asked])).toEqual([second, asked]);
});

test('a file that several runs changed is named once; a run without a summary names none', () => {
  const {review_summary: _, ...unseen} = run('a-2');
  expect(changedFiles([run('a-1', undefined, ['x', 'y']), unseen, run('a-3', 'a-1', ['z', 'x'])])).toEqual([
    'x',
    'y',
    'z',
  ]);
});

test('the undos whose trees a commit builds on are those since the last commit, with both trees', () => {
  const numbered = (attempt: number, fields: Partial<RunRecord> = {}): RunRecord =>
    restingRun({state: 'succeeded', run_id: `a-${attempt}`, attempt, ...fields});
  const undo = (attempt: number, fields: Partial<RunRecord> = {}) =>
    numbered(attempt, {run_type: 'undo', segments: [], baseline_tree: 'x', result_tree: 'y', ...fields});
  const {result_tree: _, ...halfway} = undo(5, {state: 'failed'});
  const runs = [
    ...[numbered(1, {commit: {sha: '1'}}), undo(2), numbered(3, {commit: {sha: '3'}}), undo(4)],
    ...[halfway, undo(6), numbered(7), undo(8)],
  ];
  const found = (attempt: number) => uncommittedUndos(numbered(attempt), runs).map(({run_id}) => run_id);
  expect([1, 3, 5, 7].map(found)).toEqual([[], ['a-2'], ['a-4'], ['a-4', 'a-6']]);
  expect(uncommittedUndos(numbered(9), runs.slice(3))).toEqual([]);
});
