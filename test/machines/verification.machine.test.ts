import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {type VerificationInput, verificationMachine} from '../../src/machines/verification.machine.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {PauseReason, RunRecord} from '../../src/services/contracts/run.ts';
import {defineEffects} from '../fakes/machines.ts';
import {endedSegment, runRecord, sessionRef, startRequest} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now, planOf, task} from '../helpers/plans.ts';

const graceMilliseconds = 10_000;
const limitMilliseconds = 600_000;
const killMilliseconds = 5_000;

/** Its agent has reported success. */
const doneRun = (fields: Partial<RunRecord> = {}): RunRecord =>
  runRecord({
    phase: 'verifying',
    checks_due: true,
    verify: ['lint', 'test'],
    segments: [endedSegment()],
    provider_session_ref: sessionRef,
    resumable: true,
    baseline_tree: 'before',
    ...fields,
  });

function createVerification(run = doneRun(), fields: Partial<VerificationInput> = {}) {
  const fake = createFakeServices({plan: planOf(task('a', {prompt: 'do it'})), runs: [run]});
  fake.changes.tree = 'tree-1';
  const clock = new SimulatedClock();
  const {verification, live} = defineEffects(fake.services);
  const actor = createActor(verificationMachine.provide({actors: verification}), {
    clock,
    input: {run, pauseReason: null, graceMilliseconds, limitMilliseconds, rounds: 2, ...fields},
  });
  const finished = toPromise(actor);
  return {
    ...fake,
    actor,
    clock,
    finished,
    live,
    state: () => actor.getSnapshot().value,
    pause: (reason: PauseReason = 'user_interrupt') => actor.send({type: 'run.pause', reason}),
    record: () => fake.runs.records('a')[0],
  };
}

async function startVerification(...args: Parameters<typeof createVerification>) {
  const started = createVerification(...args);
  started.actor.start();
  await settle();
  return started;
}

const passed = (command: string, round = 1, place = 1) => ({
  command,
  round,
  started_at: now,
  seconds: 0,
  exit_code: 0,
  signal: null,
  tail: 'ok',
  log_file: `a-1.check-${round}-${place}.log`,
  log_digest: `digest of a-1.check-${round}-${place}.log`,
  tree: 'tree-1',
  result_tree: 'tree-1',
});

describe('checks', () => {
  test('run one after another, and the run succeeds with the evidence when all passed', async () => {
    const {checks, finished, log, record, violations, live} = await startVerification();
    checks.check.passes();
    await settle();
    checks.check.passes();
    const output = await finished;
    expect(output).toEqual({outcome: 'concluded', run: record()});
    expect(record()).toMatchObject({
      state: 'succeeded',
      verifications: [passed('lint', 1, 1), passed('test', 1, 2)],
    });
    for (const gone of ['phase', 'check', 'checks_due', 'stood']) expect(record()).not.toHaveProperty(gone);
    expect(log).toEqual([
      'check-launch a-1 lint',
      'record a-1 running/verifying session-1',
      'check-go a-1 lint',
      'check-exit a-1',
      'check-end a-1',
      'record a-1 running/verifying session-1',
      'check-launch a-1 test',
      'record a-1 running/verifying session-1',
      'check-go a-1 test',
      'check-exit a-1',
      'check-end a-1',
      'record a-1 running/verifying session-1',
      'record a-1 succeeded session-1',
    ]);
    expect({violations, live: live.size}).toEqual({violations: [], live: 0});
  });

  test('end at the checkpoint when the run has one', async () => {
    const {checks, finished} = await startVerification(doneRun({verify: ['lint'], decision_required: true}));
    checks.check.passes();
    expect((await finished).run).toMatchObject({state: 'succeeded', decision_state: 'pending'});
  });

  test('one that failed sends the agent back into its session, and none after it runs', async () => {
    const {checks, finished, record} = await startVerification();
    checks.check.fails('1 error\nsrc/a.ts: no');
    const output = await finished;
    expect(output).toMatchObject({
      outcome: 'sentBack',
      run: record(),
      request: {kind: 'resume', sessionRef, access: 'edit'},
    });
    expect(output.outcome === 'sentBack' && output.request.prompt).toContain(
      'and it failed (exit 1):\n> lint\nThe end of its output:\n> 1 error\n> src/a.ts: no\n',
    );
    expect(checks.checks.map(({command}) => command)).toEqual(['lint']);
    expect(record()).toMatchObject({state: 'running', phase: 'launching', verifications: [{exit_code: 1}]});
    expect(record()).not.toHaveProperty('checks_due');
  });

  test('an agent without a session is told everything again, with the check', async () => {
    const run = doneRun({provider_session_ref: '', resumable: false});
    const {checks, finished} = await startVerification(run);
    checks.check.fails('boom');
    const output = await finished;
    const prompt = output.outcome === 'sentBack' ? output.request.prompt : '';
    expect(output).toMatchObject({outcome: 'sentBack', request: {kind: 'start', sessionRef: null}});
    expect(prompt).toContain('# What to do\ndo it');
    expect(prompt).toContain('> lint\nThe end of its output:\n> boom');
  });

  test.each([
    {rounds: 0, earlier: 0, state: 'failed'},
    {rounds: 2, earlier: 1, state: 'running'},
    {rounds: 2, earlier: 2, state: 'failed'},
  ])('in round $earlier + 1 of at most $rounds more, the run is $state', async ({rounds, earlier, state}) => {
    const verifications = Array.from({length: earlier}, (_, index) => ({
      ...passed('lint', index + 1),
      exit_code: 1,
    }));
    const {checks, finished} = await startVerification(doneRun({verifications}), {rounds});
    checks.check.fails();
    const {run} = await finished;
    expect(run.state).toBe(state);
    expect(run.verifications?.map(({round}) => round)).toEqual(
      Array.from({length: earlier + 1}, (_, index) => index + 1),
    );
    if (state === 'failed') {
      const times = earlier === 0 ? '' : ` ${earlier + 1} times`;
      expect(run.failure).toEqual({
        kind: 'verification',
        message: `the check failed${times}: lint (exit 1)`,
      });
    }
  });

  test('that cannot be started failed, and say why', async () => {
    const started = createVerification();
    started.checks.failLaunch(new Error('no more processes'));
    started.actor.start();
    expect((await started.finished).run.verifications).toMatchObject([
      {command: 'lint', exit_code: null, not_started: true, tail: 'no more processes'},
    ]);
    expect(started.violations).toEqual([]);
  });

  test('whose end is unknown failed', async () => {
    const {checks, finished} = await startVerification();
    checks.check.breaks(new Error('the log is gone'));
    expect((await finished).run.verifications).toMatchObject([
      {exit_code: null, tail: 'it is not known how it ended: the log is gone'},
    ]);
  });

  test('fail for good when the agent cannot be told, and say why', async () => {
    const started = createVerification();
    started.agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'gone'));
    started.actor.start();
    await settle();
    started.checks.check.fails();
    expect((await started.finished).run).toMatchObject({
      state: 'failed',
      failure: {
        kind: 'verification',
        message: 'the check failed: lint (exit 1), and its agent cannot be told: gone',
      },
    });
  });
});

