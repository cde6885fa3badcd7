import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import type {RunCircumstances} from '../../src/machines/policies/run/run-circumstances.ts';
import type {RunOrder} from '../../src/machines/policies/run/run-order.ts';
import {runMachine} from '../../src/machines/run.machine.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
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
const resume = {type: 'run.resume', request: resumeRequest} as const;
const answer = {type: 'run.answer', request: resumeRequest, answers} as const;
const restart = {type: 'run.restart', byRunId: 'a-2'} as const;
const decide = {type: 'review.decide', decision: {state: 'approved_continue'}} as const;
const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;

/** Where the fake records were made. */
const here: RunCircumstances = {
  repoRoot: '/project',
  explicitProvider: null,
  customCommand: null,
  isSameFolder: true,
  isSameProgram: true,
  isSessionRef: true,
  isGoRun: false,
  owner: 'self',
  isPastCheckpoint: false,
  isBuiltOn: false,
};

function createRun(run: RunRecord, order: RunOrder | null, circumstances = here) {
  const fake = createFakeServices({runs: [run]});
  const effects = defineEffects(fake.services);
  const clock = new SimulatedClock();
  const actor = createActor(runMachine.provide({actors: effects.run}), {
    clock,
    input: {run, order, graceMilliseconds, circumstances},
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

describe('a new run', () => {
  test('is launched at once and ends like its segment', async () => {
    const {agents, finished, record} = await startRun(runRecord(), launch);
    expect(agents.agent.request).toEqual(startRequest);
    agents.agent.succeeds();
    expect(await finished).toEqual({outcome: 'succeeded', run: record()});
  });
});

describe('a resume', () => {
  test('is recorded before the agent is launched, and is a second segment of the same run', async () => {
    const {agents, finished, log} = await startRun(pausedRun(), resume);
    expect(agents.agent.request).toEqual(resumeRequest);
    agents.agent.opensSession();
    await settle();
    agents.agent.succeeds('all of it');

    const run = pausedRun({
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

  test.each([
    {obstacle: 'otherProgram', circumstances: {...here, isSameProgram: false}, run: pausedRun()},
    {obstacle: 'otherFolder', circumstances: {...here, isSameFolder: false}, run: pausedRun()},
    {obstacle: 'noSession', circumstances: here, run: pausedRun({provider_session_ref: ''})},
    {obstacle: 'foreignSession', circumstances: {...here, isSessionRef: false}, run: pausedRun()},
    {obstacle: 'unsavedSession', circumstances: here, run: pausedRun({resumable: false})},
  ] as const)('that is impossible is refused for $obstacle, and nothing is touched', async (each) => {
    const {finished, log} = await startRun(each.run, resume, each.circumstances);
    expect(await finished).toEqual({outcome: 'refused', run: each.run, obstacle: each.obstacle});
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

  test('clears why an earlier one was rejected', async () => {
    const failure = {kind: 'resume_rejected', message: 'busy'} as const;
    const {agents, finished} = await startRun(pausedRun({failure}), resume);
    agents.agent.succeeds();
    expect((await finished).run).not.toHaveProperty('failure');
  });

  test('of a record of the Go program writes and launches nothing: a new run takes over its session', async () => {
    const run = pausedRun({repo_root: ''});
    const {finished, log} = await startRun(run, resume, {...here, isGoRun: true});
    expect(await finished).toEqual({outcome: 'paused', run});
    expect(log).toEqual([]);
  });
});

describe('an answer', () => {
  test('is recorded before the agent receives it', async () => {
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
    'of a run that is $state records what replaces it, and keeps its state',
    async (run) => {
      const {finished, record} = await startRun(run, restart);
      const replaced = {...run, updated_at: now, superseded_by_run_id: 'a-2'};
      expect(await finished).toEqual({outcome: run.state, run: replaced});
      expect(record()).toEqual(replaced);
    },
  );

  test('of a record of the Go program writes nothing', async () => {
    const run = pausedRun({repo_root: ''});
    const {finished, log} = await startRun(run, restart, {...here, isGoRun: true});
    expect(await finished).toEqual({outcome: 'paused', run});
    expect(log).toEqual([]);
  });
});

describe('a decision', () => {
  test('is recorded by the run it is made about', async () => {
    const run = restingRun({state: 'succeeded', decision_state: 'pending'});
    const {finished} = await startRun(run, decide);
    expect(await finished).toEqual({
      outcome: 'succeeded',
      run: {...run, updated_at: now, decision_state: 'approved_continue', decision_resolved_at: now},
    });
  });
});

test('a command that its record does not allow is an error, never a wait', async () => {
  const run = restingRun({state: 'succeeded'});
  const {finished, log} = await startRun(run, decide);
  expect(await finished).toEqual({
    outcome: 'error',
    run,
    error: new Error('run a-1 is succeeded and cannot take review.decide'),
  });
  expect(log).toEqual([]);
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

  test('while the resume is written keeps the agent from running; the run keeps its state', async () => {
    const run = createRun(pausedRun(), resume);
    const release = run.runs.holdOn(({phase}) => phase === 'launching');
    run.actor.start();
    expect(run.actor.getSnapshot().value).toEqual({recordingRelaunch: 'wanted'});
    run.actor.send(pause);
    release();
    expect(await run.finished).toEqual({outcome: 'withdrawn', run: pausedRun({updated_at: now})});
    expect(run.log).toEqual(['record a-1 running/launching session-1', 'record a-1 paused session-1']);
  });
});

describe('a write that fails', () => {
  const error = new Error('the disk is full');

  test('before a resume is the end: nothing is launched and the record stays', async () => {
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
    const input = {run, order, graceMilliseconds, circumstances: here};
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
  const session = {...here, owner: 'gone'} as const;
  const records = [
    runRecord(),
    pausedRun(),
    pausedRun({pause_reason: 'process_lost'}),
    pausedRun({superseded_by_run_id: 'a-2'}),
    pausedRun({checks_due: true}),
    runRecord({phase: 'verifying', checks_due: true}),
    waitingRun(),
    waitingRun({provider_session_ref: ''}),
    restingRun({state: 'failed', provider_session_ref: sessionRef, resumable: true}),
    restingRun({
      state: 'failed',
      decision_state: 'pending',
      provider_session_ref: sessionRef,
      resumable: true,
    }),
    restingRun({state: 'succeeded', run_type: 'review'}),
    pausedRun({run_type: 'plan', provider_session_ref: sessionRef, resumable: true}),
    pausedRun({run_type: 'plan', failure: {kind: 'resume_rejected', message: 'no such session'}}),
    restingRun({state: 'succeeded', decision_state: 'approved_quit'}),
    restingRun({state: 'succeeded', decision_state: 'approved_quit', commit: {sha: 'abc'}}),
    runRecord({provider_session_ref: sessionRef, resumable: true}),
  ];
  const circumstances: RunCircumstances[] = [
    here,
    session,
    {...here, owner: 'alive'},
    {...session, isSameProgram: false},
    {...session, isSameFolder: false},
    {...session, isSessionRef: false},
    {...session, isGoRun: true},
    {...session, isBuiltOn: true},
  ];
  const unsaved = records.map((run) => ({...run, resumable: false}));
  const without = unsaved.map((run) => ({...run, provider_session_ref: ''}));
  const done = (id: string, output: unknown) => ({type: `xstate.done.actor.${id}`, output});
  expect(
    unreachedTransitions(runMachine, {
      inputs: [...records, ...unsaved, ...without].flatMap((run) =>
        circumstances.flatMap((each) =>
          [
            launch,
            resume,
            answer,
            restart,
            decide,
            {...resume, type: 'run.sendBack'},
            {type: 'run.retry'},
            {type: 'review.withdraw'},
            {...restart, type: 'run.undo'},
          ].map((order) => ({
            run,
            order,
            graceMilliseconds,
            circumstances: each,
          })),
        ),
      ),
      payloads: [
        pause,
        ...['recordRelaunch', 'recordLink', 'recordDecision', 'recordWithdrawal'].flatMap((id) => [
          done(id, pausedRun()),
          done(id, runRecord({phase: 'verifying'})),
          {type: `xstate.error.actor.${id}`, error: 'full'},
        ]),
        done('segment', {outcome: 'ended', run: pausedRun()}),
        done('segment', {outcome: 'withdrawn', run: pausedRun()}),
        done('segment', {outcome: 'error', run: pausedRun(), error: 'full'}),
        {type: 'xstate.error.actor.segment', error: 'broken'},
      ],
      key: ({context}) => [context.run, context.circumstances, context.order?.type],
    }),
  ).toEqual([]);
});
