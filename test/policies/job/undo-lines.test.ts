import {expect, test} from 'vitest';
import {proposalLines} from '../../../src/machines/policies/job/undo-lines.ts';
import {restingRun} from '../../fakes/runs.ts';
import {task} from '../../helpers/plans.ts';

test('an undo lists once what it cannot take back', () => {
  const effect = {kind: 'ignored_files', text: 'ignored by git, not in the diff: build/x'} as const;
  const run = restingRun({state: 'succeeded', side_effects: [effect]});
  const lines = proposalLines({
    request: {taskId: 'a', runId: null, isForced: false},
    task: task('a'),
    run,
    undoes: [run, {...run, run_id: 'a-2'}],
    isRedo: false,
    files: {from: 'x', to: 'y', files: [{path: 'a.txt', kind: 'removed'}], conflicts: []},
    dependents: [],
  });
  expect(lines).toEqual(['  removed   a.txt', 'Not taken back: ignored by git, not in the diff: build/x']);
});
