import {expect, test} from 'vitest';
import {checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import {
  checkCommands,
  checksOf,
  keptChecks,
  keptChecksWords,
} from '../../../src/machines/policies/plan/task-checks.ts';
import type {Task} from '../../../src/services/contracts/plan.ts';
import {family, planOf, task, taskIn} from '../../helpers/plans.ts';

const plan = planOf(
  family(
    task('top', {verify: ['build', 'lint']}),
    family(task('middle', {verify: null}), task('leaf', {verify: ['lint', 'test']}), task('bare')),
  ),
  task('alone', {verify: []}),
);

test.each<{id: string; checks: Array<[command: string, from: string]>}>([
  {
    id: 'leaf',
    checks: [
      ['build', 'top'],
      ['lint', 'top'],
      ['test', 'leaf'],
    ],
  },
  {
    id: 'bare',
    checks: [
      ['build', 'top'],
      ['lint', 'top'],
    ],
  },
  {id: 'alone', checks: []},
])("$id gets its parents' checks, then its own, without repeats", ({id, checks}) => {
  expect(checksOf(plan, taskIn(plan, id))).toEqual(checks.map(([command, from]) => ({command, from})));
});

test('checks for every task come first', () => {
  expect(checkCommands(plan, taskIn(plan, 'leaf'), ['make', 'test'])).toEqual([
    'make',
    'test',
    'build',
    'lint',
  ]);
  expect(checkCommands(plan, taskIn(plan, 'alone'), [])).toEqual([]);
});

test.each<{verify: unknown; problems: Array<[string, string]>}>([
  {verify: ['npm test'], problems: []},
  {verify: [], problems: []},
  {verify: null, problems: []},
  {verify: 'npm test', problems: [['$.items["a"].verify', 'must be a list of commands']]},
  {
    verify: ['ok', '', 'one\ntwo', 7, 'x'.repeat(10_001)],
    problems: [1, 2, 3, 4].map((at) => [`$.items["a"].verify[${at}]`, 'must be a command on one line']),
  },
])('a plan with the checks $verify', ({verify, problems}) => {
  const checked = checkRawPlan({
    root: {schemaVersion: 1},
    items: [['a', task('a', {verify: verify as Task['verify'] & object})]],
  });
  const found = 'problems' in checked ? checked.problems.map(({path, message}) => [path, message]) : [];
  expect(found).toEqual(problems);
});

test.each([
  {name: 'its own run is open', id: 'a', verify: ['npm test'], kept: ['a']},
  {name: 'runs below it are open', id: 'p', verify: ['npm test'], kept: ['a', 'b']},
  {name: 'nothing of it is running', id: 'c', verify: ['npm test'], kept: []},
  {name: 'its checks are the same', id: 'a', verify: undefined, kept: []},
])('an edit of checks does not affect an open run: $name', ({id, verify, kept}) => {
  const [a, b, c] = [
    task('a', {status: 'in_progress'}),
    task('b', {status: 'waiting_user'}),
    task('c', {status: 'done'}),
  ];
  const before = planOf(family(task('p'), a, b, c));
  const edited = taskIn(before, id);
  const after = {...before, items: new Map([...before.items, [id, {...edited, ...(verify && {verify})}]])};
  expect(keptChecks(before, after, id)).toEqual(kept);
});

test.each([
  {ids: [], words: ''},
  {
    ids: ['a', 'b'],
    words: 'An open run keeps the checks it began with (a, b); a restart takes the new ones.',
  },
])('what is reported about the open runs $ids', ({ids, words}) => {
  expect(keptChecksWords(ids)).toBe(words);
});
