import {describe, expect, test} from 'vitest';
import {
  addDep,
  addTask,
  deleteTask,
  editTask,
  moveTask,
  type Place,
  removeDep,
  setDeps,
} from '../../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {checkPlanChange, checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {taskStatuses} from '../../../src/services/contracts/task-status.ts';
import {readPlanText, splicePlan, writePlanText} from '../../../src/services/stores/plan-text.ts';
import fc from '../../helpers/fast-check.ts';
import {family, now, planOf, task, taskIn} from '../../helpers/plans.ts';

describe('any sequence of edits', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '10', '2', '__proto__');
  const place = {parentId: fc.option(id), at: fc.option(fc.nat({max: 4}))};
  const flags = {cascade: fc.boolean(), force: fc.boolean()};
  const edit = fc.oneof(
    {weight: 4, arbitrary: fc.record({kind: fc.constant('add' as const), id, ...place})},
    {weight: 3, arbitrary: fc.record({kind: fc.constant('move' as const), id, ...place})},
    {weight: 1, arbitrary: fc.record({kind: fc.constant('delete' as const), id, ...flags})},
    {weight: 4, arbitrary: fc.record({kind: fc.constant('addDep' as const), id, dep: id})},
    {weight: 1, arbitrary: fc.record({kind: fc.constant('removeDep' as const), id, dep: id})},
    {
      weight: 2,
      arbitrary: fc.record({kind: fc.constant('setDeps' as const), id, deps: fc.array(id, {maxLength: 4})}),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('edit' as const),
        id,
        title: fc.string(),
        notes: fc.option(fc.string()),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('status' as const),
        id,
        status: fc.constantFrom(...taskStatuses),
      }),
    },
  );
  type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

  const placeOf = ({parentId, at}: {parentId: string | null; at: number | null}): Place =>
    at === null ? {parentId} : {parentId, index: at};

  function apply(before: Plan, change: Edit): Plan {
    switch (change.kind) {
      case 'add':
        return addTask(before, {id: change.id, title: `New ${change.id}`, ...placeOf(change)}, now);
      case 'move':
        return moveTask(before, change.id, placeOf(change), now);
      case 'delete':
        return deleteTask(before, change.id, change, now).plan;
      case 'addDep':
        return addDep(before, change.id, change.dep, now);
      case 'removeDep':
        return removeDep(before, change.id, change.dep, now);
      case 'setDeps':
        return setDeps(before, change.id, change.deps, now);
      case 'edit':
        return editTask(before, change.id, {title: change.title, notes: change.notes}, now);
      case 'status':
        return setStatus(before, change.id, change.status, now);
    }
  }

  const start = planOf(
    family(task('10'), family(task('a'), task('__proto__')), task('b', {deps: ['__proto__']})),
    family(task('2', {status: 'done'}), task('c', {status: 'done'})),
    task('d', {deps: ['10', 'c']}),
  );

  test('leaves a valid plan, on disk as in memory, whose parents are done only when their children are', () => {
    let applied = 0;
    let refused = 0;
    fc.assert(
      fc.property(fc.array(edit, {minLength: 10, maxLength: 60, size: 'max'}), (changes) => {
        let before = start;
        let text = writePlanText(before, null, null);
        for (const change of changes) {
          let after: Plan;
          try {
            after = apply(before, change);
            applied++;
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            refused++;
            continue;
          }
          if (after === before) continue;
          const spliced = splicePlan(after, Buffer.from(text), before)?.toString();
          text = writePlanText(after, text, before);
          expect(spliced ?? text).toBe(text);
          const check = checkRawPlan(readPlanText(JSON.parse(text), text));
          expect(check).toEqual({plan: after});
          expect('plan' in check && [...check.plan.items.keys()]).toEqual([...after.items.keys()]);
          expect(checkPlanChange(before, after)).toEqual([]);
          for (const each of after.items.values()) {
            if (each.status !== 'done') continue;
            expect(each.childIds.filter((child) => taskIn(after, child).status !== 'done')).toEqual([]);
          }
          before = after;
        }
      }),
      {numRuns: 300},
    );
    // The property proves nothing unless edits of both kinds really happen.
    expect(Math.min(applied, refused)).toBeGreaterThan(1_000);
  });
});
