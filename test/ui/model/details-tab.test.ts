import {expect, test} from 'vitest';
import {detailsLines} from '../../../src/ui/model/details-tab.ts';
import {lineText} from '../../../src/ui/model/styled-lines.ts';
import {pausedRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';

test.each([
  {name: 'a job goes on with by itself', isEngineAlive: true, head: 'Ⅱ waits until 18:05'},
  {name: 'nobody goes on with', isEngineAlive: false, head: 'Ⅱ paused'},
])('the state of a task that $name', ({isEngineAlive, head}) => {
  const local = (time: string) => new Date(`2026-01-10T${time}:00`).toISOString();
  const run = pausedRun({
    failure: {kind: 'rate_limit', message: ''},
    ...{retry_at: local('18:05'), updated_at: local('17:00')},
  });
  const a = task('a', {status: 'in_progress'});
  const lines = detailsLines(planOf(a), a, run, () => 'paused', isEngineAlive, '', 60);
  expect(lines.map(lineText)).toContain(head);
});
