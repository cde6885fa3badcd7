import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {type RunCommand, runMachine} from '../../src/machines/run.machine.ts';
import type {PauseReason, RunRecord} from '../../src/services/contracts/run.ts';
import {noSummary} from '../fakes/fake-changes.ts';
import {defineEffects} from '../fakes/machines.ts';
import {
  endedSegment,
  pausedRun,
  question,
  restingRun,
  resumeRequest,
  runRecord,
  sessionRef,
  startRequest,
  waitingRun,
} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now} from '../helpers/plans.ts';

const graceMilliseconds = 10_000;
const answers = [{id: question.id, value: 'blue'}];

const launch = {type: 'run.launch', request: startRequest} as const;
const resume = {type: 'run.resume', request: resumeRequest, obstacle: null} as const;
const refusedResume = {...resume, obstacle: 'the session is gone'} as const;
const answer = {type: 'run.answer', request: resumeRequest, answers} as const;
const restart = {type: 'run.restart'} as const;
const decide = {type: 'review.decide', decision: {state: 'approved_continue'}} as const;
const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;

function createRun(run: RunRecord, order: RunCommand | null, pauseReason: PauseReason | null = null) {
  const fake = createFakeServices({runs: [run]});
  const effects = defineEffects(fake.services);
  const clock = new SimulatedClock();
  const actor = createActor(runMachine.provide({actors: effects.run}), {
    clock,
    input: {run, order, graceMilliseconds, pauseReason},
  });
  const finished = toPromise(actor);
  return {...fake, actor, clock, finished, record: () => fake.runs.records('a')[0]};
}

async function startRun(...args: Parameters<typeof createRun>) {
  const run = createRun(...args);
  run.actor.start();
  await settle();
  return run;
}

describe('what may happen next', () => {
  const commands = {launch, resume, refusedResume, answer, decide, restart};
  test.each([
    {name: 'running', run: runRecord(), allowed: ['launch']},
    {name: 'paused', run: pausedRun(), allowed: ['resume', 'refusedResume', 'restart']},
    {name: 'waiting', run: waitingRun(), allowed: ['answer', 'restart']},
    {name: 'succeeded', run: restingRun({state: 'succeeded'}), allowed: ['restart']},
    {
      name: 'that a decision is pending',
      run: restingRun({state: 'failed', decision_state: 'pending'}),
      allowed: ['decide', 'restart'],
    },
    {name: 'failed', run: restingRun({state: 'failed'}), allowed: ['restart']},
    {name: 'canceled', run: restingRun({state: 'canceled'}), allowed: ['restart']},
  ])('of a run whose record says $name is $allowed', async ({run, allowed}) => {
    const {actor, log} = await startRun(run, null);
    const can = Object.entries(commands).filter(([, command]) => actor.getSnapshot().can(command));
    expect(can.map(([name]) => name)).toEqual(allowed);
    expect(log).toEqual([]);
  });

  test('while its agent is alive is a pause and nothing else', async () => {
    const {actor} = await startRun(runRecord(), launch);
    const can = Object.entries({...commands, pause}).filter(([, each]) => actor.getSnapshot().can(each));
    expect(actor.getSnapshot().value).toBe('running');
    expect(can.map(([name]) => name)).toEqual(['pause']);
  });
});

describe('a new run', () => {
  test('is launched at once and ends as its segment did', async () => {
    const {agents, finished, record} = await startRun(runRecord(), launch);
    expect(agents.agent.request).toEqual(startRequest);
    agents.agent.succeeds();
    expect(await finished).toEqual({outcome: 'succeeded', run: record()});
  });

  test('waits for its order where there is none', async () => {
    const {actor, agents, finished} = await startRun(runRecord(), null);
    actor.send(launch);
    await settle();
    agents.agent.succeeds();
    expect((await finished).outcome).toBe('succeeded');
  });
});

describe('a resume', () => {
  test('is recorded before the agent is launched, and is a second segment of the same run', async () => {
    const {agents, finished, log} = await startRun(pausedRun(), resume);
    expect(agents.agent.request).toEqual(resumeRequest);
    agents.agent.opensSession();
    await settle();
    agents.agent.succeeds('all of it');

    const {
      paused_at: _,
      pause_reason: __,
      ...run
    } = pausedRun({
      state: 'succeeded',
      updated_at: now,
      stdout: 'out',
      stderr: 'err',
      exit_code: 0,
      result: 'all of it',
      segments: [endedSegment(), endedSegment()],
      review_summary: noSummary,
    });
    expect(await finished).toEqual({outcome: 'succeeded', run});
    expect(log).toEqual([
      'record a-1 running/launching session-1',
      'launch a-1',
      'record a-1 running/active session-1',
      'go a-1',
      'record a-1 running/active session-1',
      'exit a-1',
      'end a-1',
      'record a-1 succeeded session-1',
    ]);
  });

  test('that cannot be is refused with the reason, and nothing is touched', async () => {
    const {finished, log} = await startRun(pausedRun(), refusedResume);
    expect(await finished).toEqual({outcome: 'refused', run: pausedRun(), reason: 'the session is gone'});
    expect(log).toEqual([]);
  });

  test('that the provider rejects leaves the run paused, with the reason', async () => {
    const {agents, finished} = await startRun(pausedRun(), resume);
    agents.agent.fails({kind: 'resume_rejected', message: 'No conversation found'});
    expect(await finished).toMatchObject({
      outcome: 'paused',
      run: {
        state: 'paused',
        provider_session_ref: sessionRef,
        resumable: true,
        failure: {kind: 'resume_rejected', message: 'No conversation found'},
      },
    });
  });

  test('forgets why an earlier one was rejected', async () => {
    const failure = {kind: 'resume_rejected', message: 'busy'} as const;
    const {agents, finished} = await startRun(pausedRun({failure}), resume);
    agents.agent.succeeds();
    expect((await finished).run).not.toHaveProperty('failure');
  });
});

