import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {type TaskInput, taskMachine} from '../../src/machines/task.machine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {defineEffects} from '../fakes/machines.ts';
import {
  changedRun,
  pausedRun,
  question,
  restingRun,
  runRecord,
  sessionRef,
  startRequest,
  waitingRun,
} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now, planOf, task} from '../helpers/plans.ts';

const input: TaskInput = {
  taskId: 'a',
  mode: {type: 'execute'},
  provider: 'claude',
  explicitProvider: null,
  graceMilliseconds: 10_000,
};
const resume: TaskInput = {...input, mode: {type: 'resume', answers: [], feedback: null}};
const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;

const ready = planOf(task('a'));
const begun = planOf(task('a', {status: 'in_progress'}));

function createTask(taskInput: TaskInput = input, plan: Plan = ready, runs: readonly RunRecord[] = []) {
  const fake = createFakeServices({plan, runs});
  const actor = createActor(taskMachine.provide({actors: defineEffects(fake.services).task}), {
    clock: new SimulatedClock(),
    input: taskInput,
  });
  const finished = toPromise(actor);
  return {...fake, actor, finished, record: () => fake.runs.records('a').at(-1)};
}

async function startTask(...args: Parameters<typeof createTask>) {
  const started = createTask(...args);
  started.actor.start();
  await settle();
  return started;
}

describe('a task', () => {
  test('is recorded, then marked, then run, and the plan follows the run', async () => {
    const {agents, finished, log, record, violations} = await startTask();
    agents.agent.succeeds();
    expect(await finished).toEqual({outcome: 'succeeded', run: record()});
    expect(log).toEqual([
      'record a-1 running/launching',
      'plan a in_progress',
      'launch a-1',
      'record a-1 running/active',
      'go a-1',
      'exit a-1',
      'end a-1',
      'record a-1 succeeded',
      'plan a done',
    ]);
    expect(violations).toEqual([]);
  });

  test.each([
    {outcome: 'failed', text: null, status: 'failed'},
    {outcome: 'waiting', text: JSON.stringify({blackbird: {questions: [question]}}), status: 'waiting_user'},
  ] as const)('that is $outcome is $status in the plan', async ({outcome, text, status}) => {
    const {agents, finished, plans, record} = await startTask();
    if (text === null) agents.agent.fails();
    else agents.agent.succeeds(text);
    expect(await finished).toEqual({outcome, run: record()});
    expect(plans.statuses()).toEqual({a: status});
  });

  test('that was deleted while it ran still ends', async () => {
    const {agents, finished, plans} = await startTask();
    await plans.update(() => planOf(task('b')));
    agents.agent.succeeds();
    expect((await finished).outcome).toBe('succeeded');
    expect(plans.statuses()).toEqual({b: 'todo'});
  });
});

