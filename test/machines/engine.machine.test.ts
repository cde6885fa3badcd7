import {describe, expect, test} from 'vitest';
import {createActor, fromPromise, SimulatedClock, waitFor} from 'xstate';
import {
  defineAcquireLockActor,
  defineReleaseLockActor,
} from '../../src/machines/actors/project-lock.actor.ts';
import {defineRecoverRunsActor} from '../../src/machines/actors/recover-runs.actor.ts';
import {engineMachine, type Job, type JobResult} from '../../src/machines/engine.machine.ts';
import {executorMachine} from '../../src/machines/executor.machine.ts';
import {parentReviewMachine} from '../../src/machines/parent-review.machine.ts';
import {taskMachine} from '../../src/machines/task.machine.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import {defineEffects} from '../fakes/machines.ts';
import {pausedRun, restingRun, runRecord} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {family, planOf, task} from '../helpers/plans.ts';

const agent = {provider: 'claude', explicitProvider: null, graceMilliseconds: 10_000} as const;
const execute: Job = {
  type: 'execute',
  input: {...agent, taskIds: [], stopOnFailure: false, maxTasks: null},
};
const resume: Job = {
  type: 'task',
  input: {...agent, taskId: 'a', mode: {type: 'resume', answers: [], feedback: null}},
};
const start = (job: Job) => ({type: 'job.start', job}) as const;
const pause = {type: 'engine.pause', reason: 'user_interrupt'} as const;
const stopAfterTask = {type: 'engine.stopAfterTask'} as const;

function defineEngineEffects(services: Services) {
  const effects = defineEffects(services);
  return {
    acquireLock: defineAcquireLockActor(services.lock),
    releaseLock: defineReleaseLockActor(services.lock),
    recoverRuns: defineRecoverRunsActor(services),
    executor: executorMachine.provide({actors: effects.executor}),
    task: taskMachine.provide({actors: effects.task}),
    parentReview: parentReviewMachine.provide({actors: effects.parentReview}),
  };
}

function createEngineActor(fake = createFakeServices({plan: planOf(task('a'), task('b'))})) {
  fake.agents.obeys.interrupt = true;
  fake.agents.play = (each) => each.succeeds();
  const actor = createActor(engineMachine.provide({actors: defineEngineEffects(fake.services)}), {
    clock: new SimulatedClock(),
  });
  const results: JobResult[] = [];
  actor.on('job.stopped', ({result}) => results.push(result));
  actor.start();
  return {
    ...fake,
    actor,
    results,
    value: () => actor.getSnapshot().value,
    rest: async () => {
      await waitFor(actor, (snapshot) => snapshot.matches('idle'));
      return results.at(-1);
    },
    gone: () => fake.log.filter((entry) => entry.startsWith('go')),
  };
}

describe('a job', () => {
  test('runs under the project lock and says how it ended, once', async () => {
    const {actor, log, rest, results} = createEngineActor();
    actor.send(start(execute));
    await rest();
    expect(results).toEqual([
      {
        type: 'execute',
        output: {
          reason: 'completed',
          attempted: ['a', 'b'].map((taskId) => ({taskId, state: 'succeeded', resumable: false})),
        },
      },
    ]);
    expect(log.at(0)).toBe('lock');
    expect(log.at(-1)).toBe('unlock');
  });

  test('of one task ends as the task does', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const {actor, rest, runs} = createEngineActor(createFakeServices({plan, runs: [pausedRun()]}));
    actor.send(start(resume));
    expect(await rest()).toEqual({
      type: 'task',
      output: {outcome: 'succeeded', run: runs.records('a')[0]},
    });
  });

  test('of one task tells what became of its parents, and pauses their review with it', async () => {
    const plan = planOf(family(task('p'), task('a', {status: 'in_progress'})));
    const fake = createFakeServices({plan, runs: [pausedRun()]});
    const {actor, rest} = createEngineActor(fake);
    fake.agents.obeys.interrupt = true;
    fake.agents.play = (agent) => {
      if (agent.request.access === 'edit') agent.succeeds();
    };
    actor.send(start(resume));
    await eventually(() => expect(fake.log).toContain('go p-1'));
    expect(actor.getSnapshot().value).toBe('reviewing');
    actor.send(pause);
    expect(await rest()).toMatchObject({
      type: 'task',
      output: {outcome: 'succeeded'},
      review: {outcome: 'paused'},
    });
    expect(fake.plans.statuses()).toEqual({p: 'todo', a: 'done'});
    expect(fake.lock.isHeld).toBe(false);
  });

  test('is taken at rest and at no other time', async () => {
    const {actor, rest} = createEngineActor();
    expect(actor.getSnapshot().can(start(execute))).toBe(true);
    expect(actor.getSnapshot().hasTag('busy')).toBe(false);
    actor.send(start(execute));
    expect(actor.getSnapshot().can(start(execute))).toBe(false);
    expect(actor.getSnapshot().hasTag('busy')).toBe(true);
    await rest();
    expect(actor.getSnapshot().can(start(execute))).toBe(true);
  });
});

