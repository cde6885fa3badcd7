import {expect, test} from 'vitest';
import {waitingForever} from '../../../src/machines/policies/plan/never-done.ts';
import type {Task, TaskStatus} from '../../../src/services/contracts/plan.ts';
import {family, planOf, task} from '../../helpers/plans.ts';

const circle = (q: TaskStatus = 'todo'): Array<Task | readonly Task[]> => [
  family(task('p'), task('r', {deps: ['q']})),
  task('q', {deps: ['p'], status: q}),
];

test.each<{name: string; tasks: Array<Task | readonly Task[]>; expected: ReadonlyArray<[string, string]>}>([
  {name: 'what only waits for its turn', tasks: [task('a'), task('b', {deps: ['a']})], expected: []},
  {
    name: 'a child of what it waits for in the end',
    tasks: circle(),
    expected: [
      ['r', 'q'],
      ['q', 'p'],
    ],
  },
  {name: 'the same with one of them done', tasks: circle('done'), expected: []},
  {name: 'the same with one of them skipped', tasks: circle('skipped'), expected: [['r', 'q']]},
  {
    name: 'what waits for those that wait for ever',
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
    name: 'a parent that depends on what waits for it, which holds up nobody',
    tasks: [
      family(task('p', {deps: ['a']}), task('c')),
      task('a', {deps: ['g']}),
      family(task('g'), task('d', {deps: ['p']})),
    ],
    expected: [],
  },
])('waits for ever: $name', ({tasks, expected}) => {
  expect([...waitingForever(planOf(...tasks))]).toEqual(expected);
});