describe('a check that takes too long', () => {
  test('is interrupted at its limit and no earlier, killed after the grace, and failed', async () => {
    const {checks, clock, finished, log, state} = await startVerification();
    clock.increment(limitMilliseconds - 1);
    expect(state()).toEqual({checking: 'active'});
    clock.increment(1);
    expect([state(), log.at(-1)]).toEqual([{checking: 'interrupting'}, 'check-interrupt a-1']);
    clock.increment(graceMilliseconds - 1);
    expect(state()).toEqual({checking: 'interrupting'});
    checks.check.obeys.kill = true;
    clock.increment(1);
    const {run} = await finished;
    expect(run.verifications).toMatchObject([
      {command: 'lint', exit_code: null, signal: 'SIGKILL', timed_out: true},
    ]);
    expect(run.phase).toBe('launching');
  });

  test('has failed even if it exits with 0', async () => {
    const {checks, clock, finished} = await startVerification();
    clock.increment(limitMilliseconds);
    checks.check.passes();
    expect((await finished).run.verifications).toMatchObject([{exit_code: null, timed_out: true}]);
  });

  test('has failed even if a pause is requested while it is being stopped', async () => {
    const {checks, clock, finished, pause} = await startVerification();
    clock.increment(limitMilliseconds);
    pause();
    checks.check.passes();
    expect((await finished).run).toMatchObject({
      state: 'paused',
      verifications: [{exit_code: null, timed_out: true}],
    });
  });

  test('and survives even the kill is swept', async () => {
    const {clock, finished, log} = await startVerification();
    clock.increment(limitMilliseconds);
    clock.increment(graceMilliseconds);
    clock.increment(killMilliseconds);
    expect((await finished).run.verifications).toMatchObject([{timed_out: true, signal: 'SIGKILL'}]);
    expect(log).toContain('check-end a-1');
  });
});