describe('a pause', () => {
  const answers = [{id: question.id, value: 'red'}];
  test('goes to the run; the task stays in progress', async () => {
    const {actor, agents, finished, plans, log} = await startTask();
    agents.agent.obeys.interrupt = true;
    actor.send(pause);
    expect((await finished).outcome).toBe('paused');
    expect(plans.statuses()).toEqual({a: 'in_progress'});
    expect(log.slice(-3)).toEqual(['exit a-1', 'end a-1', 'record a-1 paused']);
  });

  test('requested while the run is prepared withdraws it: nothing starts, the task is todo again', async () => {
    const started = createTask();
    const release = started.plans.holdNextRead();
    started.actor.start();
    expect(started.actor.getSnapshot().value).toEqual({working: {wish: 'none', step: 'preparing'}});
    started.actor.send(pause);
    release();
    expect(await started.finished).toEqual({outcome: 'canceled', run: started.record()});
    expect(started.log).toEqual([
      'record a-1 running/launching',
      'plan a in_progress',
      'record a-1 canceled',
      'plan a todo',
    ]);
    expect(started.agents.alive()).toEqual([]);
  });

  test('requested while answers are prepared keeps the text', async () => {
    const mode = {type: 'resume', answers, feedback: null} as const;
    const asked = planOf(task('a', {status: 'waiting_user'}));
    const started = createTask({...input, mode}, asked, [waitingRun()]);
    const release = started.plans.holdNextRead();
    started.actor.start();
    started.actor.send(pause);
    release();
    const kept = {state: 'waiting', answers: answers.map((answer) => ({...answer, undelivered: true}))};
    expect(await started.finished).toMatchObject({outcome: 'waiting', run: kept});
    expect(started.record()).toMatchObject(kept);
    expect(started.agents.agents).toEqual([]);
    expect(started.plans.statuses()).toEqual({a: 'waiting_user'});
  });

  test('requested while the checkpoint for feedback is looked up prepares nothing', async () => {
    const mode = {type: 'resume', answers: [], feedback: 'use tabs'} as const;
    const started = createTask({...input, mode}, begun, [pausedRun()]);
    const release = started.plans.holdNextRead();
    started.actor.start();
    started.actor.send(pause);
    release();
    expect(await started.finished).toEqual({outcome: 'notBegun', taskId: 'a', asked: 'resume'});
    expect(started.runs.records('a')).toEqual([pausedRun()]);
    expect(started.log).toEqual([]);
  });

  test('requested while the agent is launched withdraws it as well', async () => {
    const started = createTask();
    const release = started.agents.holdLaunch();
    started.actor.start();
    await settle();
    started.actor.send(pause);
    release();
    expect(await started.finished).toEqual({outcome: 'canceled', run: started.record()});
    expect(started.log).not.toContain('go a-1');
    expect(started.plans.statuses()).toEqual({a: 'todo'});
  });

  test('before the agent started reports nothing of what held its run up before', async () => {
    const heldUp = {kind: 'rate_limit', message: 'limit'} as const;
    const run = pausedRun({pause_reason: 'usage_limit', failure: heldUp});
    const started = createTask(resume, begun, [run]);
    const release = started.agents.holdLaunch();
    started.actor.start();
    await settle();
    started.actor.send(pause);
    release();
    const output = await started.finished;
    expect(output).toMatchObject({outcome: 'paused', run: {run_id: run.run_id}});
    expect(output).not.toHaveProperty('run.failure');
    expect(started.record()).toMatchObject({state: 'paused', failure: heldUp});
  });

  test.each([
    {
      name: 'paused',
      run: pausedRun(),
      status: 'in_progress',
      mode: {type: 'resume', answers: [], feedback: null},
    },
    {name: 'paused and set to todo', run: pausedRun(), status: 'todo', mode: {type: 'restart'}},
  ] as const)('requested while a run that is $name is prepared leaves it exactly so', async (each) => {
    const {run, status, mode} = each;
    const started = createTask({...input, mode}, planOf(task('a', {status})), [run]);
    const release = started.plans.holdNextRead();
    started.actor.start();
    started.actor.send(pause);
    release();
    expect(await started.finished).toMatchObject({
      outcome: mode.type === 'restart' ? 'canceled' : run.state,
    });
    expect(started.runs.records('a')[0]).toEqual(run);
    expect(started.plans.statuses()).toEqual({a: status});
    expect(started.agents.alive()).toEqual([]);
  });

  test('requested while a restart is launched reinstates the old run', async () => {
    const started = createTask({...input, mode: {type: 'restart'}}, begun, [pausedRun()]);
    const release = started.agents.holdLaunch();
    started.actor.start();
    await settle();
    expect(started.runs.records('a')[0]).toMatchObject({superseded_by_run_id: 'a-2'});
    started.actor.send(pause);
    release();
    expect((await started.finished).outcome).toBe('canceled');
    expect(started.runs.records('a')[0]).not.toHaveProperty('superseded_by_run_id');
    expect(started.plans.statuses()).toEqual({a: 'in_progress'});
  });

  test('requested while the old run of a restart is marked as replaced launches nothing', async () => {
    const started = createTask({...input, mode: {type: 'restart'}}, begun, [pausedRun()]);
    const release = started.runs.holdOn(({superseded_by_run_id: by}) => by !== undefined);
    started.actor.start();
    await settle();
    started.actor.send(pause);
    release();
    expect((await started.finished).outcome).toBe('canceled');
    expect(started.log.filter((entry) => entry.startsWith('launch'))).toEqual([]);
    expect(started.runs.records('a')[0]).not.toHaveProperty('superseded_by_run_id');
  });

  test('requested while changes are requested leaves them on record, and prepares no run', async () => {
    const open = {decision_required: true, decision_state: 'pending', decision_requested_at: now} as const;
    const run = changedRun({...open, task_id: 'a', run_id: 'a-1'});
    const decision = {state: 'changes_requested', feedback: 'shorter'} as const;
    const started = createTask({...input, mode: {type: 'review', decision}}, begun, [run]);
    const release = started.runs.holdOn(({decision_state: state}) => state === 'changes_requested');
    started.actor.start();
    await settle();
    started.actor.send(pause);
    release();
    expect(await started.finished).toMatchObject({
      outcome: 'decision_required',
      run: {run_id: 'a-1', decision_state: 'changes_requested', decision_feedback: 'shorter'},
    });
    expect(started.runs.records('a')).toHaveLength(1);
  });

  test('requested while the plan is written does not undo what was done', async () => {
    const {actor, agents, finished, plans} = await startTask();
    const release = plans.holdNextUpdate();
    agents.agent.succeeds();
    await settle();
    expect(actor.getSnapshot().value).toEqual({working: {wish: 'none', step: 'settling'}});
    actor.send(pause);
    release();
    expect((await finished).outcome).toBe('succeeded');
    expect(plans.statuses()).toEqual({a: 'done'});
  });
});

