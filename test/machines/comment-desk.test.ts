import {expect, test} from 'vitest';
import {createCommentDesk} from '../../src/machines/actors/comment-desk.ts';
import {restingRun} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';

test('comments of one moment on one line stay in the order they were given in', async () => {
  const run = restingRun({state: 'succeeded', baseline_tree: 'tree-0', result_tree: 'tree-1'});
  const {services} = createFakeServices({runs: [run]});
  const [changed] = await services.changes.files('tree-0', 'tree-1');
  let left = 9;
  // Each id sorts before the one that was made before it.
  const desk = createCommentDesk({...services, newUuid: () => `0000000${left--}`});
  const said = ['first', 'second', 'third'];
  await desk.add(
    run,
    said.map((text) => ({file: changed?.path ?? '', side: 'new', line: 1, text})),
  );
  expect((await desk.list(run)).map(({comment}) => comment.text)).toEqual(said);
});
