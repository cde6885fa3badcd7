import {expect, test} from 'vitest';
import {createRunComments} from '../../src/machines/actors/run-comments.ts';
import {restingRun} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';

test('comments that an earlier run of the chain received are no longer listed', async () => {
  const first = restingRun({state: 'succeeded', baseline_tree: 'tree-0', result_tree: 'tree-1'});
  const {services, runs} = createFakeServices({runs: [first]});
  const comments = createRunComments(services);
  const [changed] = await services.changes.files('tree-0', 'tree-1');
  const [comment] = await comments.add(first, [
    {file: changed?.path ?? '', side: 'new', line: 1, text: 'cents'},
  ]);
  const second = restingRun({
    state: 'succeeded',
    run_id: 'a-2',
    attempt: 2,
    resumed_from_run_id: first.run_id,
    comment_ids: comment ? [comment.id] : [],
  });
  await runs.insert(second);
  expect([await comments.list(second), await comments.heard(second)]).toEqual([[], [comment]]);
});

test('comments of one moment on one line stay in the order they were given', async () => {
  const run = restingRun({state: 'succeeded', baseline_tree: 'tree-0', result_tree: 'tree-1'});
  const {services} = createFakeServices({runs: [run]});
  const [changed] = await services.changes.files('tree-0', 'tree-1');
  let left = 9;
  // Each id sorts before the previous one.
  const comments = createRunComments({...services, newUuid: () => `0000000${left--}`});
  const said = ['first', 'second', 'third'];
  await comments.add(
    run,
    said.map((text) => ({file: changed?.path ?? '', side: 'new', line: 1, text})),
  );
  expect((await comments.list(run)).map(({comment}) => comment.text)).toEqual(said);
});