describe('a pause', () => {
  const paused = {state: 'paused', pause_reason: 'terminated', checks_due: true, resumable: true};

  test('stops the check, which does not count, and leaves the run paused', async () => {
    const {checks, finished, log, pause, record, violations} = await startVerification();
    checks.check.obeys.interrupt = true;
    pause('terminated');
    expect(await finished).toEqual({outcome: 'concluded', run: record()});
    expect(record()).toMatchObject({...paused, pauses: [{pause_reason: 'terminated'}]});
    for (const gone of ['phase', 'check', 'verifications']) expect(record()).not.toHaveProperty(gone);
    expect(log.slice(-4)).toEqual([
      'check-interrupt a-1',
      'check-exit a-1',
      'check-end a-1',
      'record a-1 paused session-1',
    ]);
    expect(violations).toEqual([]);
  });

  test('requested again kills at once', async () => {
    const {checks, finished, log, pause} = await startVerification();
    checks.check.obeys.kill = true;
    pause();
    pause();
    expect((await finished).run.state).toBe('paused');
    expect(log).toContain('check-kill a-1');
  });

  test('that came before the first check keeps it from running', async () => {
    const {checks, finished} = await startVerification(doneRun(), {pauseReason: 'terminated'});
    expect((await finished).run).toMatchObject(paused);
    expect(checks.checks).toEqual([]);
  });

  test('while a check is launched ends it before it is released', async () => {
    const started = createVerification();
    const release = started.checks.holdLaunch();
    started.actor.start();
    await settle();
    started.pause('terminated');
    release();
    expect((await started.finished).run).toMatchObject(paused);
    expect(started.log).not.toContain('check-go a-1 lint');
    expect(started.checks.alive()).toEqual([]);
  });

  test('after the last check passed comes too late', async () => {
    const {checks, finished, pause, runs} = await startVerification(doneRun({verify: ['lint']}));
    const release = runs.holdOn(({verifications}) => verifications !== undefined);
    checks.check.passes();
    await settle();
    pause();
    release();
    expect((await finished).run.state).toBe('succeeded');
  });

  test('after a check failed leaves the failure to be sent with the next resume', async () => {
    const {checks, finished, pause, runs} = await startVerification();
    const release = runs.holdOn(({verifications}) => verifications !== undefined);
    checks.check.fails();
    await settle();
    pause();
    release();
    const {run} = await finished;
    expect(run).toMatchObject({state: 'paused', verifications: [{command: 'lint', exit_code: 1}]});
    expect(run).not.toHaveProperty('checks_due');
  });

  test('while the agent is about to be sent back is not lost', async () => {
    const started = await startVerification();
    const release = started.runs.holdOn(({phase}) => phase === 'launching');
    started.checks.check.fails();
    await settle();
    expect(started.state()).toBe('recordingRound');
    started.pause();
    release();
    expect((await started.finished).run.state).toBe('paused');
  });
});

describe('what cannot be written or ended', () => {
  test('a start that cannot be recorded ends the check and is reported', async () => {
    const started = createVerification();
    started.runs.failOn(({check}) => check !== undefined, new Error('disk full'));
    started.actor.start();
    await settle();
    expect(started.log).not.toContain('check-go a-1 lint');
    expect(await started.finished).toMatchObject({outcome: 'error', error: {message: 'disk full'}});
    expect(started.checks.alive()).toEqual([]);
  });

  test('an end that cannot be recorded is reported', async () => {
    const started = await startVerification();
    started.runs.failOn(({verifications}) => verifications !== undefined, new Error('disk full'));
    started.checks.check.passes();
    expect(await started.finished).toMatchObject({outcome: 'error', error: {message: 'disk full'}});
  });

  test('processes that no signal ends are reported', async () => {
    const started = await startVerification();
    started.checks.check.remaining = [7];
    started.checks.check.passes();
    expect(await started.finished).toMatchObject({outcome: 'error', error: {code: 'E_PROCESS_ALIVE'}});
    expect(started.record()?.state).toBe('running');
  });
});

test('a check that edits the plan is reported, and nothing continues before the user has seen it', async () => {
  const {checks, finished, plans} = await startVerification(doneRun({verify: ['lint']}));
  plans.plan = planOf(task('a', {prompt: 'do less'}));
  checks.check.passes();
  expect((await finished).run).toMatchObject({
    decision_state: 'pending',
    side_effects: [{kind: 'plan', text: 'the plan was edited: a (prompt)'}],
  });
});

test('every transition is reached', () => {
  const run = doneRun({verify: ['lint']});
  const broken = doneRun({verifications: [{...passed('lint'), exit_code: 1}], checks_due: false});
  const done = (id: string, output?: unknown) => ({type: `xstate.done.actor.${id}`, output});
  const error = (id: string) => ({type: `xstate.error.actor.${id}`, error: 'no'});
  const records = [
    'recordStart',
    'recordEnd',
    'recordRound',
    'recordPause',
    'recordSuccess',
    'recordFailure',
  ];
  const input = {run, graceMilliseconds, limitMilliseconds, pauseReason: null};
  expect(
    unreachedTransitions(verificationMachine, {
      inputs: [
        {...input, rounds: 1},
        {...input, rounds: 0},
        {...input, rounds: 1, pauseReason: 'terminated'},
      ],
      payloads: [
        {type: 'check.held', identity: {}},
        {type: 'check.notStarted'},
        {type: 'check.exited'},
        {type: 'run.pause', reason: 'user_interrupt'},
        ...records.flatMap((id) => [done(id, run), error(id)]),
        done('recordEnd', broken),
        done('endEverything'),
        done('prepareRound', startRequest),
        ...['check', 'endEverything', 'prepareRound'].map(error),
      ],
      key: ({context: {pause, exit, isTimedOut, place, run: seen, rounds, error: problem}}) => [
        Math.min(pause?.presses ?? 0, 2),
        exit,
        isTimedOut,
        place,
        rounds,
        seen === run,
        seen.verifications?.length,
        problem !== undefined,
      ],
    }),
  ).toEqual([]);
});