describe('an answer', () => {
  test('is recorded before the agent hears it', async () => {
    const {agents, finished, log, record} = await startRun(waitingRun(), answer);
    expect(record()).toMatchObject({state: 'running', phase: 'active', answers});
    expect(log.slice(0, 2)).toEqual(['record a-1 running/launching session-1', 'launch a-1']);
    agents.agent.succeeds();
    expect((await finished).run).toMatchObject({state: 'succeeded', answers, questions: [question]});
  });

  test('of a second round follows those of the first', async () => {
    const first = {id: 'size', value: 'large'};
    const {record} = await startRun(waitingRun({answers: [first]}), answer);
    expect(record()?.answers).toEqual([first, {...answers[0], prompt: question.prompt}]);
  });
});

describe('a restart', () => {
  test.each([pausedRun(), waitingRun(), restingRun({state: 'failed'})])(
    'of a run that is $state ends it as it stands',
    async (run) => {
      const {finished, log} = await startRun(run, restart);
      expect(await finished).toEqual({outcome: run.state, run});
      expect(log).toEqual([]);
    },
  );
});

describe('a pause', () => {
  test('goes to the agent, and the second one kills it', async () => {
    const {actor, agents, finished, log, violations} = await startRun(runRecord(), launch);
    actor.send(pause);
    await settle();
    expect(log.at(-1)).toBe('interrupt a-1');
    actor.send(pause);
    expect(log.at(-1)).toBe('kill a-1');
    agents.agent.exits({exitCode: null, signal: 'SIGKILL'});
    expect((await finished).outcome).toBe('paused');
    expect(violations).toEqual([]);
  });

  test.each([
    {name: 'before a launch', run: runRecord(), order: launch},
    {name: 'before a resume', run: pausedRun(), order: resume},
  ])('asked for $name keeps the agent from running', async ({run, order}) => {
    const {finished, log} = await startRun(run, order, 'terminated');
    expect((await finished).run).toMatchObject({state: 'paused', pause_reason: 'terminated'});
    expect(log).not.toContain('go a-1');
  });

  test('asked for while the resume is written keeps the agent from running', async () => {
    const run = createRun(pausedRun(), resume);
    const release = run.runs.holdOn(({phase}) => phase === 'launching');
    run.actor.start();
    expect(run.actor.getSnapshot().value).toBe('recordingRelaunch');
    run.actor.send(pause);
    release();
    expect((await run.finished).run).toMatchObject({
      state: 'paused',
      pause_reason: 'user_interrupt',
      resumable: true,
    });
    expect(run.log).not.toContain('go a-1');
  });
});

describe('a write that fails', () => {
  const error = new Error('the disk is full');

  test('before a resume is the end: nothing is launched and the record stands', async () => {
    const run = createRun(pausedRun(), resume);
    run.runs.failOn(() => true, error);
    run.actor.start();
    expect(await run.finished).toEqual({outcome: 'error', run: pausedRun(), error});
    expect(run.log).toEqual([]);
    expect(run.record()).toEqual(pausedRun());
  });

  test('inside the segment is reported with the record as it is on disk', async () => {
    const run = createRun(runRecord(), launch);
    run.agents.obeys.kill = true;
    run.runs.failOn(({phase}) => phase === 'active', error);
    run.actor.start();
    expect(await run.finished).toEqual({outcome: 'error', run: runRecord(), error});
  });
});

describe('refuses to run without', () => {
  test.each([
    {missing: 'recordRun', run: pausedRun(), order: resume, names: 'recordRun'},
    {missing: 'segment', run: runRecord(), order: launch, names: 'agent'},
  ] as const)('the actor $missing', async ({missing, run, order, names}) => {
    const {[missing]: _, ...actors} = defineEffects(createFakeServices({runs: [run]}).services).run;
    const input = {run, order, graceMilliseconds, pauseReason: null};
    const actor = createActor(runMachine.provide({actors}), {input});
    const finished = toPromise(actor);
    actor.start();
    expect(await finished).toEqual({
      outcome: 'error',
      run,
      error: new Error(`Actor "${names}" was not provided`),
    });
  });
});

test('every transition is reached', () => {
  const input = (run: RunRecord) => ({run, order: null, graceMilliseconds, pauseReason: null});
  expect(
    unreachedTransitions(runMachine, {
      inputs: [
        runRecord(),
        pausedRun(),
        waitingRun(),
        restingRun({state: 'failed'}),
        restingRun({state: 'failed', decision_state: 'pending'}),
      ].map(input),
      payloads: [
        launch,
        resume,
        refusedResume,
        answer,
        pause,
        {type: 'xstate.done.actor.recordRelaunch', output: runRecord()},
        {type: 'xstate.error.actor.recordRelaunch', error: 'full'},
        {type: 'xstate.done.actor.segment', output: {run: pausedRun()}},
        {type: 'xstate.error.actor.segment', error: 'broken'},
      ],
    }),
  ).toEqual([]);
});
