import {describe, expect, test} from 'vitest';
import {resolveConfig} from '../../../src/machines/policies/config-resolution.ts';
import {newJobId} from '../../../src/machines/policies/job/job-id.ts';
import {
  endedJob,
  isOpenJob,
  lastRunOf,
  lostJob,
  newJobRecord,
} from '../../../src/machines/policies/job/job-record.ts';
import {type JobResult, jobRules} from '../../../src/machines/policies/job/job-steps.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import {restingRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';

const startedAt = '2026-01-10T22:04:12.500Z';
const rules = jobRules(resolveConfig([]), {id: 'claude', source: 'saved'}, {}, startedAt);
const changedAtEleven = restingRun({state: 'failed', updated_at: '2026-01-10T23:00:00.000Z'});
const owner = {pid: 42, startTime: '7', bootId: 'boot', pidNamespace: 'pid:[1]'};
const job = newJobRecord(
  {
    jobId: '20260110-220412-3fa9c1',
    steps: [
      {type: 'task', taskId: 'a', mode: {type: 'resume', answers: [], feedback: 'a secret word'}},
      {type: 'execute', taskIds: []},
    ],
    rules,
    owner,
    host: 'here',
  },
  startedAt,
);
const done: JobResult = {reason: 'completed', steps: [], left: [], isStopAsked: false, isPauseAsked: false};

describe('the id of a job', () => {
  test.each([
    [undefined, '20260110-220412-ffffff'],
    ['20260110-220411-000000', '20260110-220412-ffffff'],
    // In the same second, and after the clock went back, it still sorts after the newest.
    ['20260110-220412-000000', '20260110-220413-ffffff'],
    ['20261231-235959-000000', '20270101-000000-ffffff'],
    ['zzz', 'zzz0-ffffff'],
  ])('after %s is %s', (newest, id) => {
    expect(newJobId(startedAt, 'ffffff', newest)).toBe(id);
    expect(newest === undefined || id > newest).toBe(true);
  });
});

describe('the record of a job', () => {
  test('holds the request, without its text, and the settings it started with', () => {
    expect(job).toEqual({
      schemaVersion: 1,
      jobId: '20260110-220412-3fa9c1',
      steps: [
        {type: 'task', taskId: 'a', mode: 'resume'},
        {type: 'execute', taskIds: []},
      ],
      agent: 'claude',
      settings: rules,
      owner: {...owner, host: 'here'},
      startedAt,
      runs: [],
      waits: [],
    });
    expect(isOpenJob(job)).toBe(true);
  });

  test('holds the summary that the user saw', () => {
    const ended = endedJob(job, done, planOf(task('a')), '2026-01-11T03:41:00.000Z');
    expect(ended).toEqual({
      ...job,
      endedAt: '2026-01-11T03:41:00.000Z',
      end: {reason: 'completed', standing: 'done', message: '1 ready'},
    });
    expect(isOpenJob(ended)).toBe(false);
  });

  test('never ends before it started', () => {
    expect(endedJob(job, done, planOf(), '2025-01-01T00:00:00.000Z').endedAt).toBe(startedAt);
  });

  test.each([
    [
      new AppError('E_PLAN_INVALID', 'the plan is broken'),
      {message: 'the plan is broken', code: 'E_PLAN_INVALID'},
    ],
    [new Error('boom'), {message: 'boom'}],
  ])('keeps the error that broke it: %s', (error, told) => {
    const result: JobResult = {...done, reason: 'error', error};
    expect(endedJob(job, result, planOf(), startedAt).end).toEqual({reason: 'error', ...told});
  });

  test('ends although the plan cannot be read', () => {
    expect(endedJob(job, done, null, startedAt).end).toEqual({
      reason: 'completed',
      message: 'the plan cannot be read',
    });
  });

  test.each([
    [null, null, startedAt],
    [changedAtEleven, null, '2026-01-10T23:00:00.000Z'],
    [changedAtEleven, '2026-01-11T02:00:00.000Z', '2026-01-11T02:00:00.000Z'],
    [changedAtEleven, '2026-01-10T22:30:00.000Z', '2026-01-10T23:00:00.000Z'],
  ])('that was lost ended at the last time known of it', (run, heardAt, endedAt) => {
    expect(lostJob(job, run, heardAt)).toEqual({
      ...job,
      endedAt,
      end: {reason: 'lost', message: 'Blackbird ended before the job did'},
    });
  });
});

test('the last run a job continued is the one it started, or the one whose wait ended later', () => {
  const begun = (hour: string) => ({taskId: 'b', runId: 'b-1', startedAt: `2026-01-10T${hour}:00:00.000Z`});
  const wait = {
    taskId: 'a',
    runId: 'a-1',
    reason: 'usage_limit' as const,
    startedAt: '2026-01-10T22:00:00.000Z',
    endedAt: '2026-01-10T23:00:00.000Z',
  };
  expect(lastRunOf(job)).toBe(null);
  expect(lastRunOf({...job, runs: [begun('22')]})?.runId).toBe('b-1');
  expect(lastRunOf({...job, runs: [begun('22')], waits: [wait]})?.runId).toBe('a-1');
  expect(lastRunOf({...job, runs: [begun('23')], waits: [wait]})?.runId).toBe('a-1');
  expect(
    lastRunOf({
      ...job,
      runs: [begun('23'), {...begun('23'), startedAt: '2026-01-10T23:30:00.000Z'}],
      waits: [wait],
    })?.runId,
  ).toBe('b-1');
});
