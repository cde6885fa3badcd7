import {describe, expect, test} from 'vitest';
import {createActor, fromPromise, SimulatedClock, waitFor} from 'xstate';
import {
  type CurrentJob,
  defineAcquireLockActor,
  defineCloseJobActor,
  defineOpenJobActor,
  defineReleaseLockActor,
  defineResolveJobActor,
  defineWatchRequestsActor,
} from '../../src/machines/actors/job.actor.ts';
import {defineRecoverRunsActor} from '../../src/machines/actors/recover-runs.actor.ts';
import {defineSurveyPlanActor} from '../../src/machines/actors/survey-plan.actor.ts';
import {engineMachine} from '../../src/machines/engine.machine.ts';
import {executorMachine} from '../../src/machines/executor.machine.ts';
import {jobTaskMachine} from '../../src/machines/job-task.machine.ts';
import {parentReviewMachine} from '../../src/machines/parent-review.machine.ts';
import {type Job, type JobResult, undoStep} from '../../src/machines/policies/job/job-steps.ts';
import {jobSummary} from '../../src/machines/policies/job/job-summary.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import {defineEffects} from '../fakes/machines.ts';
import {pausedRun, question, restingRun, runRecord} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {executeJob, jobOf, outcomeOf, taskJob} from '../helpers/jobs.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {family, planOf, task} from '../helpers/plans.ts';

const execute = executeJob();
const resume = taskJob('a', {type: 'resume', answers: [], feedback: null});
const approval = taskJob('a', {type: 'review', decision: {state: 'approved_continue'}});
const executorRules = {
  provider: 'claude',
  explicitProvider: null,
  graceMilliseconds: 10_000,
  isAttended: false,
  maxTasks: null,
  reviewsParents: true,
  maxReviewCycles: 3,
  reviewMinutes: 30,
} as const;
const start = (job: Job) => ({type: 'job.start', job}) as const;
const pause = {type: 'engine.pause', reason: 'user_interrupt'} as const;
const stopAfterTask = {type: 'engine.stopAfterTask'} as const;

function defineEngineEffects(services: Services) {
  const effects = defineEffects(services);
  const currentJob: CurrentJob = {jobId: null, spending: effects.spending};
  return {
    openJob: defineOpenJobActor(services, currentJob, () => {}),
    closeJob: defineCloseJobActor(services, currentJob),
    watchRequests: defineWatchRequestsActor(services, currentJob),
    resolveJob: defineResolveJobActor(
      services,
      () => {},
      () => {},
    ),
    acquireLock: defineAcquireLockActor(services.lock, () => {}),
    releaseLock: defineReleaseLockActor(services.lock),
    recoverRuns: defineRecoverRunsActor(services),
    surveyPlan: defineSurveyPlanActor(services),
    executor: executorMachine.provide({actors: effects.executor}),
    jobTask: jobTaskMachine.provide({actors: effects.jobTask}),
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
    /** The state of the work; `idle` at rest. */
    value: () => {
      const {value} = actor.getSnapshot();
      return typeof value === 'string' ? value : value.working?.work;
    },
    rest: async () => {
      await waitFor(actor, (snapshot) => snapshot.matches('idle'));
      return results.at(-1) && outcomeOf(results.at(-1) as JobResult);
    },
    gone: () => fake.log.filter((entry) => entry.startsWith('go')),
  };
}

