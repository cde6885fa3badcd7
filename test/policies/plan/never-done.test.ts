import {expect, test} from 'vitest';
import {waitingForever} from '../../../src/machines/policies/plan/never-done.ts';
import type {Task, TaskStatus} from '../../../src/services/contracts/plan.ts';
import {family, planOf, task} from '../../helpers/plans.ts';

const circle = (q: TaskStatus = 'todo'): Array<Task | readonly Task[]> => [
  family(task('p'), task('r', {deps: ['q']})),
  task('q', {deps: ['p'], status: q}),
];

test.each<{name: string; tasks: Array<Task | readonly Task[]>; expected: ReadonlyArray<[string, string]>}>([
  {name: 'a task that only waits for its turn', tasks: [task('a'), task('b', {deps: ['a']})], expected: []},
  {
    name: 'a child that indirectly waits for its own parent',
    tasks: circle(),
    expected: [
      ['r', 'q'],
      ['q', 'p'],
    ],
  },
  {name: 'the same with one of them done', tasks: circle('done'), expected: []},
  {name: 'the same with one of them skipped', tasks: circle('skipped'), expected: [['r', 'q']]},
  {
    name: 'dependents of tasks that wait forever',
    tasks: [...circle(), task('x', {deps: ['q']})],
    expected: [
      ['r', 'q'],
      ['q', 'p'],
    ],
  },
  {
    name: 'a parent of a skipped task',
    tasks: [family(task('p'), task('s', {status: 'skipped'})), task('a', {deps: ['p']})],
    expected: [['a', 'p']],
  },
  {
    name: 'a parent that depends on its own dependent, which blocks nothing',
    tasks: [
      family(task('p', {deps: ['a']}), task('c')),
      task('a', {deps: ['g']}),
      family(task('g'), task('d', {deps: ['p']})),
    ],
    expected: [],
  },
])('waits forever: $name', ({tasks, expected}) => {
  expect([...waitingForever(planOf(...tasks))]).toEqual(expected);
});
