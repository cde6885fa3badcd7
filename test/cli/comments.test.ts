import {expect, test} from 'vitest';
import {commentsOn} from '../../src/cli/job/comment-operations.ts';
import {createRunComments} from '../../src/machines/actors/run-comments.ts';
import {lineComment} from '../fakes/memory-comment-store.ts';
import {restingRun} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {planOf, task} from '../helpers/plans.ts';

test('a comment that was not delivered before a later run is listed once', async () => {
  const first = restingRun({state: 'succeeded'});
  const later = restingRun({state: 'succeeded', run_id: 'a-2', attempt: 2, resumed_from_run_id: 'a-1'});
  const {services} = createFakeServices({plan: planOf(task('a')), runs: [first, later]});
  await services.comments.save(lineComment());
  const opened = {comments: createRunComments(services), runs: services.runs};
  expect(await commentsOn(opened, 'a')).toEqual([{comment: lineComment(), sentWith: null}]);
});
