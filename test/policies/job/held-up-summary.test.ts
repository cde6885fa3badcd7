import {expect, test} from 'vitest';
import {needCall} from '../../../src/machines/policies/job/hook-payloads.ts';
import type {JobResult} from '../../../src/machines/policies/job/job-steps.ts';
import {jobSummary} from '../../../src/machines/policies/job/job-summary.ts';
import type {Wait} from '../../../src/machines/policies/job/waiting.ts';
import {attemptOf} from '../../../src/machines/policies/run/task-outcome.ts';
import {nearTime} from '../../../src/machines/policies/text/durations.ts';
import type {FailureKind} from '../../../src/services/contracts/agent.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {pausedRun, restingRun} from '../../fakes/runs.ts';
import {now, planOf, task} from '../../helpers/plans.ts';

const plan = planOf(task('a'), task('b'));
const failure = (kind: FailureKind) => ({failure: {kind, message: 'words'}});
const held = (kind: FailureKind) => pausedRun(failure(kind));
const failed = restingRun({state: 'failed', ...failure('agent_error')});

/** A plan job that ran these. */
const executed = (
  reason: 'paused' | 'completed' | 'failed',
  runs: readonly RunRecord[],
  review?: FailureKind,
): JobResult => ({
  reason,
  steps: [
    {
      type: 'execute',
      output: {
        reason,
        attempted: runs.map((run) => attemptOf(run.task_id, run)),
        ...(review && {reviews: [{parentId: 'p', verdict: 'broken', ...failure(review)}]}),
      },
    },
  ],
  left: [],
  isStopAsked: false,
  isPauseAsked: false,
});

test.each([
  ['a limit', executed('paused', [held('rate_limit')]), 'timeNeeded'],
  ['a missing login', executed('paused', [held('auth')]), 'personNeeded'],
  [
    'a full context window, with other tasks left',
    executed('completed', [held('context_full')]),
    'personNeeded',
  ],
  [
    'a failed task and a full context window',
    executed('completed', [failed, held('context_full')]),
    'failed',
  ],
  ['a review stopped by an outage', executed('failed', [], 'outage'), 'timeNeeded'],
  ['a review stopped by a missing login', executed('failed', [], 'auth'), 'personNeeded'],
  ['a review that failed on its own', executed('failed', [], 'agent_error'), 'failed'],
  ['a pause by hand', executed('paused', [pausedRun()]), 'paused'],
] as const)('what a job needs after %s', (_, result, standing) => {
  expect(jobSummary(result, plan).standing).toBe(standing);
});

test('what a parent review sent back does not count as done', () => {
  const done = ['a', 'b', 'c'].map((id) => restingRun({task_id: id, run_id: `${id}-1`, state: 'succeeded'}));
  const pending = ['a', 'b'].map((childTaskId) => ({
    schemaVersion: 1 as const,
    childTaskId,
    parentTaskId: 'p',
    reviewRunId: 'p-1',
    feedback: 'Test it.',
    createdAt: now,
    updatedAt: now,
  }));
  const reason = 'parent_review_required' as const;
  const attempted = done.map((run) => attemptOf(run.task_id, run));
  const result: JobResult = {
    ...executed('completed', done),
    reason,
    steps: [{type: 'execute', output: {reason, attempted, pending}}],
  };
  expect(jobSummary(result, plan).headline).toBe('1 done · a parent review sent back a, b');
});

test('an empty plan is reported as empty, with the commands that fill it', () => {
  expect(jobSummary(executed('completed', []), planOf())).toMatchObject({
    headline: 'the plan is empty',
    standing: 'done',
    lines: [
      'the plan is empty',
      'Plan with your agent: blackbird plan generate',
      'Add a task yourself:  blackbird add',
    ],
  });
  expect(jobSummary(executed('completed', []), planOf(task('a', {status: 'done'}))).lines).toEqual([
    'no ready tasks remaining',
  ]);
});

test('a single task that is held up is an error with its diagnosis', () => {
  const run = held('outage');
  const result: JobResult = {
    reason: 'paused',
    left: [],
    isStopAsked: false,
    isPauseAsked: false,
    steps: [{type: 'task', output: {outcome: 'paused', run}}],
  };
  expect(() => jobSummary(result, plan)).toThrow(expect.objectContaining({code: 'E_PROVIDER_UNAVAILABLE'}));
});