describe('a job', () => {
  test('that cannot receive requests of other terminals says so, and still runs', async () => {
    const fake = createFakeServices({plan: planOf(task('a'))});
    fake.services.requests.watch = () => {
      throw new Error('no watches left');
    };
    const {actor, rest, plans} = createEngineActor(fake);
    const warnings: unknown[] = [];
    actor.on('engine.warning', (warning) => warnings.push(warning));
    actor.send(start(execute));
    expect(await rest()).toMatchObject({output: {reason: 'completed'}});
    expect(plans.statuses()).toEqual({a: 'done'});
    expect(warnings).toEqual([
      {
        type: 'engine.warning',
        message: 'requests from other terminals are no longer received: no watches left',
      },
    ]);
  });

  test('runs under the project lock and reports how it ended, once', async () => {
    const {actor, log, rest, results} = createEngineActor();
    actor.send(start(execute));
    await rest();
    const attempted = ['a', 'b'].map((taskId) => ({taskId, state: 'succeeded', resumable: false}));
    expect(results).toEqual([
      {
        reason: 'completed',
        steps: [{type: 'execute', output: {reason: 'completed', attempted}}],
        left: [],
        isStopAsked: false,
        isPauseAsked: false,
        obstacles: [],
      },
    ]);
    expect(log.at(0)).toBe('lock');
    expect(log.at(-1)).toBe('unlock');
  });

  test('of one task ends like the task', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const {actor, rest, runs} = createEngineActor(createFakeServices({plan, runs: [pausedRun()]}));
    actor.send(start(resume));
    expect(await rest()).toEqual({
      type: 'task',
      output: {outcome: 'succeeded', run: runs.records('a')[0]},
    });
  });

  test('of one task reports what became of its parents, and pauses their review with it', async () => {
    const plan = planOf(family(task('p'), task('a', {status: 'in_progress'})));
    const fake = createFakeServices({plan, runs: [pausedRun()]});
    const {actor, rest, value} = createEngineActor(fake);
    fake.agents.obeys.interrupt = true;
    fake.agents.play = (agent) => {
      if (agent.request.access === 'edit') agent.succeeds();
    };
    actor.send(start(resume));
    await eventually(() => expect(fake.log).toContain('go p-1'));
    expect(value()).toBe('reviewing');
    actor.send(pause);
    expect(await rest()).toMatchObject({
      type: 'task',
      output: {outcome: 'succeeded'},
      review: {outcome: 'paused'},
    });
    expect(fake.plans.statuses()).toEqual({p: 'todo', a: 'done'});
    expect(fake.lock.isHeld).toBe(false);
  });

  test('is accepted at rest and at no other time', async () => {
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

  test('before the lock is taken starts nothing', async () => {
    const {actor, lock, log, rest, value} = createEngineActor();
    const release = lock.hold();
    actor.send(start(execute));
    await settle();
    expect(value()).toBe('locking');
    actor.send(pause);
    release();
    expect(await rest()).toEqual({reason: 'paused'});
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
    expect(await rest()).toEqual({reason: 'paused'});
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
    expect(fake.value()).toBe('tasking');
    fake.actor.send(pause);
    expect(await fake.rest()).toMatchObject({output: {outcome: 'paused'}});
  });

  test('before the lock is taken keeps the agent of a single task from running', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const {actor, lock, log, rest} = createEngineActor(createFakeServices({plan, runs: [pausedRun()]}));
    const release = lock.hold();
    actor.send(start(resume));
    actor.send(pause);
    release();
    expect(await rest()).toEqual({reason: 'paused'});
    expect(log).toEqual(['lock', 'unlock']);
  });
});

