import {describe, expect, test} from 'vitest';
import {
  isReady,
  nextTask,
  type Readiness,
  readinessOf,
  readyTasks,
  unmetDeps,
} from '../../../src/machines/policies/plan/readiness.ts';
import {type TaskStatus, taskStatuses} from '../../../src/services/contracts/task-status.ts';
import {family, planOf, readsOf, task, taskIn} from '../../helpers/plans.ts';

describe('readinessOf', () => {
  const rows: Array<{status: TaskStatus; met: Readiness; unmet: Readiness}> = [
    {status: 'todo', met: 'READY', unmet: 'BLOCKED'},
    {status: 'queued', met: 'QUEUED', unmet: 'QUEUED'},
    {status: 'in_progress', met: 'IN_PROGRESS', unmet: 'IN_PROGRESS'},
    {status: 'waiting_user', met: 'WAITING_USER', unmet: 'WAITING_USER'},
    {status: 'blocked', met: 'BLOCKED', unmet: 'BLOCKED'},
    {status: 'done', met: 'DONE', unmet: 'DONE'},
    {status: 'failed', met: 'FAILED', unmet: 'FAILED'},
    {status: 'skipped', met: 'SKIPPED', unmet: 'SKIPPED'},
  ];

  test('covers every status', () => {
    expect(rows.map(({status}) => status)).toEqual(taskStatuses);
  });

  test.each(rows)(
    'a $status task is $met, and $unmet while a dependency is not done',
    ({status, met, unmet}) => {
      const plan = planOf(task('open'), task('over', {status: 'done'}));
      const waiting = task('a', {status, deps: ['over', 'open']});
      const free = task('a', {status, deps: ['over']});
      expect([readinessOf(plan, free), readinessOf(plan, waiting)]).toEqual([met, unmet]);
      expect([isReady(plan, free), isReady(plan, waiting)]).toEqual([status === 'todo', false]);
    },
  );
});

describe('unmetDeps', () => {
  test.each(taskStatuses)('a dependency that is %s', (status) => {
    const plan = planOf(task('dep', {status}));
    expect(unmetDeps(plan, task('a', {deps: ['dep']}))).toEqual(status === 'done' ? [] : ['dep']);
  });

  test('counts tasks missing from the plan as unmet, in the order of the task', () => {
    const plan = planOf(task('b', {status: 'done'}), task('c'));
    expect(unmetDeps(plan, task('a', {deps: ['toString', 'c', 'b']}))).toEqual(['toString', 'c']);
  });
});

describe('readyTasks', () => {
  test('are leaves that are todo with every dependency done, in tree order', () => {
    const plan = planOf(
      task('late', {deps: ['z1']}),
      family(
        task('z'),
        task('z2'),
        task('z1', {status: 'done'}),
        task('z3', {status: 'failed'}),
        task('z4', {deps: ['a']}),
      ),
      family(task('a'), family(task('b'), task('b1'))),
      task('10'),
      task('2'),
    );
    expect(readyTasks(plan).map(({id}) => id)).toEqual(['late', 'z2', 'b1', '10', '2']);
  });

  test('never include a parent, even one whose children are all done', () => {
    const plan = planOf(family(task('p'), task('a', {status: 'done'})));
    expect(readyTasks(plan)).toEqual([]);
    expect(readinessOf(plan, taskIn(plan, 'p'))).toBe('READY');
    expect(isReady(plan, taskIn(plan, 'p'))).toBe(false);
  });

  test('wait for a parent as for any other dependency', () => {
    const open = planOf(family(task('p'), task('a')), task('next', {deps: ['p']}));
    const over = planOf(
      family(task('p', {status: 'done'}), task('a', {status: 'done'})),
      task('next', {deps: ['p']}),
    );
    expect([readyTasks(open), readyTasks(over)].map((ready) => ready.map(({id}) => id))).toEqual([
      ['a'],
      ['next'],
    ]);
  });
});

test('the next task is found without looking at those after it', () => {
  const unseen = Object.defineProperty(task('z'), 'status', {
    get: () => {
      throw new Error('looked at');
    },
  });
  const plan = planOf(task('done', {status: 'done'}), task('tried'), task('a'), unseen);
  expect(nextTask(plan, {taskIds: [], attempted: ['tried']})?.id).toBe('a');
  expect(nextTask(planOf(task('a')), {taskIds: ['b'], attempted: []})).toBeUndefined();
});

test('looking for the next task stops at the first that is ready', () => {
  const plan = planOf(
    task('over', {status: 'done'}),
    ...Array.from({length: 100}, (_, at) => task(`t${at}`)),
  );
  const find = (counted: typeof plan) => nextTask(counted, {taskIds: [], attempted: []});
  expect(find(plan)?.id).toBe('t0');
  expect(readsOf(plan, find)).toBe(2);
});
