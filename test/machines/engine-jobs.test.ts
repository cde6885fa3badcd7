import {describe, expect, test} from 'vitest';
import {createEngine, type EngineFact} from '../../src/machines/engine.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import {pausedRun, runRecord} from '../fakes/runs.ts';
import {crashable, createFakeServices, type FakeServices} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {executeJob, taskJob} from '../helpers/jobs.ts';
import {now, planOf, task} from '../helpers/plans.ts';

const first = '20260202-020202-000001';
const execute = executeJob();
const resume = taskJob('a', {type: 'resume', answers: [], feedback: null});

function project(fake = createFakeServices({plan: planOf(task('a'), task('b'))})) {
  fake.agents.obeys.interrupt = true;
  return {...fake, engine: createEngine(fake.services)};
}

const succeeding = (fake?: FakeServices) => {
  const made = project(fake);
  made.agents.play = (agent) => agent.succeeds();
  return made;
};

const openJob = (fields: Partial<JobRecord> = {}): JobRecord => ({
  schemaVersion: 1,
  jobId: '20260101-000000-000000',
  steps: [],
  agent: 'claude',
  settings: {},
  owner: {pid: 1, startTime: '1', bootId: 'b', pidNamespace: 'n', host: 'here'},
  startedAt: '2026-01-01T00:00:00.000Z',
  runs: [],
  waits: [],
  ...fields,
});

describe('the record of a job', () => {
  test('contains the request, what ran and how it ended; every run has its id', async () => {
    const {engine, jobs, runs} = succeeding();
    await engine.start(execute);
    expect(jobs.records()).toEqual([
      {
        schemaVersion: 1,
        jobId: first,
        steps: [{type: 'execute', taskIds: []}],
        agent: 'claude',
        settings: expect.objectContaining({graceMilliseconds: 60_000, stopOnFailure: false}),
        owner: null,
        startedAt: now,
        endedAt: now,
        runs: ['a', 'b'].map((taskId) => ({taskId, runId: `${taskId}-1`, startedAt: now})),
        waits: [],
        end: {reason: 'completed', standing: 'done', message: '2 done · no ready tasks remaining'},
      },
    ]);
    expect(['a', 'b'].flatMap((id) => runs.records(id)).map(({job_id}) => job_id)).toEqual([first, first]);
  });

  test('is on disk before anything starts, and open while it works', async () => {
    const {engine, jobs, agents} = project();
    const stopped = engine.start(execute);
    await eventually(() => expect(agents.alive()).toHaveLength(1));
    expect(jobs.records()).toMatchObject([{jobId: first, runs: [{taskId: 'a', runId: 'a-1'}]}]);
    expect(jobs.records()[0]).not.toHaveProperty('end');
    engine.pause('user_interrupt');
    await stopped;
    expect(jobs.records()[0]?.end).toMatchObject({reason: 'paused', standing: 'paused', message: 'Paused.'});
  });

  test('that cannot be written: nothing starts, and the lock is free again', async () => {
    const {engine, jobs, log, lock} = succeeding();
    const error = new AppError('E_STORE_WRITE', 'disk full');
    jobs.failNext('create', error);
    expect(await engine.start(execute)).toMatchObject({reason: 'error', error, steps: []});
    expect(log).toEqual(['lock', 'unlock']);
    expect(lock.isHeld).toBe(false);
  });

  test('that cannot be closed is reported; the next job closes it', async () => {
    const {engine, jobs, lock} = succeeding();
    const error = new AppError('E_STORE_WRITE', 'disk full');
    jobs.failNext('close', error);
    expect(await engine.start(execute)).toMatchObject({reason: 'error', error});
    expect(lock.isHeld).toBe(false);
    await engine.start(execute);
    expect(jobs.records().map(({end}) => end?.reason)).toEqual(['lost', 'completed']);
  });

  test('of an agent that cannot be chosen is never created', async () => {
    const fake = createFakeServices({settings: {stopAfterEachTask: 'yes'}});
    const {engine, jobs} = succeeding(fake);
    expect(await engine.start(execute)).toMatchObject({reason: 'error', error: {code: 'E_CONFIG'}});
    expect(jobs.records()).toEqual([]);
  });

  test.each([
    {runs: [], job: executeJob({isImpatient: false})},
    {
      runs: [pausedRun()],
      job: taskJob('a', {type: 'resume', answers: [], feedback: null}, {isImpatient: false}),
    },
  ])('contains what it waits for before anything started, until it ends', async ({runs, job}) => {
    const plan = planOf(task('a', {status: runs.length === 0 ? 'todo' : 'in_progress'}));
    const {engine, jobs, limits} = project(createFakeServices({plan, runs}));
    const until = '2026-02-02T03:00:00.000Z';
    limits.limits.set('claude', {until, source: 'reported', seenAt: now});
    const stopped = engine.start(job);
    const runId = runs[0]?.run_id ?? null;
    const waiting = {taskId: 'a', runId, provider: 'claude', reason: 'usage_limit', since: now, until};
    await eventually(() => expect(jobs.records()[0]?.waiting).toEqual(waiting));
    engine.pause('user_interrupt');
    await stopped;
    expect(jobs.records()[0]).toMatchObject({runs: [], end: {reason: 'paused'}});
    expect(jobs.records()[0]).not.toHaveProperty('waiting');
  });

  test('includes a run that it continues, which gets the new id', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}));
    const run = pausedRun({job_id: '20260101-000000-000000'});
    const {engine, jobs, runs} = succeeding(createFakeServices({plan, runs: [run]}));
    await engine.start(resume);
    expect(jobs.records()[0]).toMatchObject({
      steps: [{type: 'task', taskId: 'a', mode: 'resume'}],
      runs: [{taskId: 'a', runId: 'a-1', startedAt: now}],
      waits: [],
    });
    expect(runs.records('a')[0]?.job_id).toBe(first);
  });
});

