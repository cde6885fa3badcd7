import {expect, test} from 'vitest';
import {namedRun} from '../../../src/machines/policies/run/named-run.ts';
import {runRecord} from '../../fakes/runs.ts';
import {errorOf} from '../../helpers/errors.ts';

const runs = ['a-1-3fa9c1', 'a-2-77b0e2', 'a-2-77c000'].map((run_id) => runRecord({run_id}));

test('a run is named by the shortest unique beginning of its id', () => {
  expect(namedRun(runs, 'a', 'a-1')).toBe(runs[0]);
  expect(namedRun(runs, 'a', 'a-2-77c')).toBe(runs[2]);
});

test.each([
  {typed: 'a-3', message: 'task a has no run "a-3"', details: []},
  {
    typed: 'a-2',
    message: '2 runs of a begin with "a-2"',
    details: [
      ['run', 'a-2-77b0e2'],
      ['run', 'a-2-77c000'],
    ],
  },
])('$message', ({typed, message, details}) => {
  expect(errorOf(() => namedRun(runs, 'a', typed))).toMatchObject({
    code: 'E_RUN_NOT_FOUND',
    message,
    details,
    next: [{command: 'blackbird runs a', why: 'see its runs'}],
  });
});
