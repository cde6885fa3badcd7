import {describe, expect, test} from 'vitest';
import {setStatus, settleParents, touch} from '../../../src/machines/policies/plan/plan-status.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import {type TaskStatus, taskStatuses} from '../../../src/services/contracts/task-status.ts';
import {errorOf} from '../../helpers/errors.ts';
import fc from '../../helpers/fast-check.ts';
import {family, now, planOf, readsOf, statuses, task, taskIn} from '../../helpers/plans.ts';

test('parents that must not be completed are only ever reopened', () => {
  const plan = planOf(family(task('p'), task('a', {status: 'done'}), task('b')));
  const never = () => false;
  expect(statuses(setStatus(plan, 'b', 'done', now, never))).toEqual({p: 'todo', a: 'done', b: 'done'});
  const over = setStatus(plan, 'b', 'done', now);
  expect(statuses(over)).toEqual({p: 'done', a: 'done', b: 'done'});
  expect(statuses(setStatus(over, 'b', 'failed', now, never))).toMatchObject({p: 'in_progress'});
});

// Every task of a plan of thousands comes here twice.
test('the plan is copied only if a parent changes', () => {
  const plan = planOf(family(task('p'), task('a', {status: 'done'}), task('b')), task('alone'));
  const settled = planOf(family(task('q'), task('c', {status: 'done'})));
  expect(readsOf(plan, (counted) => settleParents(counted, 'a', now))).toBe(0);
  expect(readsOf(plan, (counted) => settleParents(counted, 'alone', now))).toBe(0);
  expect(readsOf(settled, (counted) => settleParents(counted, 'c', now))).toBe(2);
});

describe('setStatus', () => {
  test('changes the status and the time of one task, and nothing else', () => {
    const plan = {...planOf(task('a', {notes: 'n'}), task('b')), owner: 'me'};
    const next = setStatus(plan, 'a', 'in_progress', now);
    expect(next).toEqual({
      ...plan,
      items: new Map([
        ['a', task('a', {notes: 'n', status: 'in_progress', updatedAt: now})],
        ['b', task('b')],
      ]),
    });
    expect(next.items.get('b')).toBe(plan.items.get('b'));
  });

  test('does not mutate the plan it was given', () => {
    const plan = planOf(family(task('p'), task('a')));
    const before = structuredClone(plan);
    setStatus(plan, 'a', 'done', now);
    expect(plan).toEqual(before);
  });

  test('to the same status is no change', () => {
    const plan = planOf(task('a', {status: 'failed'}));
    expect(setStatus(plan, 'a', 'failed', now)).toBe(plan);
  });

  test('of a leaf can change from every status to every other', () => {
    for (const from of taskStatuses) {
      for (const to of taskStatuses) {
        expect(statuses(setStatus(planOf(task('a', {status: from})), 'a', to, now))).toEqual({a: to});
      }
    }
  });

  test('of an unknown task is refused', () => {
    expect(errorOf(() => setStatus(planOf(task('a')), '__proto__', 'done', now)).code).toBe(
      'E_TASK_NOT_FOUND',
    );
  });

  test('a parent cannot be done before its children are', () => {
    const plan = planOf(
      family(task('p'), task('a', {status: 'done'}), task('b'), task('c', {status: 'skipped'})),
    );
    expect(errorOf(() => setStatus(plan, 'p', 'done', now))).toEqual(
      new AppError('E_PLAN_EDIT', '"p" cannot be done before its children are', {
        details: [['not done', 'b, c']],
        next: [{command: 'blackbird why p', why: 'see what is left'}],
      }),
    );
  });

  test('a parent whose children are all done can be reopened by hand, and done again', () => {
    const plan = planOf(family(task('p', {status: 'done'}), task('a', {status: 'done'})));
    const open = setStatus(plan, 'p', 'todo', now);
    expect(statuses(open)).toEqual({p: 'todo', a: 'done'});
    expect(statuses(setStatus(open, 'p', 'done', now))).toEqual({p: 'done', a: 'done'});
  });

  test('a clock that went back never puts the update before the creation', () => {
    const ahead = '2030-01-01T00:00:00.000000001Z';
    const plan = planOf(family(task('p', {createdAt: ahead}), task('a', {createdAt: ahead})));
    const next = setStatus(plan, 'a', 'done', now);
    expect([taskIn(next, 'a').updatedAt, taskIn(next, 'p').updatedAt]).toEqual([ahead, ahead]);
    expect(touch(task('a'), now)).toBe(now);
  });
});

