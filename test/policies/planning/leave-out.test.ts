import {expect, test} from 'vitest';
import {leftOut} from '../../../src/machines/policies/planning/leave-out.ts';
import {family, planOf, task} from '../../helpers/plans.ts';

const remove = {type: 'delete', taskId: 'new', cascade: true};

test('a proposed task is dropped along with what was proposed below it', () => {
  const [before, after] = [planOf(task('a')), planOf(task('a'), family(task('new'), task('part')))];
  expect(leftOut({before, after}, 'new')).toEqual([remove]);
});

test('plan tasks that it had moved below itself stay where they were, with their children', () => {
  const before = planOf(task('z'), family(task('a'), task('a1')), family(task('p'), task('b'), task('c')));
  const after = planOf(
    task('z'),
    family(task('p'), task('b')),
    family(task('new'), family(task('a'), task('a1')), family(task('part'), task('c'))),
  );
  expect(leftOut({before, after}, 'new')).toEqual([
    {type: 'move', taskId: 'a', place: {parentId: null, index: 1}},
    {type: 'move', taskId: 'c', place: {parentId: 'p', index: 1}},
    remove,
  ]);
});
