import {describe, expect, test} from 'vitest';
import {explainTask} from '../../../src/machines/policies/plan/explain-task.ts';
import {requireTask} from '../../../src/machines/policies/plan/plan-graph.ts';
import {needOf} from '../../../src/machines/policies/report/needs-you.ts';
import {type JobAtWork, jobAtWork} from '../../../src/machines/policies/run/job-at-work.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import type {TaskStatus} from '../../../src/services/contracts/task-status.ts';
import {keyHints} from '../../../src/ui/model/task-facts.ts';
import {jobRecord} from '../../fakes/jobs.ts';
import {pausedRun, restingRun, waitingRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

/** In local time, as on the screen. */
const clock = (minute: number, second: number) => new Date(2026, 0, 10, 21, minute, second).toISOString();
const now = clock(58, 10);
const works: JobAtWork = {pid: 12, waitsFor: null, takes: []};
const limited = pausedRun({
  failure: {kind: 'rate_limit', message: 'no'},
  pause_reason: 'usage_limit',
  retry_at: clock(58, 40),
});
const failed = restingRun({
  state: 'failed',
  provider_session_ref: 's',
  resumable: true,
  failure: {kind: 'agent_error', message: 'no way'},
});

type Row = {
  name: string;
  status: TaskStatus;
  run: RunRecord | null;
  job: JobAtWork;
  reason: string;
  command?: string;
  hints: string[];
};

describe('while a job is at work, no command is suggested that its lock would refuse', () => {
  test.each<Row>([
    {
      name: 'a run it waits for continues by itself',
      status: 'in_progress',
      run: limited,
      job: {...works, waitsFor: {taskId: 'a', until: clock(58, 40)}},
      reason:
        'paused: the usage limit is reached, until 21:58:40; the job of process 12 continues with it at 21:58:40',
      hints: [],
    },
    {
      name: 'a paused run is resumed once the job has ended',
      status: 'in_progress',
      run: pausedRun(),
      job: works,
      reason: 'paused; once the job of process 12 has ended: blackbird resume a',
      hints: ['once the job has ended: u continues its session, R starts again'],
    },
    {
      name: 'a question is answered once the job has ended',
      status: 'waiting_user',
      run: waitingRun(),
      job: works,
      reason: 'waits for your answer; once the job of process 12 has ended: blackbird resume a',
      hints: ['once the job has ended: u answers its question, R starts again'],
    },
    {
      name: 'a failed task is resumed once the job has ended',
      status: 'failed',
      run: failed,
      job: works,
      reason: 'failed: no way; once the job of process 12 has ended: blackbird resume a',
      hints: ['t makes it ready', 'once the job has ended: u continues its session, R starts again'],
    },
    {
      name: 'a ready task that the job does not cover',
      status: 'todo',
      run: null,
      job: {...works, takes: ['b']},
      reason: 'ready now; once the job of process 12 has ended: blackbird execute a',
      hints: ['once the job has ended: e runs the plan, E only this'],
    },
    {
      name: 'a ready task of the plan that the job executes',
      status: 'todo',
      run: null,
      job: {...works, takes: 'all'},
      reason: 'ready now; the job of process 12 will get to it',
      hints: [],
    },
    {
      name: 'a decision is passed to the job',
      status: 'in_progress',
      job: works,
      run: restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'}),
      reason: 'waits for your decision',
      command: 'blackbird review a',
      hints: ['u decides'],
    },
    {
      name: 'a status is set while the job works',
      status: 'blocked',
      run: null,
      job: works,
      reason: 'blocked by hand',
      command: 'blackbird set-status a todo',
      hints: ['t releases it'],
    },
  ])('$name', ({status, run, job, reason, command, hints}) => {
    const plan = planOf(task('a', {status}));
    const factsOf = (each: Parameters<ReturnType<typeof factsIn>>[0]) => ({
      ...factsIn(plan, {run, isEngineAlive: true})(each),
      job,
      now,
    });
    const [told] = explainTask(plan, 'a', factsOf).conditions;
    expect({reason: told?.reason, command: told?.next?.command}).toEqual({reason, command});
    const facts = factsOf(requireTask(plan, 'a'));
    expect(keyHints(facts)).toEqual(hints);
    const need = needOf(facts);
    if (need === null || run?.questions) return;
    expect(need).toMatchObject({why: reason, command: command ?? null});
  });

  test('the question is shown with what happens to it', () => {
    const plan = planOf(task('a', {status: 'waiting_user'}));
    const facts = factsIn(plan, {run: waitingRun(), isEngineAlive: true})(requireTask(plan, 'a'));
    expect(needOf({...facts, job: works, now})).toMatchObject({
      why: 'asks: Which color?; once the job of process 12 has ended: blackbird resume a',
      command: null,
    });
  });
});

test('a ready task shows the limit of its provider', () => {
  const plan = planOf(task('a'));
  const limit = {provider: 'codex', until: clock(59, 5)} as const;
  const [told] = explainTask(plan, 'a', (each) => ({...factsIn(plan)(each), limit, now})).conditions;
  expect(told).toMatchObject({
    reason: 'ready, but the usage limit of codex is reached, until 21:59:05',
    next: {command: 'blackbird execute a'},
  });
});

test.each([
  ['a plan', jobRecord({steps: [{type: 'execute', taskIds: []}]}), 'all'],
  ['named tasks', jobRecord({steps: [{type: 'execute', taskIds: ['a']}]}), ['a']],
  ['a task alone', jobRecord({steps: [{type: 'task', taskId: 'a'}]}), []],
  ['a plan that stops', jobRecord({steps: [{type: 'execute', taskIds: []}], stopAskedAt: now}), []],
  ['an earlier job', jobRecord({end: {reason: 'completed', message: ''}}), []],
  ['no record', null, []],
] as const)('a job of %s comes by itself to %#', (_, record, takes) => {
  expect(jobAtWork(12, record)).toEqual({pid: 12, waitsFor: null, takes});
});

test('a waiting job says what it waits for, and until when', () => {
  const waiting = {
    taskId: 'a',
    runId: 'a-1',
    provider: 'codex',
    reason: 'usage_limit' as const,
    since: now,
    until: clock(58, 40),
  };
  expect(jobAtWork(12, jobRecord({waiting})).waitsFor).toEqual({taskId: 'a', until: clock(58, 40)});
});