describe('ancestors', () => {
  type Row = {name: string; before: TaskStatus[]; child: TaskStatus; after: TaskStatus[]};
  // Grandparent, parent, first child, second child; the second child changes.
  const rows: Row[] = [
    {
      name: 'are completed by the last child',
      before: ['todo', 'todo', 'done', 'todo'],
      child: 'done',
      after: ['done', 'done', 'done', 'done'],
    },
    {
      name: 'are completed whatever their status was',
      before: ['blocked', 'failed', 'done', 'todo'],
      child: 'done',
      after: ['done', 'done', 'done', 'done'],
    },
    {
      name: 'stay open while a child is open',
      before: ['todo', 'todo', 'todo', 'todo'],
      child: 'done',
      after: ['todo', 'todo', 'todo', 'done'],
    },
    {
      name: 'are not completed over a skipped child',
      before: ['todo', 'todo', 'skipped', 'todo'],
      child: 'done',
      after: ['todo', 'todo', 'skipped', 'done'],
    },
    {
      name: 'are reopened with a child',
      before: ['done', 'done', 'done', 'done'],
      child: 'todo',
      after: ['in_progress', 'in_progress', 'done', 'todo'],
    },
    {
      name: 'are reopened by a failed child',
      before: ['done', 'done', 'done', 'done'],
      child: 'failed',
      after: ['in_progress', 'in_progress', 'done', 'failed'],
    },
    {
      name: 'that are not done keep their status',
      before: ['blocked', 'in_progress', 'done', 'done'],
      child: 'todo',
      after: ['blocked', 'in_progress', 'done', 'todo'],
    },
  ];
  test.each(rows)('$name', ({before, child, after}) => {
    const [g, p, a, b] = before as [TaskStatus, TaskStatus, TaskStatus, TaskStatus];
    const plan = planOf(
      family(
        task('g', {status: g}),
        family(task('p', {status: p}), task('a', {status: a}), task('b', {status: b})),
      ),
    );
    expect(Object.values(statuses(setStatus(plan, 'b', child, now)))).toEqual(after);
  });

  test('become todo again when no descendant was started', () => {
    const plan = planOf(family(task('p', {status: 'done'}), task('a', {status: 'done'})));
    expect(statuses(setStatus(plan, 'a', 'todo', now))).toEqual({p: 'todo', a: 'todo'});
  });

  test('that do not change keep their timestamp', () => {
    const plan = planOf(family(task('p'), task('a'), task('b')));
    expect(taskIn(setStatus(plan, 'a', 'done', now), 'p')).toBe(taskIn(plan, 'p'));
  });

  test('are updated without looping in a hierarchy cycle', () => {
    const circle = planOf(
      task('a', {parentId: 'b', childIds: ['b'], status: 'done'}),
      task('b', {parentId: 'a', childIds: ['a'], status: 'done'}),
    );
    expect(statuses(settleParents(circle, 'a', now))).toEqual({a: 'done', b: 'done'});
  });

  test('are the same object when nothing changes', () => {
    const plan = planOf(family(task('p'), task('a')));
    expect(settleParents(plan, 'a', now)).toBe(plan);
    expect(settleParents(plan, 'nobody', now)).toBe(plan);
  });

  test('a parent is done only while all its children are, whatever is set', () => {
    const start = planOf(
      family(task('g'), family(task('p'), task('a'), task('b')), family(task('q'), task('c')), task('d')),
    );
    const change = fc.record({
      id: fc.constantFrom(...start.items.keys()),
      status: fc.oneof(
        {weight: 3, arbitrary: fc.constant('done' as const)},
        fc.constantFrom(...taskStatuses),
      ),
    });
    fc.assert(
      fc.property(fc.array(change, {maxLength: 30}), (changes) => {
        let plan = start;
        for (const {id, status} of changes) {
          try {
            plan = setStatus(plan, id, status, now);
          } catch (error) {
            if (!(error instanceof AppError && error.code === 'E_PLAN_EDIT' && status === 'done'))
              throw error;
          }
          for (const each of plan.items.values()) {
            if (each.status !== 'done') continue;
            expect(each.childIds.map((child) => taskIn(plan, child).status)).toEqual(
              each.childIds.map(() => 'done'),
            );
          }
        }
      }),
      {numRuns: 500},
    );
  });
});
