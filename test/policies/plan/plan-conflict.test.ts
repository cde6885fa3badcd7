import {expect, test} from 'vitest';
import {requireSeen, seenSubtree, seenTask} from '../../../src/machines/policies/plan/plan-conflict.ts';
import {addTask, deleteTask, editTask, setDeps} from '../../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {errorOf} from '../../helpers/errors.ts';
import {family, now, planOf, taskIn, task as taskOf} from '../../helpers/plans.ts';

const plan = planOf(family(taskOf('p'), taskOf('a', {title: 'Old'}), taskOf('b')));
const task = (id: string) => taskIn(plan, id);

test('a field that changed in the meantime is not replaced, and both values are shown', () => {
  const seen = seenTask(task('a'), 'title');
  requireSeen(plan, [seen]);
  const changed = editTask(plan, 'a', {title: 'Theirs'}, now);
  expect(errorOf(() => requireSeen(changed, [seen]))).toMatchObject({
    code: 'E_CONFLICT',
    message: 'a was changed by somebody else meanwhile; nothing was written',
    details: [
      ['field', 'title'],
      ['it was', 'Old'],
      ['it is now', 'Theirs'],
    ],
  });
});

test.each([
  {what: 'another field', change: editTask(plan, 'a', {prompt: 'Theirs'}, now)},
  {what: 'the status', change: setStatus(plan, 'a', 'in_progress', now)},
  {what: 'another task', change: editTask(plan, 'b', {title: 'Theirs'}, now)},
  {what: 'its dependencies', change: setDeps(plan, 'a', ['b'], now)},
])('a change to $what does not conflict', ({change}) => {
  requireSeen(change, [seenTask(task('a'), 'title')]);
});

test.each([
  {what: 'a text below it', change: editTask(plan, 'a', {prompt: 'Theirs'}, now), field: 'prompt'},
  {
    what: 'a new task below it',
    change: addTask(plan, {id: 'c', title: 'C', parentId: 'p'}, now),
    field: 'childIds',
  },
])('a deletion is refused after $what', ({change, field}) => {
  const seen = seenSubtree(plan, task('p'));
  requireSeen(setStatus(plan, 'a', 'in_progress', now), seen);
  expect(errorOf(() => requireSeen(change, seen))).toMatchObject({
    code: 'E_CONFLICT',
    details: expect.arrayContaining([['field', field]]),
  });
});

test('a deleted task is left to the edit itself', () => {
  requireSeen(deleteTask(plan, 'a', {cascade: true, force: true}, now).plan, [seenTask(task('a'), 'title')]);
});
