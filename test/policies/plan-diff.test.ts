import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {diffPlans, type PlanDiff} from '../../src/machines/policies/plan-diff.ts';
import type {Plan, Task} from '../../src/services/contracts/plan.ts';
import {family, hugeChain, hugeSize, now, planOf, promptly, task, taskIn} from '../helpers/plans.ts';

const nothing: PlanDiff = {added: [], removed: [], updated: [], moved: [], depsAdded: [], depsRemoved: []};

const before = planOf(
  family(task('p'), task('a'), task('b')),
  task('10', {deps: ['b', 'a'], depRationale: {a: 'x', b: 'y'}, notes: 'n', acceptanceCriteria: ['1', '2']}),
  task('2'),
);

const changed = (id: string, fields: Partial<Task>): Plan =>
  planOf([...before.items.values()].map((each) => (each.id === id ? {...each, ...fields} : each)));

describe('the difference of two plans', () => {
  test.each<{name: string; after: Plan; diff: Partial<PlanDiff>}>([
    {name: 'none: the same plan', after: before, diff: {}},
    {name: 'none: the same values', after: structuredClone(before), diff: {}},
    {name: 'none: only the times', after: changed('a', {updatedAt: now}), diff: {}},
    {name: 'none: only the order of the file', after: planOf([...before.items.values()].reverse()), diff: {}},
    {name: 'title', after: changed('a', {title: 'T'}), diff: {updated: ['a']}},
    {name: 'description', after: changed('a', {description: 'T'}), diff: {updated: ['a']}},
    {name: 'prompt', after: changed('a', {prompt: 'T'}), diff: {updated: ['a']}},
    {name: 'status', after: changed('a', {status: 'done'}), diff: {updated: ['a']}},
    {name: 'notes', after: changed('10', {notes: null}), diff: {updated: ['10']}},
    {
      name: 'criteria, in another order',
      after: changed('10', {acceptanceCriteria: ['2', '1']}),
      diff: {updated: ['10']},
    },
    {name: 'a reason', after: changed('10', {depRationale: {a: 'x', b: 'z'}}), diff: {updated: ['10']}},
    {
      name: 'dependencies, in another order',
      after: changed('10', {deps: ['a', 'b']}),
      diff: {updated: ['10']},
    },
    {
      name: 'dependencies, others',
      after: changed('10', {deps: ['2', 'b', 'p']}),
      diff: {
        updated: ['10'],
        depsAdded: [
          ['10', '2'],
          ['10', 'p'],
        ],
        depsRemoved: [['10', 'a']],
      },
    },
    {
      name: 'another parent',
      after: planOf(family(task('p'), task('b')), task('a'), taskIn(before, '10'), task('2')),
      diff: {moved: ['a']},
    },
    {
      name: 'tasks added and removed, with their dependencies',
      after: planOf(task('z', {deps: ['2']}), task('__proto__', {deps: ['z']}), task('2'), task('B')),
      diff: {
        added: ['B', '__proto__', 'z'],
        removed: ['10', 'a', 'b', 'p'],
        depsAdded: [
          ['__proto__', 'z'],
          ['z', '2'],
        ],
        depsRemoved: [
          ['10', 'a'],
          ['10', 'b'],
        ],
      },
    },
  ])('$name', ({after, diff}) => {
    expect(diffPlans(before, after)).toEqual({...nothing, ...diff});
  });

  test('read backwards is the same with added and removed exchanged', () => {
    const plans = fc
      .uniqueArray(
        fc.record({
          id: fc.constantFrom('a', 'b', 'c', '10', '2', '__proto__'),
          title: fc.constantFrom('x', 'y'),
          parentId: fc.constantFrom(null, 'a', 'b'),
          deps: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '10', '2')),
        }),
        {selector: ({id}) => id},
      )
      .map((tasks) => planOf(tasks.map(({id, ...fields}) => task(id, fields))));
    fc.assert(
      fc.property(plans, plans, (one, other) => {
        const {added, removed, depsAdded, depsRemoved, ...same} = diffPlans(one, other);
        expect(diffPlans(other, one)).toEqual({
          ...same,
          added: removed,
          removed: added,
          depsAdded: depsRemoved,
          depsRemoved: depsAdded,
        });
        expect(diffPlans(one, one)).toEqual(nothing);
      }),
    );
  });

  test('of a huge plan is found at once', {timeout: 60_000}, () => {
    const huge = hugeChain();
    const other = planOf([...huge.items.values()].map((each) => ({...each, title: 'x', deps: []})));
    const diff = promptly(() => diffPlans(huge, other));
    expect([diff.updated.length, diff.depsRemoved.length]).toEqual([hugeSize, hugeSize - 1]);
  });
});
