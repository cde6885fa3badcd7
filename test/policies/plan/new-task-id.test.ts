import {expect, test} from 'vitest';
import {newTaskId} from '../../../src/machines/policies/plan/new-task-id.ts';
import {planOf, task} from '../../helpers/plans.ts';

test.each([
  {title: 'Refund endpoint', taken: [], id: 'refund-endpoint'},
  {title: 'Refund endpoint', taken: ['Refund-Endpoint', 'refund-endpoint-2'], id: 'refund-endpoint-3'},
  {title: '  Über: größe!  ', taken: [], id: 'uber-gro-e'},
  {title: '漢字', taken: [], id: 'task'},
  {title: 'Root', taken: [], id: 'root-2'},
  {title: '../../etc/passwd', taken: [], id: 'etc-passwd'},
  {title: 'a'.repeat(100), taken: [], id: 'a'.repeat(32)},
  {title: 'Thirty-two columns are what fits it', taken: [], id: 'thirty-two-columns-are-what-fits'},
  {title: 'Thirty-two columns are what it does not', taken: [], id: 'thirty-two-columns-are-what-it'},
  {title: 'A REST API with pages for the refunds', taken: [], id: 'a-rest-api-with-pages'},
  {title: 'What the refunds are for', taken: [], id: 'what-the-refunds-are-for'},
])('$title is $id', ({title, taken, id}) => {
  expect(newTaskId(planOf(...taken.map((each) => task(each))), title)).toBe(id);
});