describe('to stop after the task', () => {
  test('before the lock is taken starts nothing', async () => {
    const {actor, lock, log, rest} = createEngineActor();
    const release = lock.hold();
    actor.send(start(execute));
    actor.send(stopAfterTask);
    release();
    expect(await rest()).toEqual({reason: 'completed'});
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

  describe.each([
    {what: 'a plan', job: execute, runs: []},
    {what: 'a single task', job: resume, runs: [pausedRun()]},
  ])('of $what', ({job, runs}) => {
    const plan = planOf(family(task('p'), task('a', {status: runs.length === 0 ? 'todo' : 'in_progress'})));
    const stopAtWork = async (settings: {parentReviewEnabled?: boolean}) => {
      const engine = createEngineActor(createFakeServices({plan, runs, settings}));
      engine.agents.play = () => {};
      engine.actor.send(start(job));
      await eventually(() => expect(engine.gone()).toEqual(['go a-1']));
      engine.actor.send(stopAfterTask);
      engine.agents.agent.succeeds();
      await engine.rest();
      const [result] = engine.results;
      return {...engine, said: result && jobSummary(result, engine.plans.plan)};
    };

    test('starts no reviewer and says that a review is due', async () => {
      const {gone, plans, said} = await stopAtWork({});
      expect(gone()).toEqual(['go a-1']);
      expect(plans.statuses()).toEqual({p: 'todo', a: 'done'});
      expect(said).toMatchObject({
        headline: 'Stopped after a, as you asked · the review of p is due · no ready tasks remaining',
        standing: 'done',
      });
    });

    test('completes the parent when reviews are off', async () => {
      const {plans, said} = await stopAtWork({parentReviewEnabled: false});
      expect(plans.statuses()).toEqual({p: 'done', a: 'done'});
      expect(said?.headline).toBe('Stopped after a, as you asked · no ready tasks remaining');
    });
  });

  test('ends the wait for a reviewer that is at its limit', async () => {
    const plan = planOf(family(task('p'), task('a', {status: 'in_progress'})));
    const {actor, agents, rest, gone} = createEngineActor(createFakeServices({plan, runs: [pausedRun()]}));
    agents.play = (agent) => {
      if (agent.request.access === 'edit') agent.succeeds();
      else agent.fails({kind: 'rate_limit'});
    };
    const job = taskJob('a', {type: 'resume', answers: [], feedback: null}, {isImpatient: false});
    actor.send(start(job));
    const review = () => actor.getSnapshot().children.parentReview?.getSnapshot();
    await eventually(() => expect(review()).toMatchObject({value: {reviewing: {work: 'waitingForRetry'}}}));
    actor.send(stopAfterTask);
    expect(await rest()).toMatchObject({review: {outcome: 'held', wait: {taskId: 'p'}}});
    expect(gone()).toEqual(['go a-1', 'go p-1']);
  });
});

describe('an error', () => {
  test('of the lock: nothing was started, nothing is released', async () => {
    const {actor, lock, log, rest} = createEngineActor();
    lock.holder = '42';
    actor.send(start(execute));
    expect(await rest()).toMatchObject({reason: 'error', error: {code: 'E_REPO_LOCKED'}});
    expect(log).toEqual([]);
  });

  test('of the repair: nothing is started and the lock is released', async () => {
    const {actor, plans, log, rest} = createEngineActor();
    const error = new Error('no plan');
    plans.failNextRead(error);
    actor.send(start(execute));
    expect(await rest()).toEqual({reason: 'error', error});
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('of the release is reported, and the engine takes the next job', async () => {
    const {actor, lock, rest, results} = createEngineActor();
    const error = new Error('no such lock');
    lock.failRelease(error);
    actor.send(start(execute));
    await rest();
    expect(results).toMatchObject([{reason: 'error', error}]);
    expect(actor.getSnapshot().can(start(execute))).toBe(true);
  });

  test.each([
    {job: execute, name: 'executor'},
    {job: resume, name: 'jobTask'},
  ] as const)('inside the $name releases the lock', async ({job, name}) => {
    const fake = createFakeServices({plan: planOf(task('a', {status: 'in_progress'})), runs: [pausedRun()]});
    const error = new Error('a bug');
    const broken = fromPromise(() => Promise.reject(error));
    const machine = engineMachine.provide({
      // A child that throws, which no executor or task of ours does on purpose.
      actors: {...defineEngineEffects(fake.services), [name]: broken} as never,
    });
    const actor = createActor(machine).start();
    const stopped = new Promise<JobResult>((resolve) =>
      actor.on('job.stopped', ({result}) => resolve(result)),
    );
    actor.send(start(job));
    expect(outcomeOf(await stopped)).toEqual({reason: 'error', error});
    expect(fake.log).toEqual(['lock', 'unlock']);
  });
});

describe('refuses to run without', () => {
  test.each([
    {missing: 'resolveJob', names: 'resolveJob'},
    {missing: 'acquireLock', names: 'acquireLock'},
    {missing: 'openJob', names: 'openJob'},
    {missing: 'recoverRuns', names: 'recoverRuns'},
    {missing: 'closeJob', names: 'closeJob'},
    {missing: 'releaseLock', names: 'releaseLock'},
  ] as const)('the actor $missing', async ({missing, names}) => {
    const {services} = createFakeServices({plan: planOf()});
    const {[missing]: _, ...actors} = defineEngineEffects(services);
    const actor = createActor(engineMachine.provide({actors})).start();
    const stopped = new Promise<JobResult>((resolve) =>
      actor.on('job.stopped', ({result}) => resolve(result)),
    );
    actor.send(start(execute));
    expect(await stopped).toMatchObject({
      reason: 'error',
      error: new Error(`Actor "${names}" was not provided`),
    });
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
    expect(outcomeOf(await stopped)).toEqual({
      type: 'execute',
      output: {reason: 'error', attempted: [], error: new Error('Actor "findDecision" was not provided')},
    });
  });
});

describe('steps', () => {
  const sentBack = [resume, taskJob('b', {type: 'restart'}), execute].flatMap(({steps}) => steps);

  test('run one after another under one lock', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}), task('b', {status: 'failed'}), task('c'));
    const runs = [pausedRun(), restingRun({task_id: 'b', run_id: 'b-1', state: 'failed'})];
    const {actor, rest, results, gone, log} = createEngineActor(createFakeServices({plan, runs}));
    actor.send(start(jobOf(sentBack)));
    await rest();
    expect(gone()).toEqual(['go a-1', 'go b-2', 'go c-1']);
    expect(results.map(({reason, steps}) => [reason, steps.map(({type}) => type)])).toEqual([
      ['completed', ['task', 'task', 'execute']],
    ]);
    expect(log.filter((entry) => entry.includes('lock'))).toEqual(['lock', 'unlock']);
  });

  test('stop when one needs the user, and say what is left', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}), task('c'));
    const fake = createFakeServices({plan, runs: [pausedRun()]});
    const {actor, rest, results, gone} = createEngineActor(fake);
    const asked = JSON.stringify({blackbird: {questions: [question]}});
    fake.agents.play = (agent) => agent.succeeds(asked);
    actor.send(start(jobOf([...resume.steps, ...execute.steps])));
    await rest();
    expect(results).toMatchObject([{reason: 'waiting_user', left: execute.steps}]);
    expect(gone()).toEqual(['go a-1']);
  });

  test('leave nothing to an answer after a requested stop', async () => {
    const fake = createFakeServices({plan: planOf(task('a'), task('b'))});
    const {actor, rest, results, gone} = createEngineActor(fake);
    fake.agents.play = (agent) => {
      actor.send({type: 'engine.stopAfterTask'});
      return agent.succeeds(JSON.stringify({blackbird: {questions: [question]}}));
    };
    actor.send(start(execute));
    await rest();
    expect(results).toMatchObject([{reason: 'waiting_user', left: [], isStopAsked: true}]);
    expect(gone()).toEqual(['go a-1']);
  });

  test('continue past one that failed, unless failures stop', async () => {
    for (const stopOnFailure of [false, true]) {
      const plan = planOf(task('a', {status: 'in_progress'}), task('c'));
      const fake = createFakeServices({plan, runs: [pausedRun()]});
      const {actor, rest, results, gone} = createEngineActor(fake);
      fake.agents.play = (agent) => {
        agent.opensSession(agent.request.sessionRef ?? undefined);
        agent.says({type: 'activity', activity: {kind: 'command', text: '$ ls'}});
        if (agent.taskId === 'a') agent.fails();
        else agent.succeeds();
      };
      actor.send(start(jobOf([...resume.steps, ...execute.steps], {stopOnFailure})));
      await rest();
      expect(results.map(({reason}) => reason)).toEqual([stopOnFailure ? 'failed' : 'completed']);
      expect(gone()).toEqual(stopOnFailure ? ['go a-1'] : ['go a-1', 'go c-1']);
    }
  });

  test('a pause between two of them starts no other', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}), task('b', {status: 'failed'}));
    const runs = [pausedRun(), restingRun({task_id: 'b', run_id: 'b-1', state: 'failed'})];
    const fake = createFakeServices({plan, runs});
    const {actor, rest, results, gone} = createEngineActor(fake);
    const release = fake.plans.holdNextUpdate();
    actor.send(start(jobOf(sentBack)));
    await settle();
    actor.send(pause);
    release();
    await rest();
    expect(gone().length).toBeLessThan(2);
    expect(results).toMatchObject([{reason: 'paused'}]);
  });

  test('that were approved to continue are followed by the plan, with checkpoints as before', async () => {
    const atCheckpoint = {decision_required: true, decision_state: 'pending'} as const;
    const run = restingRun({state: 'succeeded', ...atCheckpoint});
    const plan = planOf(task('a', {status: 'in_progress'}), task('c'));
    const {actor, rest, results, plans} = createEngineActor(createFakeServices({plan, runs: [run]}));
    actor.send(start(taskJob('a', {type: 'review', decision: {state: 'approved_continue'}})));
    await rest();
    expect(results).toMatchObject([
      {reason: 'decision_required', steps: [{type: 'task'}, {type: 'execute'}]},
    ]);
    expect(plans.statuses()).toEqual({a: 'done', c: 'in_progress'});
  });
});

