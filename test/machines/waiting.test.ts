import {describe, expect, test} from 'vitest';
import {createActor, fromCallback, fromPromise, SimulatedClock, toPromise} from 'xstate';
import {type ExecutorInput, executorMachine} from '../../src/machines/executor.machine.ts';
import {type JobTaskInput, jobTaskMachine} from '../../src/machines/job-task.machine.ts';
import {resumeStep} from '../../src/machines/policies/job/job-steps.ts';
import type {Wait} from '../../src/machines/policies/job/waiting.ts';
import {
  type RetryWaitCommand,
  type RetryWaitInput,
  retryWaitMachine,
} from '../../src/machines/retry-wait.machine.ts';
import type {FailureKind} from '../../src/services/contracts/agent.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {defaultRules, defineEffects} from '../fakes/machines.ts';
import {endedSegment, pausedRun, sessionRef} from '../fakes/runs.ts';
import {createFakeServices, type FakeServices, settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {family, now, planOf, statuses, task, withStatus} from '../helpers/plans.ts';

const minute = 60_000;
const hour = 60 * minute;
const at = (milliseconds: number) => new Date(Date.parse(now) + milliseconds).toISOString();

/** What each agent does, one after another; all others succeed. */
type Play = (agent: FakeAgent) => void;

/** An agent in its session that meets this and ends. */
const meets =
  (kind: FailureKind, resetAt?: string): Play =>
  (agent) => {
    agent.opensSession();
    const failure = {kind, message: kind, ...(resetAt === undefined ? {} : {reset_at: resetAt})};
    agent.exits({exitCode: 1, verdict: {outcome: 'failed', failure, text: ''}});
  };

const limit = (resetAt?: string) => meets('rate_limit', resetAt);
const outage = meets('outage');

function playIn({agents}: FakeServices, plays: readonly Play[]) {
  const left = [...plays];
  agents.obeys.interrupt = true;
  agents.play = (agent) => (left.shift() ?? ((each: FakeAgent) => each.succeeds()))(agent);
}

/** Wall clock and timers advance together, never further than to the next timer. */
function createTime(fake: FakeServices) {
  const clock = new SimulatedClock();
  return {
    clock,
    pass: async (milliseconds: number) => {
      for (let left = milliseconds; left > 0; left -= 10_000) {
        const step = Math.min(10_000, left);
        fake.time.now = new Date(Date.parse(fake.time.now) + step).toISOString();
        clock.increment(step);
        for (let turn = 0; turn < 12; turn++) await settle();
      }
    },
  };
}

async function startPlan({
  plays = [],
  fields = {},
  plan = planOf(task('a'), task('b')),
  runs = [],
  before,
}: {
  plays?: readonly Play[];
  fields?: Partial<ExecutorInput>;
  plan?: ReturnType<typeof planOf>;
  runs?: readonly RunRecord[];
  before?: (fake: FakeServices) => void;
}) {
  const fake = createFakeServices({plan, runs});
  playIn(fake, plays);
  before?.(fake);
  const effects = defineEffects(fake.services);
  const time = createTime(fake);
  const actor = createActor(executorMachine.provide({actors: effects.executor}), {
    clock: time.clock,
    input: {...defaultRules, taskIds: [], ...fields},
  });
  const finished = toPromise(actor);
  actor.start();
  for (let turn = 0; turn < 30; turn++) await settle();
  return {
    ...fake,
    ...time,
    actor,
    finished,
    waits: () => [...effects.waits].map(({wait}) => wait),
    retryNow: () => {
      for (const wait of effects.waits) wait.send({type: 'retry.now'});
    },
    wake: () => {
      for (const wait of effects.waits) wait.send({type: 'clock.changed'});
    },
    started: () =>
      fake.agents.agents.map(({runId, request}) => `${runId} ${request.kind} ${request.sessionRef}`),
    isWaiting: () => effects.waits.size === 1,
  };
}

const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;

describe('a usage limit', () => {
  test('is waited for, then the same run continues in its session, and then the plan', async () => {
    const plan = await startPlan({plays: [limit(at(hour))]});
    const until = at(hour + minute);
    expect(plan.waits()).toEqual([
      {
        taskId: 'a',
        runId: 'a-1',
        provider: 'claude',
        reason: 'usage_limit',
        until,
        foundAt: at(0),
        isTooLong: false,
      },
    ]);
    expect(plan.runs.records('a')).toMatchObject([
      {state: 'paused', pause_reason: 'usage_limit', retry_at: until},
    ]);
    expect(plan.limits.limits.get('claude')).toEqual({until, source: 'reported', seenAt: now});

    await plan.pass(hour);
    expect(plan.started()).toEqual(['a-1 start null']);
    await plan.pass(2 * minute);
    expect(plan.started()).toEqual(['a-1 start null', 'a-1 resume session-1', 'b-1 start null']);
    expect(await plan.finished).toMatchObject({
      reason: 'completed',
      attempted: [
        {taskId: 'a', state: 'succeeded'},
        {taskId: 'b', state: 'succeeded'},
      ],
    });
    expect(plan.runs.records('a').at(-1)).not.toHaveProperty('retry_at');
    expect(plan.limits.limits.get('claude')).toBeUndefined();
    expect(plan.violations).toEqual([]);
  });

  test('that another project met keeps every task of the provider from starting', async () => {
    const plan = await startPlan({
      before: ({limits}) =>
        void limits.save('claude', {until: at(10 * minute), source: 'reported', seenAt: now}),
    });
    expect(plan.waits()).toMatchObject([{taskId: 'a', runId: null, until: at(10 * minute)}]);
    expect(plan.started()).toEqual([]);
    await plan.pass(10 * minute);
    expect(await plan.finished).toMatchObject({reason: 'completed'});
    expect(plan.started()).toEqual(['a-1 start null', 'b-1 start null']);
  });

  test('of another provider is no reason to wait', async () => {
    const plan = await startPlan({
      before: ({limits}) => void limits.save('codex', {until: at(hour), source: 'reported', seenAt: now}),
    });
    expect(await plan.finished).toMatchObject({reason: 'completed'});
  });

  test('can be tried now', async () => {
    const plan = await startPlan({plays: [limit(at(hour))]});
    plan.retryNow();
    expect(await plan.finished).toMatchObject({reason: 'completed'});
    expect(plan.started()).toEqual(['a-1 start null', 'a-1 resume session-1', 'b-1 start null']);
  });

  test('is left by a pause, with everything on disk; the next execution continues it', async () => {
    const plan = await startPlan({plays: [limit(at(hour))]});
    plan.actor.send(pause);
    expect(await plan.finished).toMatchObject({reason: 'paused'});
    const [run] = plan.runs.records('a');
    expect(run).toMatchObject({state: 'paused', pause_reason: 'usage_limit', retry_at: at(hour + minute)});

    const next = await startPlan({
      plan: planOf(task('a', {status: 'in_progress'}), task('b')),
      runs: [run as RunRecord],
    });
    expect(next.waits()).toMatchObject([{taskId: 'a', runId: 'a-1'}]);
    await next.pass(hour + minute);
    expect(await next.finished).toMatchObject({reason: 'completed'});
    expect(next.started()).toEqual(['a-1 resume session-1', 'b-1 start null']);
  });

  test('ends for a machine that slept through it', async () => {
    const plan = await startPlan({plays: [limit(at(hour))]});
    plan.time.now = at(2 * hour);
    plan.clock.increment(30_000);
    expect(await plan.finished).toMatchObject({reason: 'completed'});
  });

  test('ends at once when the machine wakes up', async () => {
    const plan = await startPlan({plays: [limit(at(hour))]});
    plan.time.now = at(2 * hour);
    plan.wake();
    expect(await plan.finished).toMatchObject({reason: 'completed'});
  });

  test.each([
    ['as long as the job may wait', 6 * hour - minute, 1],
    ['longer than that', 6 * hour - minute + 1, 0],
  ])('%s', async (_, milliseconds, waits) => {
    const plan = await startPlan({plays: [limit(at(milliseconds))]});
    expect(plan.waits()).toHaveLength(waits);
    plan.actor.send(pause);
    const output = await plan.finished;
    expect(output.reason).toBe('paused');
    expect(output.wait?.until).toBe(waits === 0 ? at(milliseconds + minute) : undefined);
  });

  test('stops a job that waits for nothing', async () => {
    const patience = {limitMilliseconds: 0, outageMilliseconds: 0, beganAt: now};
    const plan = await startPlan({plays: [limit(at(hour))], fields: {patience}});
    expect(await plan.finished).toMatchObject({
      reason: 'paused',
      attempted: [{taskId: 'a', state: 'paused', retry_at: at(hour + minute)}],
      wait: {taskId: 'a', until: at(hour + minute), isTooLong: true},
    });
  });

  test('ends when the job is asked to stop after this task', async () => {
    const plan = await startPlan({plays: [limit(at(hour))]});
    plan.actor.send({type: 'executor.stopAfterTask'});
    expect(await plan.finished).toMatchObject({
      reason: 'completed',
      attempted: [{taskId: 'a', state: 'paused'}],
      wait: {taskId: 'a', until: at(hour + minute)},
    });
  });

  test('does not count as one of the tasks that a job may start', async () => {
    const plan = await startPlan({plays: [limit(at(hour))], fields: {maxTasks: 1}});
    await plan.pass(hour + minute);
    expect(await plan.finished).toMatchObject({attempted: [{taskId: 'a', state: 'succeeded'}]});
  });

  test('of a run without a session is followed by another run', async () => {
    const fails: Play = (agent) => agent.fails({kind: 'rate_limit'});
    const plan = await startPlan({plays: [fails]});
    await plan.pass(5 * minute);
    expect(await plan.finished).toMatchObject({reason: 'completed'});
    expect(plan.runs.records('a')).toMatchObject([
      {run_id: 'a-1', state: 'paused', superseded_by_run_id: 'a-2'},
      {run_id: 'a-2', state: 'succeeded', restart_of_run_id: 'a-1'},
    ]);
  });

  test('that a reviewer met is waited for, and the parent is reviewed', async () => {
    const pass = JSON.stringify({
      passed: true,
      resumeTaskIds: [],
      feedbackForResume: '',
      reviewResults: [{taskId: 'a', status: 'passed', feedback: ''}],
    });
    const plan = await startPlan({
      plan: planOf(family(task('p'), task('a'))),
      plays: [(agent) => agent.succeeds(), limit(at(hour)), (agent) => agent.succeeds(pass)],
    });
    expect(plan.waits()).toMatchObject([{taskId: 'p', runId: 'p-1', until: at(hour + minute)}]);
    await plan.pass(hour + minute);
    expect(await plan.finished).toMatchObject({
      reason: 'completed',
      reviews: [{parentId: 'p', verdict: 'passed'}],
    });
    expect(statuses(plan.plans.plan)).toEqual({p: 'done', a: 'done'});
  });

  test.each([{command: pause}, {command: {type: 'executor.stopAfterTask'}}] as const)(
    'that a reviewer met is left at once by $command.type',
    async ({command}) => {
      const plan = await startPlan({
        plan: planOf(family(task('p'), task('a'))),
        plays: [(agent) => agent.succeeds(), limit(at(hour))],
      });
      expect(plan.isWaiting()).toBe(true);
      plan.actor.send(command);
      expect((await plan.finished).reason).toBe('paused');
      expect(plan.isWaiting()).toBe(false);
      expect(plan.started()).toHaveLength(2);
    },
  );
});

describe('an outage', () => {
  test('is retried after longer and longer waits, in the same session', async () => {
    const plan = await startPlan({plays: [outage, outage, outage]});
    expect(plan.waits()).toMatchObject([{reason: 'provider_unavailable', until: at(30_000)}]);
    await plan.pass(30_000);
    expect(plan.waits()).toMatchObject([{until: at(30_000 + minute)}]);
    await plan.pass(minute);
    expect(plan.waits()).toMatchObject([{until: at(30_000 + 3 * minute)}]);
    await plan.pass(2 * minute);
    expect(await plan.finished).toMatchObject({reason: 'completed'});
    expect(plan.started()).toEqual([
      'a-1 start null',
      ...Array(3).fill('a-1 resume session-1'),
      'b-1 start null',
    ]);
  });

  test('is given up when it has taken too long', async () => {
    const plan = await startPlan({plays: Array(20).fill(outage)});
    await plan.pass(61 * minute);
    expect(await plan.finished).toMatchObject({reason: 'paused', wait: {isTooLong: true}});
    expect(plan.runs.records('a')).toMatchObject([
      {pause_reason: 'provider_unavailable', held_up: {kind: 'outage', since: now}},
    ]);
  });

  test('after minutes of work is a new one', async () => {
    const plan = await startPlan({plays: [outage, () => {}]});
    await plan.pass(30_000);
    await plan.pass(2 * minute);
    plan.agents.agent.opensSession();
    plan.agents.agent.says({type: 'message', text: 'working'});
    await settle();
    outage(plan.agents.agent);
    await plan.pass(1);
    expect(plan.runs.records('a')).toMatchObject([
      {held_up: {attempt: 1, since: at(30_000 + 2 * minute + 1)}},
    ]);
  });

  test('does not keep a task from its end when nothing is left to wait for', async () => {
    const plan = await startPlan({plays: [meets('auth')]});
    expect(await plan.finished).toMatchObject({reason: 'paused', attempted: [{failure: {kind: 'auth'}}]});
    expect(plan.started()).toEqual(['a-1 start null']);
  });
});

describe('a failed task', () => {
  const fails: Play = (agent) => {
    agent.opensSession();
    agent.fails({message: 'the tests are red'});
  };

  test('is retried in a new linked run that is told of the failure', async () => {
    const plan = await startPlan({plays: [fails, fails], fields: {retries: 2}});
    expect(await plan.finished).toMatchObject({
      attempted: [
        {taskId: 'a', state: 'succeeded'},
        {taskId: 'b', state: 'succeeded'},
      ],
    });
    expect(plan.runs.records('a')).toMatchObject([
      {run_id: 'a-1', state: 'failed'},
      {run_id: 'a-2', state: 'failed', restart_of_run_id: 'a-1', retry_number: 1},
      {run_id: 'a-3', state: 'succeeded', restart_of_run_id: 'a-2', retry_number: 2},
    ]);
    expect(plan.agents.agents[1]?.request.prompt).toContain('# An earlier attempt failed\nthe tests are red');
  });

  test('is retried no more than allowed, and not at all by default', async () => {
    const once = await startPlan({plays: [fails, fails, fails], fields: {retries: 1}});
    await once.finished;
    expect(once.runs.records('a')).toHaveLength(2);
    const never = await startPlan({plays: [fails]});
    await never.finished;
    expect(never.runs.records('a')).toHaveLength(1);
  });

  test.each<FailureKind>(['auth', 'billing', 'bad_model', 'context_full', 'own_limit', 'spawn_failed'])(
    'is not retried after %s',
    async (kind) => {
      const plan = await startPlan({plays: [meets(kind)], fields: {retries: 3}});
      await plan.finished;
      expect(plan.runs.records('a')).toHaveLength(1);
    },
  );

  test('is not retried once a pause was requested', async () => {
    const plan = await startPlan({plays: [() => {}], fields: {retries: 3}});
    plan.actor.send({type: 'executor.stopAfterTask'});
    fails(plan.agents.agent);
    expect(await plan.finished).toMatchObject({reason: 'completed', attempted: [{state: 'failed'}]});
    expect(plan.runs.records('a')).toHaveLength(1);
  });
});

describe('a single task', () => {
  const held = pausedRun({
    provider_session_ref: sessionRef,
    resumable: true,
    pause_reason: 'usage_limit',
    segments: [endedSegment()],
  });

  async function startTask({
    plays = [],
    fields = {},
    before,
  }: {
    plays?: readonly Play[];
    fields?: Partial<JobTaskInput['rules']>;
    before?: (fake: FakeServices) => void;
  }) {
    const plan = withStatus(planOf(task('a')), 'a', 'in_progress');
    const fake = createFakeServices({plan, runs: [held]});
    playIn(fake, plays);
    before?.(fake);
    const effects = defineEffects(fake.services);
    const time = createTime(fake);
    const actor = createActor(jobTaskMachine.provide({actors: effects.jobTask}), {
      clock: time.clock,
      input: {task: resumeStep('a') as JobTaskInput['task'], rules: {...defaultRules, ...fields}},
    });
    const finished = toPromise(actor);
    actor.start();
    for (let turn = 0; turn < 30; turn++) await settle();
    return {...fake, ...time, actor, finished, waits: () => [...effects.waits].map(({wait}) => wait)};
  }

  test('waits for its limit, as often as it meets one', async () => {
    const job = await startTask({plays: [limit(at(hour))]});
    await job.pass(hour + minute);
    expect(await job.finished).toMatchObject({outcome: 'succeeded', run: {run_id: 'a-1'}});
    expect(job.agents.agents.map(({request}) => request.sessionRef)).toEqual([sessionRef, sessionRef]);
  });

  test.each([
    {command: pause, isWaitReported: false},
    {command: {type: 'executor.stopAfterTask'}, isWaitReported: true},
  ] as const)(
    'does not start while its provider is known to be at its limit; $command.type leaves the wait',
    async ({command, isWaitReported}) => {
      const job = await startTask({
        before: ({limits}) => void limits.save('claude', {until: at(hour), source: 'reported', seenAt: now}),
      });
      const [wait] = job.waits();
      expect(wait).toMatchObject({taskId: 'a', runId: 'a-1', until: at(hour)});
      job.actor.send(command);
      const left = {outcome: 'notBegun', taskId: 'a', asked: 'resume'};
      expect(await job.finished).toEqual(isWaitReported ? {...left, wait} : left);
      expect(job.agents.agents).toEqual([]);
    },
  );

  test('is started at once without waiting, and reports the limit when it meets it', async () => {
    const patience = {limitMilliseconds: 0, outageMilliseconds: 0, beganAt: now};
    const job = await startTask({
      plays: [limit(at(hour))],
      fields: {patience},
      before: ({limits}) => void limits.save('claude', {until: at(hour), source: 'reported', seenAt: now}),
    });
    expect(await job.finished).toMatchObject({outcome: 'paused', run: {retry_at: at(hour + minute)}});
  });
});

test('an agent that is silent for too long is interrupted, and resumed', async () => {
  const plan = await startPlan({plays: [(agent) => agent.opensSession()]});
  const [agent] = plan.agents.agents as [FakeAgent];
  agent.silence = 5 * minute;
  await plan.pass(10 * minute);
  expect(agent.isAlive).toBe(true);
  agent.silence = 15 * minute;
  await plan.pass(5 * minute);
  expect(agent.isAlive).toBe(false);
  expect(plan.runs.records('a')).toMatchObject([
    {
      state: 'paused',
      pause_reason: 'stalled',
      failure: {kind: 'stalled', message: 'the agent printed nothing for 15 minutes'},
    },
  ]);
  await plan.pass(minute);
  expect(await plan.finished).toMatchObject({reason: 'completed'});
  expect(plan.started().slice(0, 2)).toEqual(['a-1 start null', 'a-1 resume session-1']);
});

test.each<{name: string; pauses: (plan: Awaited<ReturnType<typeof startPlan>>, agent: FakeAgent) => unknown}>(
  [
    {
      name: 'is given up as silent',
      pauses: async (plan, agent) => {
        agent.silence = 15 * minute;
        await plan.pass(10 * minute);
      },
    },
    {name: 'is paused', pauses: (plan) => plan.actor.send(pause)},
  ],
)('a limit that an agent reports in the moment it $name is passed to every project', async ({pauses}) => {
  const plan = await startPlan({
    plays: [(agent) => agent.opensSession()],
    before: ({agents}) => {
      agents.obeys.interrupt = false;
    },
  });
  const [agent] = plan.agents.agents as [FakeAgent];
  await pauses(plan, agent);
  const failure = {kind: 'rate_limit', message: 'limit', reset_at: at(2 * hour)} as const;
  agent.exits({exitCode: 1, verdict: {outcome: 'failed', failure, text: ''}});
  for (let turn = 0; turn < 30; turn++) await settle();
  expect(plan.runs.records('a')).toMatchObject([{state: 'paused'}]);
  expect(await plan.limits.read('claude')).toMatchObject({until: at(2 * hour + minute), source: 'reported'});
  if (plan.actor.getSnapshot().status === 'active') plan.actor.send(pause);
  await plan.finished;
});

test('an agent that retries silently for ten minutes cannot reach its model', async () => {
  const plan = await startPlan({plays: [(agent) => agent.opensSession()]});
  const [agent] = plan.agents.agents as [FakeAgent];
  agent.says({type: 'retrying', failure: {kind: 'outage', message: 'HTTP 529'}});
  agent.silence = 10 * minute;
  await plan.pass(10 * minute);
  expect(plan.runs.records('a')).toMatchObject([
    {pause_reason: 'provider_unavailable', failure: {kind: 'outage'}},
  ]);
  plan.actor.send(pause);
  await plan.finished;
});

test.each(['is recorded', 'is looked at'])('a wait that is given up while it %s is over', async (when) => {
  const never = () => new Promise<never>(() => {});
  const forgotten: string[] = [];
  const machine = retryWaitMachine.provide({
    actors: {
      announceWait: fromCallback<RetryWaitCommand, RetryWaitInput>(() => {}),
      recordWait: fromPromise<void, RetryWaitInput>(when === 'is recorded' ? never : async () => {}),
      readClock: fromPromise<number, RetryWaitInput>(never),
      forgetLimit: fromPromise<void, RetryWaitInput>(async () => void forgotten.push('the limit')),
    },
  });
  const wait = {
    taskId: 'a',
    runId: null,
    provider: 'claude',
    reason: 'usage_limit',
    until: at(hour),
  } as const;
  const actor = createActor(machine, {input: {wait: {...wait, foundAt: now, isTooLong: false}}});
  actor.start();
  await settle();
  actor.send({type: 'retry.now'});
  await settle();
  expect([actor.getSnapshot().status, forgotten]).toEqual(['done', ['the limit']]);
});

test('a wait whose limit cannot be forgotten goes on: who wanted to try now is not told that it is due', async () => {
  const wait: Wait = {
    taskId: 'a',
    runId: null,
    provider: 'claude',
    reason: 'usage_limit',
    until: at(hour),
    foundAt: now,
    isTooLong: false,
  };
  const clock = new SimulatedClock();
  let left = hour;
  const actors = {
    announceWait: fromCallback<RetryWaitCommand, RetryWaitInput>(() => {}),
    recordWait: fromPromise<void, RetryWaitInput>(async () => {}),
    readClock: fromPromise<number, RetryWaitInput>(async () => left),
    forgetLimit: fromPromise<void, RetryWaitInput>(async () => {
      throw new Error('the disk is full');
    }),
  };
  const actor = createActor(retryWaitMachine.provide({actors}), {input: {wait}, clock});
  actor.start();
  await settle();
  actor.send({type: 'retry.now'});
  await settle();
  expect(actor.getSnapshot()).toMatchObject({status: 'active', value: 'waiting'});
  left = 0;
  clock.increment(30_000);
  await settle();
  expect(actor.getSnapshot().status).toBe('done');
});

test('every transition of a wait and of a single task is reached', () => {
  const wait = {
    taskId: 'a',
    runId: null,
    provider: 'claude',
    reason: 'usage_limit',
    until: at(1),
    isTooLong: false,
  };
  expect(
    unreachedTransitions(retryWaitMachine, {
      inputs: [{wait}],
      payloads: [
        {type: 'retry.now'},
        {type: 'clock.changed'},
        {type: 'xstate.done.actor.recordWait', output: undefined},
        {type: 'xstate.done.actor.readClock', output: 1},
        {type: 'xstate.done.actor.readClock', output: 0},
        {type: 'xstate.done.actor.forgetLimit', output: undefined},
        {type: 'xstate.error.actor.forgetLimit', error: 'no'},
      ],
    }),
  ).toEqual([]);
  const run = pausedRun({failure: {kind: 'rate_limit', message: 'no'}});
  const errors = ['findWait', 'retryWait', 'task'].map((id) => ({
    type: `xstate.error.actor.${id}`,
    error: 'no',
  }));
  expect(
    unreachedTransitions(jobTaskMachine, {
      inputs: [{task: resumeStep('a'), rules: defaultRules}],
      payloads: [
        pause,
        {type: 'executor.stopAfterTask'},
        {type: 'xstate.done.actor.findWait', output: null},
        {type: 'xstate.done.actor.findWait', output: wait},
        {type: 'xstate.done.actor.retryWait', output: undefined},
        {type: 'xstate.done.actor.task', output: {outcome: 'paused', run}},
        {type: 'xstate.done.actor.task', output: {outcome: 'succeeded', run: pausedRun()}},
        ...errors,
      ],
    }),
  ).toEqual([]);
});
