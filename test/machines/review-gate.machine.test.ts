import {describe, expect, test} from 'vitest';
import {createActor, toPromise} from 'xstate';
import type {Decision} from '../../src/machines/policies/review/decisions.ts';
import {type ReviewGateInput, reviewGateMachine} from '../../src/machines/review-gate.machine.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import {defineEffects} from '../fakes/machines.ts';
import {begun, restingRun, sessionRef} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {now, planOf, task} from '../helpers/plans.ts';

/** A run at its checkpoint, in a session that can be resumed. */
const run = restingRun({
  state: 'succeeded',
  provider_session_ref: sessionRef,
  resumable: true,
  decision_required: true,
  decision_state: 'pending',
  decision_requested_at: begun,
});
const input: ReviewGateInput = {
  task: {id: 'a', title: 'Task a'},
  run,
  decision: null,
  isAttended: true,
  explicitProvider: null,
};
const changes: Decision = {state: 'changes_requested', feedback: 'use tabs'};
const decide = (decision: Decision) => ({type: 'review.decide', decision}) as const;
const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;
const postpone = {type: 'review.postpone'} as const;

async function startGate(fields: Partial<ReviewGateInput> = {}) {
  const given = {...input, ...fields};
  const fake = createFakeServices({plan: planOf(task('a', {status: 'in_progress'})), runs: [given.run]});
  const effects = defineEffects(fake.services);
  const actor = createActor(reviewGateMachine.provide({actors: effects.reviewGate}), {input: given});
  const finished = toPromise(actor);
  actor.start();
  await settle();
  return {
    ...fake,
    openDecisions: effects.openDecisions,
    actor,
    finished,
    record: () => fake.runs.records('a')[0],
  };
}

describe('a decision', () => {
  test.each<{decision: Decision; fields: object}>([
    {decision: {state: 'approved_continue'}, fields: {}},
    {decision: {state: 'approved_quit'}, fields: {}},
    {decision: changes, fields: {decision_feedback: 'use tabs'}},
    {
      decision: {state: 'rejected'},
      fields: {state: 'failed', failure: {kind: 'rejected', message: 'rejected at the checkpoint'}},
    },
    {
      decision: {state: 'rejected', why: 'Too big.'},
      fields: {
        state: 'failed',
        failure: {kind: 'rejected', message: 'rejected at the checkpoint: Too big.'},
        decision_feedback: 'Too big.',
      },
    },
  ])('$decision.state is on disk before the gate is left', async ({decision, fields}) => {
    const {openDecisions, finished, record, log} = await startGate();
    expect(openDecisions.get(run.run_id)?.request).toEqual({
      task: input.task,
      run,
      obstacle: null,
      refusal: undefined,
    });
    openDecisions.get(run.run_id)?.send(decide(decision));
    expect(openDecisions.size).toBe(0);
    const decided = {
      ...run,
      updated_at: now,
      decision_state: decision.state,
      decision_resolved_at: now,
      ...fields,
    };
    expect(await finished).toEqual({outcome: 'decided', run: decided});
    expect(record()).toEqual(decided);
    expect(log).toHaveLength(1);
  });

  test('that was made before is not asked for', async () => {
    const {openDecisions, finished} = await startGate({decision: changes, isAttended: false});
    expect(openDecisions.size).toBe(0);
    expect(await finished).toMatchObject({
      outcome: 'decided',
      run: {decision_state: 'changes_requested', decision_feedback: 'use tabs'},
    });
  });

  test("to reject keeps the run's own failure", async () => {
    const failed = {...run, state: 'failed' as const, failure: {kind: 'agent_error' as const, message: 'no'}};
    const {finished} = await startGate({run: failed, decision: {state: 'rejected'}});
    expect((await finished).run.failure).toEqual({
      kind: 'rejected',
      message: 'rejected at the checkpoint; it had failed: no',
    });
  });
});

test('another run may replace this one: nothing is written about it', async () => {
  const {actor, finished, log} = await startGate();
  actor.send({type: 'review.retry'});
  expect(await finished).toEqual({outcome: 'retried', run});
  expect(log).toEqual([]);
});

describe('an open decision', () => {
  test.each([{command: pause}, {command: postpone}])('by $command.type stays pending', async ({command}) => {
    const {actor, finished, record, log, openDecisions} = await startGate();
    actor.send(command);
    expect(await finished).toEqual({outcome: 'postponed', run});
    expect(record()).toEqual(run);
    expect(log).toEqual([]);
    expect(openDecisions.size).toBe(0);
  });

  test('without a user stays pending, and nothing is asked', async () => {
    const {finished, log} = await startGate({isAttended: false});
    expect(await finished).toEqual({outcome: 'postponed', run});
    expect(log).toEqual([]);
  });

  test('ends when a decision is being written: a pause comes too late', async () => {
    const {actor, runs, finished, openDecisions} = await startGate();
    const release = runs.holdOn(() => true);
    openDecisions.get(run.run_id)?.send(decide({state: 'approved_quit'}));
    await settle();
    expect(actor.getSnapshot().value).toBe('recordingDecision');
    actor.send(pause);
    release();
    expect(await finished).toMatchObject({outcome: 'decided', run: {decision_state: 'approved_quit'}});
  });
});

