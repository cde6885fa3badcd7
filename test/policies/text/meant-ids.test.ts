import {expect, test} from 'vitest';
import {meantIds} from '../../../src/machines/policies/text/meant-ids.ts';

const ids = ['api-1-3fa9c1', 'api-12-77b0e2', 'api-2-aa10b4', 'api-2-aa10b4-old'];

test.each([
  {typed: 'api-12-77b0e2', meant: ['api-12-77b0e2']},
  {typed: 'api-12', meant: ['api-12-77b0e2']},
  {typed: 'api-12-7', meant: ['api-12-77b0e2']},
  // The end of a part counts for more than its beginning.
  {typed: 'api-1', meant: ['api-1-3fa9c1']},
  // The whole id counts for more than the beginning of another.
  {typed: 'api-2-aa10b4', meant: ['api-2-aa10b4']},
  {typed: 'api-2', meant: ['api-2-aa10b4', 'api-2-aa10b4-old']},
  {typed: 'api', meant: ids},
  {typed: 'api-3', meant: []},
  {typed: 'pi-1', meant: []},
  {typed: '', meant: []},
])('$typed', ({typed, meant}) => {
  expect(meantIds(ids, typed)).toEqual(meant);
});