describe('a job that its Blackbird did not end', () => {
  test('is closed as lost by the next one, with the last change of its last run', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}), task('b'));
    const run = runRecord({updated_at: '2026-01-01T01:00:00.000Z'});
    const fake = createFakeServices({plan, runs: [run]});
    await fake.jobs.create(
      openJob({runs: [{taskId: 'a', runId: 'a-1', startedAt: '2026-01-01T00:00:01.000Z'}]}),
    );
    await succeeding(fake).engine.start(execute);
    expect(fake.jobs.records()[0]).toMatchObject({
      endedAt: '2026-01-01T01:00:00.000Z',
      end: {reason: 'lost', message: 'Blackbird ended before the job did'},
    });
    expect(fake.jobs.records()[1]).toMatchObject({jobId: first, end: {reason: 'completed'}});
  });

  test('is found whatever the clock says', async () => {
    const fake = createFakeServices({plan: planOf(task('a'))});
    await fake.jobs.create(openJob({jobId: '20990101-000000-000000'}));
    await succeeding(fake).engine.start(execute);
    expect(fake.jobs.records().map(({jobId, end}) => [jobId, end?.reason])).toEqual([
      ['20990101-000000-000000', 'lost'],
      ['20990101-000001-000001', 'completed'],
    ]);
  });

  test('but still works on is left alone', async () => {
    const fake = createFakeServices({plan: planOf(task('a'))});
    await fake.jobs.create(openJob());
    const services = {...fake.services, livenessOf: () => 'alive' as const};
    fake.agents.play = (agent) => agent.succeeds();
    await createEngine(services).start(execute);
    expect(fake.jobs.records()[0]).toEqual(openJob());
  });

  test('in the middle of a task is reported by the next start', async () => {
    const fake = createFakeServices({plan: planOf(task('a'), task('b'))});
    const dying = crashable(fake);
    void createEngine(dying.services).start(execute);
    await eventually(() => expect(fake.agents.alive()).toHaveLength(1));
    dying.die({hasGuardian: true});
    fake.agents.play = (agent) => agent.succeeds();
    await createEngine(fake.services).start(execute);
    expect(fake.jobs.records().map(({end, runs}) => [end?.reason, runs.map(({runId}) => runId)])).toEqual([
      ['lost', ['a-1']],
      ['completed', ['b-1']],
    ]);
  });
});

describe('asked from another terminal', () => {
  test('to pause: it pauses as by Ctrl+C, and says who asked', async () => {
    const {engine, requests, agents, runs} = project();
    const pauses: EngineFact[] = [];
    engine.subscribe((fact) => {
      if (fact.type === 'engine.pausing') pauses.push(fact);
    });
    const stopped = engine.start(execute);
    await eventually(() => expect(agents.alive()).toHaveLength(1));
    expect(requests.ask('pause', first)).toBe(true);
    expect((await stopped).reason).toBe('paused');
    expect(runs.records('a')).toMatchObject([{state: 'paused', pause_reason: 'user_interrupt'}]);
    expect(pauses).toEqual([
      {type: 'engine.pausing', reason: 'user_interrupt', isForced: false, isAskedElsewhere: true},
    ]);
    expect(requests.ask('pause', first)).toBe(false);
  });

  test('to stop while it waits: it ends at once, and says so before the wait is over', async () => {
    const {engine, requests, limits} = project();
    limits.limits.set('claude', {until: '2026-02-02T03:00:00.000Z', source: 'reported', seenAt: now});
    const facts: EngineFact[] = [];
    engine.subscribe((fact) => void facts.push(fact));
    const stopped = engine.start(executeJob({isImpatient: false}));
    await eventually(() => expect(facts.map(({type}) => type)).toContain('wait.started'));
    expect(requests.ask('stop', first)).toBe(true);
    expect(await stopped).toMatchObject({reason: 'completed', isStopAsked: true});
    expect(facts.map(({type}) => type)).toEqual(['wait.started', 'engine.stopping', 'wait.ended']);
  });

  test('to stop: it ends after the current task', async () => {
    const {engine, requests, agents, jobs, plans} = project();
    const facts: EngineFact[] = [];
    engine.subscribe((fact) => void facts.push(fact));
    const stopped = engine.start(execute);
    await eventually(() => expect(agents.alive()).toHaveLength(1));
    expect(requests.ask('stop', first)).toBe(true);
    expect(facts).toContainEqual({type: 'engine.stopping', isAskedElsewhere: true});
    expect(jobs.records()[0]?.stopAskedAt).toEqual(expect.any(String));
    agents.alive()[0]?.succeeds();
    expect(await stopped).toMatchObject({reason: 'completed', isStopAsked: true});
    expect(plans.statuses()).toEqual({a: 'done', b: 'todo'});
    expect(jobs.records()[0]?.end?.message).toBe('Stopped after a, as you asked · 1 ready');
  });

  test('a request for another job is not taken', async () => {
    const {engine, requests, agents} = project();
    const stopped = engine.start(execute);
    await eventually(() => expect(agents.alive()).toHaveLength(1));
    expect(requests.ask('pause', '20260101-000000-000000')).toBe(false);
    engine.pause('user_interrupt');
    await stopped;
  });
});
