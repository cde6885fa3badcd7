import {expect, test} from 'vitest';
import {proposalLines} from '../../../src/machines/policies/job/undo-lines.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {restingRun} from '../../fakes/runs.ts';
import {task} from '../../helpers/plans.ts';

const linesOf = (first: RunRecord, ...others: readonly RunRecord[]) =>
  proposalLines({
    request: {taskId: 'a', runId: null, isForced: false},
    task: task('a'),
    run: first,
    undoes: [first, ...others],
    isRedo: false,
    files: {from: 'x', to: 'y', files: [{path: 'a.txt', kind: 'removed'}], conflicts: []},
    dependents: [],
  });

test('an undo lists once what it cannot take back', () => {
  const effect = {kind: 'ignored_files', text: 'ignored by git, not in the diff: build/x'} as const;
  const run = restingRun({state: 'succeeded', side_effects: [effect]});
  expect(linesOf(run, {...run, run_id: 'a-2'})).toEqual([
    '  removed   a.txt',
    'Not undone: ignored by git, not in the diff: build/x',
  ]);
});

test('an undo names all commits that stay in one line, and those of the agent', () => {
  const run = restingRun({state: 'succeeded', commit: {sha: '1111111111', branch: 'main'}});
  const byAgent = {kind: 'refs', text: 'main moved'} as const;
  const other = {...run, run_id: 'a-2', commit: {sha: '2222222222', branch: 'main'}, side_effects: [byAgent]};
  expect(linesOf(run).slice(1)).toEqual([
    'Commit 1111111 stays in the history; to revert it there too, commit the files',
  ]);
  expect(linesOf(run, other).slice(1)).toEqual([
    'Commits 1111111, 2222222 stay in the history; to revert them there too, commit the files',
    'Commits that the agent made stay in the history; to revert them there too, commit the files',
  ]);
});
