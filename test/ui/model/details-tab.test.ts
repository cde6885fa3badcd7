import {expect, test} from 'vitest';
import {detailsLines} from '../../../src/ui/model/details-tab.ts';
import {lineText} from '../../../src/ui/model/styled-lines.ts';
import {pausedRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';

test('a state that does not fit is told whole, with no gap below it', () => {
  const [a, b] = [task('a', {title: 'A title of more than thirty columns'}), task('b', {deps: ['a']})];
  const lines = detailsLines(planOf(a, b), b, null, () => 'waits', false, '', 30);
  expect(lines.map(lineText).slice(2, 7)).toEqual([
    '',
    '⊘ needs A title of more than',
    'thirty columns',
    '',
    'Needs',
  ]);
});

test.each([
  {name: 'the job continues by itself', isEngineAlive: true, head: 'Ⅱ waits until 18:05'},
  {name: 'nothing continues', isEngineAlive: false, head: 'Ⅱ paused'},
])('the state of a task that $name', ({isEngineAlive, head}) => {
  const local = (time: string) => new Date(`2026-01-10T${time}:00`).toISOString();
  const run = pausedRun({
    failure: {kind: 'rate_limit', message: ''},
    retry_at: local('18:05'),
    updated_at: local('17:00'),
  });
  const a = task('a', {status: 'in_progress'});
  const lines = detailsLines(planOf(a), a, run, () => 'paused', isEngineAlive, '', 60);
  expect(lines.map(lineText)).toContain(head);
});
