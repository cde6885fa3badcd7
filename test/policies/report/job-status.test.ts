import {describe, expect, test} from 'vitest';
import {
  jobStatus,
  retryAtOf,
  type StatusFacts,
  usedIn,
} from '../../../src/machines/policies/report/job-status.ts';
import type {KnownOfTask} from '../../../src/machines/policies/run/task-options.ts';
import {nearTime} from '../../../src/machines/policies/text/durations.ts';
import type {Task} from '../../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {endedJob, jobRecord} from '../../fakes/jobs.ts';
import {pausedRun, question, restingRun, runRecord} from '../../fakes/runs.ts';
import {family, planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

const plan = planOf(
  family(task('p'), task('a', {status: 'in_progress'})),
  ...['b', 'c', 'd', 'e'].map((id) => task(id)),
  task('f', {status: 'done'}),
  task('g', {status: 'skipped'}),
);
const at = '2026-01-10T22:05:00.000Z';
const segment = {
  pid: 1,
  start_time: '1',
  boot_id: 'b',
  pid_namespace: 'n',
  host: 'here',
  argv: [],
  started_at: at,
};

const statusOf = (facts: Partial<StatusFacts> = {}) =>
  jobStatus({
    plan,
    factsOf: factsIn(plan, {run: facts.run ?? null, isEngineAlive: facts.owner !== 'dead'}),
    job: null,
    owner: 'dead',
    run: null,
    usage: null,
    others: [],
    ...facts,
  });

test('when nothing ever ran: what comes next, and how much is done', () => {
  expect(
    jobStatus({
      plan: planOf(task('a'), task('b')),
      factsOf: factsIn(plan),
      job: null,
      owner: 'dead',
      run: null,
      usage: null,
      others: [],
    }),
  ).toEqual({
    job: null,
    last_job: null,
    running: null,
    waiting: null,
    needs_you: [],
    needs_time: [],
    next: [
      {task_id: 'a', title: 'Task a'},
      {task_id: 'b', title: 'Task b'},
    ],
    reviews_due: [],
    done: 0,
    skipped: 0,
    total: 2,
  });
});

test('a parent whose children were done by agents needs its review', () => {
  const done = planOf(family(task('p'), task('a', {status: 'done'})));
  const due = (run: RunRecord | null) =>
    statusOf({plan: done, run, factsOf: factsIn(done, {run})}).reviews_due;
  expect([due(restingRun({state: 'succeeded'})), due(null)]).toEqual([['p'], []]);
});

describe('while a job works', () => {
  const job = jobRecord({runs: [{taskId: 'a', runId: 'a-1', startedAt: at}]});
  const running = (fields: Partial<RunRecord> = {}) =>
    runRecord({phase: 'active', segments: [segment], job_id: job.jobId, ...fields});

  test('a job that stops after this task says so, and names nothing as next', () => {
    const status = statusOf({job: {...job, stopAskedAt: at}, owner: 'alive', run: running()});
    expect([status.job?.stop_asked_at, status.next]).toEqual([at, []]);
    // Its Blackbird is gone: what comes next is what the next one does.
    expect(statusOf({job: {...job, stopAskedAt: at}, owner: 'dead'}).next).not.toEqual([]);
  });

  test('shows what runs, since when, and its usage so far', () => {
    const usage = {input_tokens: 17_000, output_tokens: 1000, cost_usd: 0.31};
    const status = statusOf({job, owner: 'alive', run: running(), usage});
    expect(status).toEqual({
      job: {
        job_id: job.jobId,
        state: 'working',
        agent: 'claude',
        started_at: job.startedAt,
        pid: 42,
        host: 'here',
        go_on: null,
        stop_asked_at: null,
        decision: null,
        tokens: 18_000,
        cost_usd: 0.31,
      },
      last_job: null,
      running: {
        task_id: 'a',
        title: 'Task a',
        run_id: 'a-1',
        state: 'running',
        check: null,
        since: at,
        heard_at: null,
        agent: 'claude',
        tokens: 18_000,
        cost_usd: 0.31,
      },
      waiting: null,
      needs_you: [],
      needs_time: [],
      next: ['b', 'c', 'd'].map((id) => ({task_id: id, title: `Task ${id}`})),
      reviews_due: [],
      done: 1,
      skipped: 1,
      total: 7,
    });
  });

  test('shows when its agent last printed anything, unless that was the previous agent', () => {
    const heard = (heardAt: string) =>
      statusOf({job, owner: 'alive', run: running(), heardAt}).running?.heard_at;
    const later = '2026-01-10T22:06:00.000Z';
    expect([heard(later), heard('2026-01-10T22:04:00.000Z')]).toEqual([later, null]);
  });

  test('adds the usage of earlier segments', () => {
    const run = running({
      segments: [segment, {...segment, started_at: '2026-01-10T23:00:00.000Z'}],
      usage: {input_tokens: 1000, output_tokens: 0, cost_usd: 0.1},
    });
    const usage = {input_tokens: 500, output_tokens: 0};
    expect(statusOf({job, owner: 'alive', run, usage}).running).toMatchObject({
      since: '2026-01-10T23:00:00.000Z',
      tokens: 1500,
      cost_usd: 0.1,
    });
  });

  test("shows the job's usage: its ended agents, of this job only, and the running one", () => {
    const gone = (jobId: string, cost_usd?: number) => ({
      ...segment,
      ended_at: at,
      job_id: jobId,
      usage: {input_tokens: 1000, output_tokens: 0, ...(cost_usd === undefined ? {} : {cost_usd})},
    });
    const run = running({segments: [gone('yesterday', 5), gone(job.jobId), segment]});
    const usage = {input_tokens: 400, output_tokens: 100, cost_usd: 0.1};
    const others = [
      usedIn(running({segments: [gone(job.jobId, 0.4), gone('yesterday', 5)]}), job.jobId),
      {tokens: null, cost_usd: null},
    ];
    const jobOf = (facts: Partial<StatusFacts>) => statusOf({job, owner: 'alive', ...facts}).job;
    expect(jobOf({run, usage, others})).toMatchObject({tokens: 2500, cost_usd: 0.5});
    expect(jobOf({run})).toMatchObject({tokens: 1000, cost_usd: null});
    expect(jobOf({})).toMatchObject({tokens: null, cost_usd: null});
  });

  test.each([
    ['every task', [], ['b', 'c']],
    ['the named ones', ['a', 'c'], ['c']],
  ])('what comes next is what the job does after the current task: %s', (_, taskIds, next) => {
    const chain = planOf(task('a', {status: 'in_progress'}), task('b', {deps: ['a']}), task('c'));
    const own = {...job, steps: [{type: 'execute', taskIds}]};
    const status = statusOf({plan: chain, job: own, owner: 'alive', run: running()});
    expect(status.next.map(({task_id}) => task_id)).toEqual(next);
  });

  test('calls a review a review', () => {
    const run = running({task_id: 'p', run_id: 'p-1', run_type: 'review'});
    expect(statusOf({job, owner: 'alive', run}).running).toMatchObject({task_id: 'p', state: 'reviewing'});
  });

  test('a task whose agent has ended does not need you until its job is done with it', () => {
    const needs = (run: RunRecord, isOwnerAtWork: boolean) => {
      const factsOf = factsIn(plan, {run, isEngineAlive: true, isOwnerAtWork});
      return statusOf({job, owner: 'alive', run, factsOf}).needs_you.map(({command}) => command);
    };
    const ended = restingRun({state: 'succeeded', job_id: job.jobId});
    expect(needs(ended, true)).toEqual([]);
    expect(needs(ended, false)).toEqual(['blackbird set-status a todo']);
    expect(needs({...ended, decision_required: true, decision_state: 'pending'}, true)).toEqual([
      'blackbird review a',
    ]);
    const undecided = {...ended, decision_required: true, decision_state: 'pending'} as const;
    expect(statusOf({job, owner: 'alive', run: undecided}).job).toMatchObject({decision: 'a'});
    expect(statusOf({job, owner: 'alive', run: ended}).job).toMatchObject({decision: null});
  });

  test('a limit that the job waits for does not need you', () => {
    const run = pausedRun({
      job_id: job.jobId,
      pause_reason: 'usage_limit',
      paused_at: at,
      retry_at: '2026-01-11T00:00:00.000Z',
    });
    expect(statusOf({job, owner: 'alive', run})).toMatchObject({
      running: null,
      waiting: {
        task_id: 'a',
        title: 'Task a',
        run_id: 'a-1',
        agent: 'claude',
        reason: 'usage_limit',
        since: at,
        retry_at: '2026-01-11T00:00:00.000Z',
      },
      needs_you: [],
    });
  });

  test('what it waits for before anything started is shown', () => {
    const waiting = {
      taskId: 'b',
      runId: null,
      provider: 'claude',
      reason: 'usage_limit' as const,
      since: at,
      until: '2026-01-11T00:00:00.000Z',
    };
    const told = {
      task_id: 'b',
      title: 'Task b',
      run_id: null,
      agent: 'claude',
      reason: 'usage_limit',
      since: at,
      retry_at: '2026-01-11T00:00:00.000Z',
    };
    const status = statusOf({job: jobRecord({waiting}), owner: 'alive'});
    expect([status.waiting, status.next.map(({task_id}) => task_id)]).toEqual([told, ['c', 'd', 'e']]);
    const resumed = jobRecord({waiting: {...waiting, taskId: 'a'}});
    const paused = pausedRun({failure: {kind: 'rate_limit', message: ''}});
    const facts = {job: resumed, owner: 'alive', factsOf: factsIn(plan, {run: paused})} as const;
    expect(statusOf(facts)).toMatchObject({waiting: {task_id: 'a'}, needs_you: []});
    expect(statusOf({job: jobRecord({waiting}), owner: 'dead'}).waiting).toBe(null);
    expect(statusOf({job: {...job, waiting}, owner: 'alive', run: running()}).waiting).toBe(null);
  });

  test.each([
    [
      'the task that it worked on',
      running({provider_session_ref: 's-1', resumable: true}),
      'blackbird resume a',
    ],
    ['the plan, when it worked on none', null, 'blackbird execute'],
  ])('whose Blackbird is gone is continued with %s', (_what, run, command) => {
    expect(statusOf({job, owner: 'dead', run}).job?.go_on).toBe(command);
  });

  test.each([
    ['launching', {phase: 'launching'}],
    ['running', {phase: 'active'}],
    ['pausing', {phase: 'pausing'}],
    ['pausing', {phase: 'pausing', run_type: 'review'}],
    ['reviewing', {phase: 'active', run_type: 'review'}],
    ['checking', {phase: 'verifying'}],
  ] as const)('what runs is %s: %j', (state, fields) => {
    expect(statusOf({job, owner: 'alive', run: running(fields)}).running?.state).toBe(state);
  });

  test.each([
    ['dead', 'lost'],
    ['unknown', 'unseen'],
  ] as const)('whose owner is %s is %s, and nothing runs', (owner, state) => {
    const status = statusOf({job, owner, run: running()});
    expect([status.job?.state, status.running]).toEqual([state, null]);
  });
});

describe('after a job', () => {
  test('its end is shown', () => {
    expect(statusOf({job: endedJob()})).toMatchObject({
      job: null,
      last_job: {
        job_id: '20260110-220412-3fa9c1',
        started_at: '2026-01-10T22:04:12.000Z',
        ended_at: '2026-01-11T03:41:00.000Z',
        reason: 'completed',
        message: '2 done · no ready tasks remaining',
      },
    });
  });

  test.each([
    [pausedRun(), {why: 'paused', command: 'blackbird resume a'}],
    [
      restingRun({state: 'waiting', questions: [{...question, prompt: 'Which currency?'}]}),
      {why: 'asks: Which currency?', command: 'blackbird resume a'},
    ],
    [
      restingRun({state: 'succeeded', decision_required: true, decision_state: 'pending'}),
      {why: 'waits for your decision', command: 'blackbird review a'},
    ],
  ])('a run at rest needs you, with its command', (run, need) => {
    expect(statusOf({job: endedJob(), run, owner: 'dead'}).needs_you[0]).toMatchObject({
      task_id: 'a',
      title: 'Task a',
      ...need,
    });
  });

  describe('what only needs time', () => {
    const retryAt = '2026-01-10T23:00:00.000Z';
    const held = pausedRun({
      provider_session_ref: 's-1',
      resumable: true,
      pause_reason: 'usage_limit',
      retry_at: retryAt,
      failure: {kind: 'rate_limit', message: ''},
    });
    const needsAt = (now: string, known: Partial<KnownOfTask> = {}) => {
      const own = factsIn(plan, {run: held, ...known});
      const factsOf = (each: Task) => ({...own(each), now});
      const {needs_you, needs_time} = statusOf({job: endedJob(), run: held, factsOf});
      return {needs_you, needs_time};
    };

    test('does not need you: the next execution waits for it', () => {
      const {needs_you, needs_time} = needsAt(at);
      expect(needs_you).toEqual([]);
      expect(needs_time).toEqual([
        {
          task_id: 'a',
          title: 'Task a',
          command: 'blackbird execute',
          retry_at: retryAt,
          why: `paused: the usage limit is reached, until ${nearTime(retryAt, at)}`,
        },
      ]);
    });

    test('can continue once its time has come, and not a moment earlier', () => {
      const before = new Date(Date.parse(retryAt) - 1).toISOString();
      expect(needsAt(before).needs_time).toMatchObject([{why: expect.stringContaining('until')}]);
      expect(needsAt(retryAt).needs_time).toMatchObject([{why: 'paused, can continue now'}]);
    });

    test.each<[string, Partial<KnownOfTask>]>([
      ['its session is in another folder', {repoRoot: '/elsewhere'}],
      ['a review sent it back', {isSentBack: true}],
    ])('needs you when %s', (_, known) => {
      const {needs_you, needs_time} = needsAt(at, known);
      expect([needs_you[0]?.task_id, needs_time]).toEqual(['a', []]);
    });
  });

  test.each([
    [
      'a skipped task',
      planOf(task('a', {status: 'skipped'}), task('b', {deps: ['a']}), task('c', {status: 'done'})),
      [['b', 'waits for a, which is skipped', 'blackbird set-status a todo']],
    ],
    [
      'a parent with a skipped child',
      planOf(
        family(task('p'), task('p1', {status: 'done'}), task('p2', {status: 'skipped'})),
        task('b', {deps: ['p']}),
      ),
      [['b', 'waits for p, and p2 below it is skipped', 'blackbird set-status p2 todo']],
    ],
    [
      'each other',
      planOf(task('a', {deps: ['b']}), task('b', {deps: ['a']})),
      [
        ['a', 'waits for b, which can only be done after it', 'blackbird why a'],
        ['b', 'waits for a, which can only be done after it', 'blackbird why b'],
      ],
    ],
    ['a task that is not done yet', planOf(task('a'), task('b', {deps: ['a']})), []],
  ])('a task that waits forever needs you: for %s', (_, stuck, needs) => {
    const {needs_you} = statusOf({plan: stuck, factsOf: factsIn(stuck), job: endedJob()});
    expect(needs_you.map(({task_id, why, command}) => [task_id, why, command])).toEqual(needs);
  });

  test('a failed task shows its reason', () => {
    const failed = planOf(task('a', {status: 'failed'}));
    const run = restingRun({state: 'failed', failure: {kind: 'agent_error', message: 'npm test failed'}});
    const status = jobStatus({
      plan: failed,
      factsOf: factsIn(failed, {run}),
      job: null,
      owner: 'dead',
      run: null,
      usage: null,
      others: [],
    });
    expect(status.needs_you).toMatchObject([{task_id: 'a', why: 'failed: npm test failed'}]);
  });
});

test.each([
  [{}, null],
  [{failure: {kind: 'rate_limit', message: '', reset_at: 'r'}}, 'r'],
  [{failure: {kind: 'rate_limit', message: '', reset_at: 'r'}, retry_at: 'later'}, 'later'],
] as const)('when a run is tried again: %j', (fields, time) => {
  expect(retryAtOf(pausedRun(fields as Partial<RunRecord>))).toBe(time);
});
