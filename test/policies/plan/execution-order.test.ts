import {describe, expect, test} from 'vitest';
import {explainOrder} from '../../../src/machines/policies/plan/execution-order.ts';
import {addDep, addTask} from '../../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {nextTask} from '../../../src/machines/policies/plan/readiness.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import fc from '../../helpers/fast-check.ts';

const now = '2026-01-01T00:00:00Z';
const empty: Plan = {schemaVersion: 1, items: new Map()};

function planOf(
  tasks: ReadonlyArray<readonly [id: string, parentId: string | null, ...deps: string[]]>,
): Plan {
  const added = tasks.reduce((plan, [id, parentId]) => addTask(plan, {id, title: id, parentId}, now), empty);
  return tasks.reduce(
    (plan, [id, , ...deps]) => deps.reduce((each, dep) => addDep(each, id, dep, now), plan),
    added,
  );
}

describe('the order of execution', () => {
  test('is plan order, a task that becomes ready earlier in the plan comes first, with the reason', () => {
    const plan = planOf([
      ['first', null, 'last'],
      ['site', null],
      ['page', 'site'],
      ['release', null, 'site'],
      ['last', null],
    ]);
    expect(explainOrder(plan, [])).toEqual([
      {id: 'page', title: 'page', why: 'ready now'},
      {id: 'release', title: 'release', why: 'after site'},
      {id: 'last', title: 'last', why: 'ready now'},
      {id: 'first', title: 'first', why: 'after last'},
    ]);
  });

  test('leaves out skipped tasks and their dependents', () => {
    const plan = planOf([
      ['a', null],
      ['b', null, 'a'],
      ['c', null],
    ]);
    expect(explainOrder(plan, ['b', 'c']).map(({id}) => id)).toEqual(['c']);
  });

  test('is the order in which tasks are actually chosen when each succeeds', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), {maxLength: 20}), fc.nat(9), (edges, parents) => {
        const names = Array.from({length: 10}, (_, index) => `t${index}`);
        let plan = planOf(names.map((id, index) => [id, index > 0 && index <= parents % 4 ? 't0' : null]));
        for (const [from, to] of edges) {
          // Dependencies in both directions; those that would close a cycle are left out.
          try {
            plan = addDep(plan, names[from] ?? '', names[to] ?? '', now);
          } catch {}
        }
        const chosen: string[] = [];
        let current = plan;
        for (let task = nextTask(current, {taskIds: [], attempted: chosen}); task; ) {
          chosen.push(task.id);
          current = setStatus(current, task.id, 'done', now);
          task = nextTask(current, {taskIds: [], attempted: chosen});
        }
        expect(explainOrder(plan, []).map(({id}) => id)).toEqual(chosen);
      }),
    );
  });
});
