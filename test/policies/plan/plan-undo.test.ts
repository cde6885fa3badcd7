import {describe, expect, test} from 'vitest';
import {
  addTask,
  deleteTask,
  editTask,
  moveTask,
  setDeps,
} from '../../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {undoChange} from '../../../src/machines/policies/plan/plan-undo.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {errorOf} from '../../helpers/errors.ts';
import {family, now, planOf, task, taskIn} from '../../helpers/plans.ts';

const shop = () => planOf(family(task('p'), task('a'), task('b', {deps: ['a']})), task('z'));

/** As if both had been read from disk: they share no objects. */
const reread = (plan: Plan): Plan => ({...plan, items: new Map(structuredClone([...plan.items]))});

test.each<{name: string; change: (plan: Plan) => Plan}>([
  {
    name: 'an addition',
    change: (plan) => addTask(plan, {id: 'n', title: 'New', parentId: 'p', index: 0}, now),
  },
  {name: 'an edit', change: (plan) => editTask(plan, 'a', {title: 'Another'}, now)},
  {name: 'a move', change: (plan) => moveTask(plan, 'z', {parentId: 'p', index: 1}, now)},
  {
    name: 'a deletion with all descendants',
    change: (plan) => deleteTask(plan, 'p', {cascade: true, force: true}, now).plan,
  },
  {name: 'dependencies', change: (plan) => setDeps(plan, 'z', ['a', 'b'], now)},
  {
    name: 'a status that completed a parent',
    change: (plan) => setStatus(setStatus(plan, 'a', 'done', now), 'b', 'done', now),
  },
])('$name is undone, down to the last field and in the old order', ({change}) => {
  const plan = shop();
  const after = change(plan);
  const undone = undoChange(reread(after), {before: plan, after});
  expect([...undone.items]).toEqual([...plan.items]);
});

describe('a change made by others since', () => {
  test('to other tasks stays', () => {
    const plan = shop();
    const after = editTask(plan, 'a', {title: 'Another'}, now);
    const since = addTask(
      editTask(after, 'z', {title: 'Theirs'}, now),
      {id: 'n', title: 'New', parentId: null},
      now,
    );
    const undone = undoChange(reread(since), {before: plan, after});
    expect(taskIn(undone, 'a').title).toBe('Task a');
    expect([taskIn(undone, 'z').title, taskIn(undone, 'n').title]).toEqual(['Theirs', 'New']);
  });

  test('to another field of the same task stays, above all a status set by the engine', () => {
    const plan = shop();
    const after = editTask(plan, 'a', {title: 'Another'}, now);
    const later = '2026-02-03T00:00:00.000Z';
    const since = setStatus(editTask(after, 'a', {prompt: 'Theirs'}, later), 'a', 'in_progress', later);
    const undone = undoChange(reread(since), {before: plan, after});
    expect(taskIn(undone, 'a')).toEqual({...taskIn(since, 'a'), title: 'Task a'});
  });

  test.each<{name: string; change: (plan: Plan) => Plan}>([
    {name: 'a status set by hand', change: (plan) => setStatus(plan, 'z', 'blocked', now)},
    {name: 'an addition', change: (plan) => addTask(plan, {id: 'z2', title: 'Z', parentId: null}, now)},
  ])('by an agent keeps $name', ({change}) => {
    const plan = shop();
    const after = change(plan);
    const id = after.items.has('z2') ? 'z2' : 'z';
    const since = setStatus(after, id, 'in_progress', '2026-02-03T00:00:00.000Z');
    expect(errorOf(() => undoChange(since, {before: plan, after}))).toMatchObject({
      code: 'E_CONFLICT',
      details: [['changed', id]],
    });
  });

  test('survives undo and redo', () => {
    const plan = shop();
    const after = editTask(plan, 'a', {title: 'Another'}, now);
    const undone = undoChange(after, {before: plan, after});
    const since = editTask(undone, 'a', {prompt: 'Theirs'}, now);
    const redone = undoChange(since, {before: after, after: undone});
    expect([taskIn(redone, 'a').title, taskIn(redone, 'a').prompt]).toEqual(['Another', 'Theirs']);
  });

  test('to the same task leaves everything as it is', () => {
    const plan = shop();
    const after = editTask(plan, 'a', {title: 'Another'}, now);
    const since = editTask(after, 'a', {title: 'Theirs'}, now);
    expect(errorOf(() => undoChange(since, {before: plan, after}))).toMatchObject({
      code: 'E_CONFLICT',
      details: [['changed', 'a']],
    });
  });
});

test('undoing nothing changes nothing', () => {
  const plan = shop();
  expect(undoChange(plan, {before: plan, after: plan})).toBe(plan);
});