test('a restart whose old run cannot be marked as replaced is withdrawn as a whole', async () => {
  const started = createTask({...input, mode: {type: 'restart'}}, begun, [pausedRun()]);
  started.runs.failOn(({superseded_by_run_id: by}) => by !== undefined);
  started.actor.start();
  expect(await started.finished).toMatchObject({outcome: 'error', error: {message: 'the disk is full'}});
  expect(started.runs.records('a')).toMatchObject([{state: 'paused'}, {run_id: 'a-2', state: 'canceled'}]);
  expect(started.runs.records('a')[0]).toEqual(pausedRun());
  expect({
    plan: started.plans.statuses(),
    log: started.log.filter((entry) => entry.startsWith('launch')),
  }).toEqual({plan: {a: 'in_progress'}, log: []});
});

describe('a resume', () => {
  test('that is impossible is refused, and neither record nor plan is touched', async () => {
    const run = pausedRun({resumable: false});
    const {finished, log} = await startTask(resume, begun, [run]);
    expect(await finished).toMatchObject({
      outcome: 'error',
      error: {
        code: 'E_RESUME_REFUSED',
        message: 'cannot resume a: the provider had not stored the session yet when it stopped',
      },
    });
    expect(log).toEqual([]);
  });

  test.each([
    {
      name: 'that the provider rejects',
      play: (fake: ReturnType<typeof createTask>) =>
        fake.agents.agent.fails({kind: 'resume_rejected', message: 'No conversation found'}),
      reason: 'No conversation found',
    },
  ])('$name is refused with its message; the run stays paused', async ({play, reason}) => {
    const fake = await startTask(resume, begun, [pausedRun()]);
    play(fake);
    expect(await fake.finished).toEqual({outcome: 'refused', run: fake.record(), reason});
    expect(fake.record()).toMatchObject({state: 'paused', provider_session_ref: sessionRef, resumable: true});
    expect(fake.plans.statuses()).toEqual({a: 'in_progress'});
  });

  test('whose agent cannot be started is refused; the run stays paused', async () => {
    const fake = createTask(resume, begun, [pausedRun()]);
    fake.agents.failLaunch(new Error('out of memory'));
    fake.actor.start();
    expect(await fake.finished).toEqual({outcome: 'refused', run: fake.record(), reason: 'out of memory'});
    expect(fake.record()).toMatchObject({state: 'paused', resumable: true});
  });

  test('with answers that the provider rejects leaves the task waiting', async () => {
    const mode = {type: 'resume', answers: [{id: question.id, value: 'red'}], feedback: null} as const;
    const plan = planOf(task('a', {status: 'waiting_user'}));
    const {agents, finished, plans} = await startTask({...input, mode}, plan, [waitingRun()]);
    expect(plans.statuses()).toEqual({a: 'in_progress'});
    agents.agent.fails({kind: 'resume_rejected', message: 'gone'});
    expect(await finished).toMatchObject({outcome: 'refused', reason: 'gone', run: {state: 'waiting'}});
    expect(plans.statuses()).toEqual({a: 'waiting_user'});
  });
});

test('an answer to a run that failed is refused: its questions are closed', async () => {
  const run = restingRun({
    state: 'failed',
    provider_session_ref: sessionRef,
    resumable: true,
    failure: {kind: 'agent_error', message: 'broken'},
  });
  const mode = {type: 'resume', answers: [{id: question.id, value: 'red'}], feedback: null} as const;
  const {finished, runs} = await startTask({...input, mode}, planOf(task('a', {status: 'failed'})), [run]);
  expect(await finished).toMatchObject({outcome: 'error', error: {code: 'E_NOTHING_TO_RESUME'}});
  expect(runs.records('a')).toEqual([run]);
});