describe('from the key to the first output of an agent', () => {
  /** Lets exactly this many turns of the microtask queue pass. */
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await Promise.resolve();
  };

  test.each([
    {name: 'an execution', plan: planOf(task('a'), task('b')), runs: [], job: execute},
    {
      name: 'a resume and an execution',
      plan: planOf(task('a', {status: 'in_progress'}), task('b')),
      runs: [pausedRun()],
      job: jobOf([...resume.steps, ...execute.steps]),
    },
  ])('a pause of $name is never lost, whenever it comes', async ({plan, runs, job}) => {
    for (let turn = 0; ; turn++) {
      const fake = createFakeServices({plan, runs});
      const {actor, rest, results, gone} = createEngineActor(fake);
      fake.agents.play = () => {};
      actor.send(start(job));
      await turns(turn);
      const before = gone().length;
      actor.send(pause);
      await rest();
      expect({turn, reason: results[0]?.reason}).toEqual({turn, reason: 'paused'});
      expect({turn, alive: fake.agents.alive().length}).toEqual({turn, alive: 0});
      expect(gone().length).toBeLessThanOrEqual(1);
      expect(fake.lock.isHeld).toBe(false);
      expect(fake.violations).toEqual([]);
      // From here on an agent was at work: the segment tests cover a pause then.
      if (before > 0) {
        expect(turn).toBeGreaterThan(15);
        return;
      }
    }
  });
});