test('a task that failed its check shows the end of the output, and where all of it is', () => {
  const check = {
    command: 'npm test',
    round: 1,
    started_at: '',
    seconds: 2,
    exit_code: 1,
    signal: null,
    tail: '1\n2\n3\n4\n5\n1 test failed\n',
    log_file: 'l',
    log_digest: '',
  };
  const run = restingRun({state: 'failed', ...failure('verification'), verifications: [check]});
  expect(jobSummary(executed('completed', [run]), plan).lines).toEqual([
    '1 failed · 2 ready',
    'failed: a',
    'a  ✗ npm test exit 1 2.0s',
    ...['    2', '    3', '    4', '    5', '    1 test failed'],
    'See the whole output of its check with: blackbird runs a --verbose',
    'Start it again with: blackbird retry a, then blackbird execute',
  ]);
});

const wait: Wait = {
  taskId: 'b',
  runId: null,
  until: '2026-01-02T18:05:00.000Z',
  foundAt: '2026-01-02T12:00:00.000Z',
  provider: 'claude',
  reason: 'usage_limit',
  isTooLong: false,
};

test('a task asked for by name that was stopped while it waited only needs time, and is asked for again', () => {
  const stopped: JobResult = {
    reason: 'paused',
    left: [],
    isStopAsked: true,
    isPauseAsked: false,
    steps: [
      {
        type: 'task',
        output: {outcome: 'notBegun', taskId: 'b', asked: 'resume', wait: {...wait, runId: 'b-1'}},
      },
    ],
  };
  const headline = `b cannot continue before ${nearTime(wait.until, wait.foundAt)}: the usage limit is reached (claude).`;
  expect(jobSummary(stopped, plan)).toEqual({
    reason: 'paused',
    taskId: 'b',
    headline,
    lines: [headline, '  blackbird resume b  continue after that time'],
    retryAt: wait.until,
    standing: 'timeNeeded',
  });
});

test('a job that was asked to stop before the task it waited for has begun only needs time', () => {
  const output = {reason: 'completed', attempted: [], wait} as const;
  const stopped: JobResult = {
    ...executed('completed', []),
    steps: [{type: 'execute', output}],
    isStopAsked: true,
  };
  const summary = jobSummary(stopped, plan);
  expect(summary).toMatchObject({reason: 'completed', standing: 'timeNeeded', retryAt: wait.until});
  expect(summary.lines).toEqual([
    'Stopped before the next task, as you asked · 2 ready',
    expect.stringMatching(/^b cannot start before .*usage limit/),
    '  blackbird execute  continue after that time',
  ]);
  expect(needCall(summary, stopped)).toBeNull();
  expect(needCall(summary, {...stopped, isStopAsked: false})).toMatchObject({retry_at: wait.until});
});

test('a job that was stopped while it waited for a run of an earlier job says what it waited for', () => {
  const output = {reason: 'completed', attempted: [], wait: {...wait, runId: 'b-1'}} as const;
  const steps: JobResult['steps'] = [{type: 'execute', output}];
  expect(jobSummary({...executed('completed', []), steps, isStopAsked: true}, plan).lines).toEqual([
    'Stopped before the next task, as you asked · 2 ready',
    expect.stringMatching(/^b cannot continue before .*usage limit/),
    '  blackbird execute  continue after that time',
  ]);
});

test('a limit that a task reaches after the job was asked to stop is news', () => {
  const stopped = {...executed('completed', [held('rate_limit')]), isStopAsked: true};
  const summary = jobSummary(stopped, plan);
  expect(summary.standing).toBe('timeNeeded');
  expect(needCall(summary, stopped)).toMatchObject({reason: 'completed', message: summary.headline});
});

test('a job that was asked to stop while a task waited gives that reason, and no other', () => {
  const stopped = {...executed('completed', [held('rate_limit')]), isStopAsked: true};
  expect(jobSummary(stopped, plan).lines.slice(0, 2)).toEqual([
    'Stopped while a waited, as you asked · 2 ready',
    'a is paused: the usage limit is reached.',
  ]);
  const after = {...executed('completed', [held('rate_limit'), failed]), isStopAsked: true};
  expect(jobSummary(after, plan).headline).toBe('Stopped after a, as you asked · 2 ready');
});