describe('an error', () => {
  const error = new Error('the disk is full');

  test('while the run is prepared is the end of the task: no record, no agent', async () => {
    const {finished, log} = await startTask(input, planOf(task('a', {status: 'done'})));
    expect(await finished).toMatchObject({outcome: 'error', error: {code: 'E_TASK_NOT_READY'}});
    expect(log).toEqual([]);
  });

  test('of the run is reported, and the plan is left as it is', async () => {
    const fake = createTask();
    fake.runs.failOn(({phase}) => phase === 'active', error);
    fake.actor.start();
    expect(await fake.finished).toEqual({outcome: 'error', error});
    expect(fake.plans.statuses()).toEqual({a: 'in_progress'});
    expect(fake.agents.alive()).toEqual([]);
  });

  test('of the plan is reported; the run stays as it is recorded', async () => {
    const {agents, finished, plans, record} = await startTask();
    plans.failNextUpdate(error);
    agents.agent.succeeds();
    expect(await finished).toEqual({outcome: 'error', error});
    expect(record()).toMatchObject({state: 'succeeded'});
    expect(plans.statuses()).toEqual({a: 'in_progress'});
  });

  test('before the task is marked leaves a canceled run and no agent', async () => {
    const fake = createTask();
    fake.plans.failNextUpdate(error);
    fake.actor.start();
    expect(await fake.finished).toEqual({outcome: 'error', error});
    expect(fake.log).toEqual(['record a-1 running/launching', 'record a-1 canceled']);
  });
});

describe('refuses to run without', () => {
  test.each([
    {missing: 'prepareRun', names: 'prepareRun'},
    {missing: 'run', names: 'agent'},
    {missing: 'reviewGate', names: 'askDecision'},
    {missing: 'recallDecision', names: 'recallDecision'},
    {missing: 'settleTask', names: 'settleTask'},
    {missing: 'withdrawRun', names: 'withdrawRun'},
  ] as const)('the actor $missing', async ({missing, names}) => {
    const {services, agents} = createFakeServices({plan: ready});
    agents.play = (agent) => agent.succeeds();
    const {[missing]: _, ...actors} = defineEffects(services).task;
    const reviewed = {...input, isReviewed: missing === 'reviewGate', isAttended: true};
    const mode = {type: 'review', decision: null} as const;
    const actor = createActor(taskMachine.provide({actors}), {
      input: missing === 'recallDecision' ? {...input, mode} : reviewed,
    });
    const finished = toPromise(actor);
    actor.start();
    if (missing === 'withdrawRun') actor.send(pause);
    expect(await finished).toEqual({
      outcome: 'error',
      error: new Error(`Actor "${names}" was not provided`),
    });
  });
});

test('every transition is reached', () => {
  const run = restingRun({state: 'succeeded'});
  const prepared = {
    task: task('a'),
    run: runRecord(),
    order: {type: 'run.launch', request: startRequest},
    status: 'todo',
    replaces: null,
  };
  const done = (id: string, output: unknown) => ({type: `xstate.done.actor.${id}`, output});
  const error = (id: string) => ({type: `xstate.error.actor.${id}`, error: 'no'});
  expect(
    unreachedTransitions(taskMachine, {
      inputs: [
        input,
        {...input, mode: {type: 'review', decision: null}},
        {...input, commits: true},
        {...input, mode: {type: 'resume', answers: [], feedback: 'use tabs'}},
      ],
      key: ({context}) => [context.mode.type, context.commits],
      payloads: [
        pause,
        done('prepareRun', prepared),
        done('prepareRun', {...prepared, replaces: pausedRun()}),
        done('replaced', {outcome: 'paused', run: pausedRun()}),
        done('replaced', {outcome: 'error', run: pausedRun(), error: 'no'}),
        done('recallDecision', null),
        done('recallDecision', {task: task('a'), run, undelivered: null}),
        done('recallDecision', {task: task('a'), run, undelivered: 'use tabs'}),
        done('reviewGate', {outcome: 'postponed', run}),
        done('reviewGate', {outcome: 'retried', run}),
        done('reviewGate', {outcome: 'error', run, error: 'no'}),
        done('reviewGate', {outcome: 'decided', run: {...run, decision_state: 'changes_requested'}}),
        done('reviewGate', {outcome: 'decided', run: {...run, decision_state: 'approved_continue'}}),
        done('run', {outcome: 'succeeded', run: {...run, decision_state: 'pending'}}),
        done('run', {outcome: 'succeeded', run}),
        done('run', {outcome: 'withdrawn', run}),
        done('run', {outcome: 'running', run: runRecord({phase: 'verifying'})}),
        done('verification', {outcome: 'concluded', run}),
        done('verification', {outcome: 'concluded', run: {...run, decision_state: 'pending'}}),
        done('verification', {outcome: 'sentBack', run: runRecord(), request: startRequest}),
        done('verification', {outcome: 'error', run, error: 'no'}),
        done('run', {outcome: 'error', run, error: 'no'}),
        done('commitTask', run),
        done('withdrawRun', run),
        ...[
          'prepareRun',
          'replaced',
          'recallDecision',
          'reviewGate',
          'run',
          'verification',
          'commitTask',
          'settleTask',
          'withdrawRun',
          'undoRun',
        ].map(error),
      ],
    }),
  ).toEqual([]);
});