describe('changes that cannot be requested', () => {
  const noSession = {...run, provider_session_ref: '', resumable: false};
  const refusal = {
    code: 'E_RESUME_REFUSED',
    message: 'cannot resume a: no session ref was captured before it stopped',
    details: [
      ['task', 'a  Task a'],
      ['run', `a-1  succeeded ${begun}`],
      ['provider', 'claude'],
      ['session', '(none)'],
      ['reason', 'no session ref was captured before it stopped'],
      ['words', 'kept; `blackbird restart` passes them on to the new agent'],
    ],
    next: [
      {command: 'blackbird restart a', why: 'start again; the conversation is forgotten'},
      {command: 'blackbird review a', why: 'decide differently; it still waits for you'},
    ],
  };

  test('are refused with the whole diagnosis, and the question stays open', async () => {
    const {openDecisions, finished, record} = await startGate({run: noSession});
    expect(openDecisions.get(run.run_id)?.request.obstacle).toBe(
      'no session ref was captured before it stopped',
    );
    openDecisions.get(run.run_id)?.send(decide(changes));
    await settle();
    expect(openDecisions.get(run.run_id)?.request).toMatchObject({run: noSession, refusal});
    expect(record()).toEqual(noSession);
    openDecisions.get(run.run_id)?.send(decide({state: 'approved_continue'}));
    expect(await finished).toMatchObject({outcome: 'decided', run: {decision_state: 'approved_continue'}});
  });

  test('are an error when no one can be asked again', async () => {
    const {finished, record} = await startGate({run: noSession, decision: changes, isAttended: false});
    expect(await finished).toMatchObject({outcome: 'error', error: refusal});
    expect(record()).toEqual(noSession);
  });

  test.each([
    {name: 'without text', decision: {...changes, feedback: ' \n'}, fields: {}, code: 'E_NO_INPUT'},
    {
      name: 'from another provider',
      decision: changes,
      fields: {explicitProvider: 'codex' as const},
      code: 'E_RESUME_REFUSED',
    },
  ])('$name are refused', async ({decision, fields, code}) => {
    const {finished} = await startGate({decision, isAttended: false, ...fields});
    expect(await finished).toMatchObject({outcome: 'error', error: {code}});
  });

  test('because the agent is gone are refused before anything is recorded', async () => {
    const {agents, openDecisions, record} = await startGate();
    agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'no claude'));
    openDecisions.get(run.run_id)?.send(decide(changes));
    await settle();
    expect(openDecisions.get(run.run_id)?.request.refusal).toMatchObject({code: 'E_AGENT_NOT_FOUND'});
    expect(record()).toEqual(run);
  });
});

test('a pause while a decision is refused leaves the question open and does not ask again', async () => {
  const {openDecisions, actor, agents, finished, record} = await startGate();
  agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'no claude'));
  openDecisions.get(run.run_id)?.send(decide(changes));
  actor.send(pause);
  expect(await finished).toEqual({outcome: 'postponed', run});
  expect(record()).toEqual(run);
  expect(openDecisions.size).toBe(0);
});

test('a failed write is the end: nothing is decided', async () => {
  const {runs, openDecisions, finished, record} = await startGate();
  const error = new Error('the disk is full');
  runs.failOn(() => true, error);
  openDecisions.get(run.run_id)?.send(decide({state: 'approved_continue'}));
  expect(await finished).toEqual({outcome: 'error', run, error});
  expect(record()).toEqual(run);
});

test('an inbox that cannot be watched ends the question with its error', async () => {
  const {services} = createFakeServices({plan: planOf(task('a', {status: 'in_progress'})), runs: [run]});
  const error = new AppError('E_STORE_READ', 'the inbox cannot be read');
  const inbox = {
    ...services.inbox,
    watch: () => {
      throw error;
    },
  };
  const {reviewGate} = defineEffects({...services, inbox});
  const actor = createActor(reviewGateMachine.provide({actors: reviewGate}), {input});
  const finished = toPromise(actor);
  actor.start();
  expect(await finished).toEqual({outcome: 'error', run, error});
});

describe('refuses to run without', () => {
  test.each([
    {missing: 'askDecision', names: 'askDecision'},
    {missing: 'checkDecision', names: 'checkDecision'},
    {missing: 'run', names: 'recordRun'},
  ] as const)('the actor $missing', async ({missing, names}) => {
    const effects = defineEffects(createFakeServices({runs: [run]}).services);
    const {[missing]: _, ...actors} = effects.reviewGate;
    const decision = missing === 'askDecision' ? null : ({state: 'approved_quit'} as const);
    const actor = createActor(reviewGateMachine.provide({actors}), {
      input: {...input, decision, isAttended: decision === null},
    });
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
  expect(
    unreachedTransitions(reviewGateMachine, {
      inputs: [input, {...input, isAttended: false}, {...input, decision: changes, isAttended: false}],
      payloads: [
        decide(changes),
        pause,
        {type: 'xstate.error.actor.askDecision', error: 'no'},
        {type: 'xstate.error.actor.checkDecision', error: 'no'},
        {type: 'xstate.done.actor.decidedRun', output: {outcome: 'succeeded', run}},
        {type: 'xstate.done.actor.decidedRun', output: {outcome: 'error', run, error: 'no'}},
        {type: 'xstate.error.actor.decidedRun', error: 'no'},
      ],
      key: ({context}) => context.isAttended,
    }),
  ).toEqual([]);
});