describe('a pause', () => {
  test('at rest changes nothing, and the next job does not remember it', async () => {
    const {actor, rest} = createEngineActor();
    actor.send(pause);
    actor.send(stopAfterTask);
    expect(actor.getSnapshot().value).toBe('idle');
    actor.send(start(execute));
    expect(await rest()).toMatchObject({output: {reason: 'completed', attempted: [{}, {}]}});
  });

  test('before the lock is there starts nothing', async () => {
    const {actor, lock, log, rest, value} = createEngineActor();
    const release = lock.hold();
    actor.send(start(execute));
    expect(value()).toBe('locking');
    actor.send(pause);
    release();
    expect(await rest()).toEqual({type: 'execute', output: {reason: 'paused', attempted: []}});
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('while runs are repaired starts nothing', async () => {
    const {actor, plans, log, rest, value} = createEngineActor();
    const release = plans.holdNextRead();
    actor.send(start(execute));
    await settle();
    expect(value()).toBe('recovering');
    actor.send(pause);
    release();
    expect(await rest()).toEqual({type: 'execute', output: {reason: 'paused', attempted: []}});
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('goes to the executor', async () => {
    const {actor, agents, rest, value, gone} = createEngineActor();
    agents.play = () => {};
    actor.send(start(execute));
    await settle();
    expect(value()).toBe('executing');
    actor.send(pause);
    expect(await rest()).toMatchObject({output: {reason: 'paused', attempted: [{state: 'paused'}]}});
    expect(gone()).toEqual(['go a-1']);
  });

  test('goes to the task', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const fake = createEngineActor(createFakeServices({plan, runs: [pausedRun()]}));
    fake.agents.play = () => {};
    fake.actor.send(start(resume));
    await settle();
    expect(fake.value()).toBe('working');
    fake.actor.send(pause);
    expect(await fake.rest()).toMatchObject({output: {outcome: 'paused'}});
  });

  test('before the lock is there keeps the agent of a single task from running', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const {actor, lock, log, rest} = createEngineActor(createFakeServices({plan, runs: [pausedRun()]}));
    const release = lock.hold();
    actor.send(start(resume));
    actor.send(pause);
    release();
    expect(await rest()).toMatchObject({output: {outcome: 'paused', run: {resumable: true}}});
    expect(log).not.toContain('go a-1');
  });
});

describe('to stop after the task', () => {
  test('before the lock is there starts nothing', async () => {
    const {actor, lock, log, rest} = createEngineActor();
    const release = lock.hold();
    actor.send(start(execute));
    actor.send(stopAfterTask);
    release();
    expect(await rest()).toEqual({type: 'execute', output: {reason: 'completed', attempted: []}});
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('goes to the executor', async () => {
    const {actor, agents, rest, gone} = createEngineActor();
    agents.play = () => {};
    actor.send(start(execute));
    await settle();
    actor.send(stopAfterTask);
    agents.agent.succeeds();
    expect(await rest()).toMatchObject({output: {reason: 'completed', attempted: [{taskId: 'a'}]}});
    expect(gone()).toEqual(['go a-1']);
  });
});

describe('an error', () => {
  test('of the lock: nothing was begun, nothing is released', async () => {
    const {actor, lock, log, rest} = createEngineActor();
    lock.holder = '42';
    actor.send(start(execute));
    expect(await rest()).toMatchObject({type: 'failed', error: {code: 'E_REPO_LOCKED'}});
    expect(log).toEqual([]);
  });

  test('of the repair: nothing is started and the lock is released', async () => {
    const {actor, plans, log, rest} = createEngineActor();
    const error = new Error('no plan');
    plans.failNextRead(error);
    actor.send(start(execute));
    expect(await rest()).toEqual({type: 'failed', error});
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('of the release is told, and the engine takes the next job', async () => {
    const {actor, lock, rest} = createEngineActor();
    const error = new Error('no such lock');
    lock.failRelease(error);
    actor.send(start(execute));
    expect(await rest()).toEqual({type: 'failed', error});
    expect(actor.getSnapshot().can(start(execute))).toBe(true);
  });

  test.each([
    {job: execute, name: 'executor'},
    {job: resume, name: 'task'},
  ] as const)('inside the $name releases the lock', async ({job, name}) => {
    const fake = createFakeServices({plan: planOf(task('a', {status: 'in_progress'})), runs: [pausedRun()]});
    const error = new Error('a bug');
    const broken = fromPromise(() => Promise.reject(error));
    const machine = engineMachine.provide({
      // A child that throws, as no executor or task of ours does on purpose.
      actors: {...defineEngineEffects(fake.services), [name]: broken} as never,
    });
    const actor = createActor(machine).start();
    const stopped = new Promise<JobResult>((resolve) =>
      actor.on('job.stopped', ({result}) => resolve(result)),
    );
    actor.send(start(job));
    expect(await stopped).toEqual({type: 'failed', error});
    expect(fake.log).toEqual(['lock', 'unlock']);
  });
});

describe('refuses to run without', () => {
  test.each([
    {missing: 'acquireLock', names: 'acquireLock'},
    {missing: 'recoverRuns', names: 'recoverRuns'},
    {missing: 'releaseLock', names: 'releaseLock'},
  ] as const)('the actor $missing', async ({missing, names}) => {
    const {services} = createFakeServices({plan: planOf()});
    const {[missing]: _, ...actors} = defineEngineEffects(services);
    const actor = createActor(engineMachine.provide({actors})).start();
    const stopped = new Promise<JobResult>((resolve) =>
      actor.on('job.stopped', ({result}) => resolve(result)),
    );
    actor.send(start(execute));
    expect(await stopped).toEqual({type: 'failed', error: new Error(`Actor "${names}" was not provided`)});
  });

  test('the actor executor, which needs its own', async () => {
    const {executor: _, ...actors} = defineEngineEffects(
      createFakeServices({plan: planOf(task('a'))}).services,
    );
    const actor = createActor(engineMachine.provide({actors})).start();
    const stopped = new Promise<JobResult>((resolve) =>
      actor.on('job.stopped', ({result}) => resolve(result)),
    );
    actor.send(start(execute));
    expect(await stopped).toEqual({
      type: 'execute',
      output: {reason: 'error', attempted: [], error: new Error('Actor "findDecision" was not provided')},
    });
  });
});

test('every transition is reached', () => {
  const run = restingRun({state: 'succeeded'});
  expect(
    unreachedTransitions(engineMachine, {
      payloads: [
        start(execute),
        start(resume),
        pause,
        {type: 'xstate.error.actor.acquireLock', error: 'no'},
        {type: 'xstate.done.actor.recoverRuns', output: [runRecord()]},
        {type: 'xstate.error.actor.recoverRuns', error: 'no'},
        {type: 'xstate.done.actor.executor', output: {reason: 'completed', attempted: []}},
        {type: 'xstate.error.actor.executor', error: 'no'},
        {type: 'xstate.done.actor.task', output: {outcome: 'succeeded', run}},
        {type: 'xstate.done.actor.task', output: {outcome: 'failed', run}},
        {type: 'xstate.error.actor.task', error: 'no'},
        {type: 'xstate.done.actor.parentReview', output: {outcome: 'settled', reviews: [], pending: []}},
        {type: 'xstate.error.actor.parentReview', error: 'no'},
        {type: 'xstate.error.actor.releaseLock', error: 'no'},
      ],
      key: ({context}) => [context.job?.type ?? null, context.pauseReason, context.isStopping],
    }),
  ).toEqual([]);
});