test('every transition is reached', () => {
  const run = restingRun({state: 'succeeded'});
  const settled = {outcome: 'settled', reviews: [], pending: []};
  const rules = {...executorRules, stopOnFailure: false};
  expect(
    unreachedTransitions(engineMachine, {
      payloads: [
        start(execute),
        start(resume),
        start(jobOf([undoStep('a')])),
        start(jobOf([{type: 'plan', request: {type: 'open', draftId: 'd'}}])),
        {type: 'xstate.done.actor.planGeneration', output: {outcome: 'saved'}},
        {type: 'xstate.error.actor.planGeneration', error: 'no'},
        pause,
        stopAfterTask,
        {type: 'xstate.done.actor.resolveJob', output: rules},
        {type: 'xstate.error.actor.resolveJob', error: 'no'},
        {type: 'xstate.error.actor.acquireLock', error: 'no'},
        start(approval),
        {type: 'xstate.error.actor.acquireLock', error: new AppError('E_REPO_LOCKED', 'held')},
        {type: 'xstate.done.actor.handOver', output: {outcome: 'decided', run}},
        {type: 'xstate.error.actor.handOver', error: 'no'},
        {type: 'xstate.done.actor.recoverRuns', output: [runRecord()]},
        {type: 'xstate.error.actor.recoverRuns', error: 'no'},
        {type: 'xstate.done.actor.executor', output: {reason: 'completed', attempted: []}},
        {type: 'xstate.error.actor.executor', error: 'no'},
        {type: 'xstate.done.actor.surveyPlan', output: []},
        {type: 'xstate.error.actor.surveyPlan', error: 'no'},
        {type: 'xstate.done.actor.jobTask', output: {outcome: 'succeeded', run}},
        {type: 'xstate.error.actor.jobTask', error: 'no'},
        {type: 'xstate.done.actor.undo', output: {outcome: 'error', error: 'no'}},
        {type: 'xstate.error.actor.undo', error: 'no'},
        {type: 'xstate.done.actor.parentReview', output: settled},
        {type: 'xstate.error.actor.parentReview', error: 'no'},
        {type: 'xstate.error.actor.releaseLock', error: 'no'},
        {type: 'xstate.error.actor.watchRequests', error: 'no'},
      ],
      key: ({context}) => [
        context.steps[0]?.mode?.type ?? context.steps[0]?.type ?? null,
        context.done.length - context.reviewed,
      ],
    }),
  ).toEqual([]);
});
