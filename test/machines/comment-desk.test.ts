import {expect, test} from 'vitest';
import {createCommentDesk} from '../../src/machines/actors/comment-desk.ts';
import {restingRun} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';

test('comments that an earlier run of the chain received are no longer listed', async () => {
  const first = restingRun({state: 'succeeded', baseline_tree: 'tree-0', result_tree: 'tree-1'});
  const {services, runs} = createFakeServices({runs: [first]});
  const desk = createCommentDesk(services);
  const [changed] = await services.changes.files('tree-0', 'tree-1');
  const [comment] = await desk.add(first, [{file: changed?.path ?? '', side: 'new', line: 1, text: 'cents'}]);
  const second = restingRun({
    ...{state: 'succeeded', run_id: 'a-2', attempt: 2, resumed_from_run_id: first.run_id},
    comment_ids: comment ? [comment.id] : [],
  });
  await runs.insert(second);
  expect([await desk.list(second), await desk.heard(second)]).toEqual([[], [comment]]);
});

test('comments of one moment on one line stay in the order they were given', async () => {
  const run = restingRun({state: 'succeeded', baseline_tree: 'tree-0', result_tree: 'tree-1'});
  const {services} = createFakeServices({runs: [run]});
  const [changed] = await services.changes.files('tree-0', 'tree-1');
  let left = 9;
  // Each id sorts before the previous one.
  const desk = createCommentDesk({...services, newUuid: () => `0000000${left--}`});
  const said = ['first', 'second', 'third'];
  await desk.add(
    run,
    said.map((text) => ({file: changed?.path ?? '', side: 'new', line: 1, text})),
  );
  expect((await desk.list(run)).map(({comment}) => comment.text)).toEqual(said);
});
