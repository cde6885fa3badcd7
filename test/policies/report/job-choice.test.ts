import {describe, expect, test} from 'vitest';
import {
  isJobSince,
  isRefusedUndo,
  isSameStretch,
  sinceTime,
} from '../../../src/machines/policies/report/job-choice.ts';
import type {JobRecord} from '../../../src/services/contracts/job.ts';
import {endedJob, jobRecord} from '../../fakes/jobs.ts';
import {errorOf} from '../../helpers/errors.ts';

/** In local time, as in the morning. */
const local = (day: number, hours: number, minutes = 0) =>
  new Date(2026, 0, day, hours, minutes).toISOString();
const now = local(11, 8, 30);

describe('since', () => {
  test.each([
    ['22:00', local(10, 22)],
    ['8:30', local(11, 8, 30)],
    ['08:31', local(10, 8, 31)],
    ['8h', local(11, 0, 30)],
    ['90m', local(11, 7)],
    ['2d', local(9, 8, 30)],
    ['2026-01-10', local(10, 0)],
    ['2026-01-10T22:00', local(10, 22)],
    ['2026-01-10 22:00', local(10, 22)],
    ['2026-01-10T22:00:00Z', '2026-01-10T22:00:00.000Z'],
    ['2026-01-10T22:00:00+02:00', '2026-01-10T20:00:00.000Z'],
  ])('%s', (text, time) => {
    expect(sinceTime(text, now)).toBe(time);
  });

  test.each(['', '24:00', '8', '-8h', 'yesterday', '2026-13-01', '2026-01-10T25:00', '9999999h'])(
    'refuses %j',
    (text) => {
      expect(errorOf(() => sinceTime(text, now))).toMatchObject({code: 'E_USAGE'});
    },
  );

  test('includes jobs that were still at work then', () => {
    const job = endedJob({startedAt: local(10, 20), endedAt: local(10, 23)});
    expect([local(10, 22), local(10, 23), local(10, 23, 1)].map((since) => isJobSince(job, since))).toEqual([
      true,
      true,
      false,
    ]);
    expect(isJobSince(jobRecord({startedAt: local(1, 0)}), now)).toBe(true);
  });
});

describe('the last period of work', () => {
  const morning = endedJob({startedAt: local(11, 8), endedAt: local(11, 8, 10)});
  const ended = (hours: number, minutes: number, end: Partial<NonNullable<JobRecord['end']>> = {}) =>
    endedJob({
      startedAt: local(10, 22),
      endedAt: local(11, hours, minutes),
      end: {reason: 'completed', standing: 'done', message: '', ...end},
    });
  test.each<{name: string; earlier: JobRecord; isSame: boolean}>([
    {name: 'a job that follows closely', earlier: ended(7, 1), isSame: true},
    {name: 'a job that follows an hour later', earlier: ended(7, 0), isSame: false},
    {name: 'a job that continues after a crash', earlier: ended(2, 0, {reason: 'lost'}), isSame: true},
    {
      name: 'a job that continues after a limit',
      earlier: ended(2, 0, {standing: 'timeNeeded'}),
      isSame: true,
    },
    {name: 'a job that starts over', earlier: ended(2, 0, {standing: 'personNeeded'}), isSame: false},
    {
      name: 'is never longer than a day',
      earlier: endedJob({startedAt: local(10, 7, 59), endedAt: local(11, 7, 59)}),
      isSame: false,
    },
  ])('$name', ({earlier, isSame}) => {
    expect(isSameStretch(earlier, morning, morning)).toBe(isSame);
  });
});

test('a refused undo is not part of a report; a completed one is', () => {
  const refused = {runs: [], end: {reason: 'error', message: 'cannot undo a'}};
  const undo = endedJob({steps: [{type: 'undo', taskId: 'a'}], ...refused});
  expect(isRefusedUndo(undo)).toBe(true);
  expect(isRefusedUndo({...undo, end: {reason: 'completed', message: 'a is todo again'}})).toBe(false);
  expect(isRefusedUndo({...undo, steps: [{type: 'execute', taskIds: []}]})).toBe(false);
});
