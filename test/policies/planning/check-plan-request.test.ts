import {expect, test} from 'vitest';
import {
  checkedRequest,
  requireChangeable,
} from '../../../src/machines/policies/planning/check-plan-request.ts';
import type {PlanRequest, PlanWish} from '../../../src/services/contracts/plan-request.ts';
import {errorOf} from '../../helpers/errors.ts';
import {planOf, task} from '../../helpers/plans.ts';

const wish = (fields: Partial<PlanWish> = {}): PlanRequest => ({
  type: 'new',
  wish: {kind: 'generate', text: 'A shop', taskIds: [], ...fields},
});

test.each<[string, PlanRequest]>([
  ['a description', wish()],
  ['dependencies without a hint', wish({kind: 'deps', text: ''})],
  ['a change of named tasks', wish({kind: 'refine', taskIds: ['a', '__proto__']})],
  ['the longest description', wish({text: 'x'.repeat(1024 * 1024)})],
  ['a draft', {type: 'open', draftId: 'd'}],
  ['a draft with answers', {type: 'open', draftId: 'd', answers: [{id: 'db', value: 'pg'}]}],
])('%s can be requested', (_, request) => {
  expect(checkedRequest(request)).toEqual(request);
});

test.each<[string, unknown, string, string]>([
  ['no description', wish({text: ' \n'}), 'E_NO_INPUT', 'say what the plan is to be about'],
  ['no change', wish({kind: 'refine', text: ''}), 'E_NO_INPUT', 'say what the plan is to be about'],
  ['a book', wish({text: 'x'.repeat(1024 * 1024 + 1)}), 'E_USAGE', 'the description is longer than 1 MiB'],
  ['an unknown kind', {type: 'new', wish: {kind: 'x', text: 'x', taskIds: []}}, 'E_USAGE', ''],
  ['an answer without a question', {type: 'open', draftId: 'd', answers: [{value: 'x'}]}, 'E_USAGE', ''],
  ['nothing', {type: 'open'}, 'E_USAGE', ''],
])('%s cannot be requested', (_, request, code, message) => {
  const error = errorOf(() => checkedRequest(request as PlanRequest));
  expect(error).toMatchObject({code, message: expect.stringContaining(message)});
});

test('only existing tasks can be changed', () => {
  const refine = {kind: 'refine', text: 'x', taskIds: []} as const;
  expect(errorOf(() => requireChangeable(planOf(), refine))).toMatchObject({code: 'E_PLAN_EDIT'});
  expect(errorOf(() => requireChangeable(planOf(task('a')), {...refine, taskIds: ['b']}))).toMatchObject({
    code: 'E_TASK_NOT_FOUND',
  });
  requireChangeable(planOf(task('a')), {...refine, taskIds: ['a']});
  requireChangeable(planOf(), {...refine, kind: 'generate'});
});
