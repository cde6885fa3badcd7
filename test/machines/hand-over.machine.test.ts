import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {
  defineLookAtPostedActor,
  definePostDecisionActor,
  defineRetractPostedActor,
} from '../../src/machines/actors/hand-over.actor.ts';
import {createEngine, type EngineFact} from '../../src/machines/engine.ts';
import {handOverMachine} from '../../src/machines/hand-over.machine.ts';
import type {Decision} from '../../src/machines/policies/review/decisions.ts';
import {restingRun, sessionRef} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {executeJob, taskJob} from '../helpers/jobs.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {planOf, task} from '../helpers/plans.ts';

const approve: Decision = {state: 'approved_continue'};
const quit: Decision = {state: 'approved_quit'};
const reject: Decision = {state: 'rejected', why: 'Too big.'};
const plan = planOf(task('a', {status: 'in_progress'}));
const run = restingRun({
  state: 'succeeded',
  provider_session_ref: sessionRef,
  resumable: true,
  decision_required: true,
  decision_state: 'pending',
});

/** One terminal waits at the checkpoint of a; the project is locked for every other one. */
async function waitingTerminal() {
  const fake = createFakeServices({plan: planOf(task('a'), task('b', {deps: ['a']}))});
  fake.agents.play = (agent) => {
    agent.opensSession();
    agent.succeeds();
  };
  const engine = createEngine(fake.services);
  const facts: EngineFact[] = [];
  engine.subscribe((fact) => facts.push(fact));
  const finished = engine.start(executeJob({isReviewed: true, isAttended: true}));
  await settle();
  fake.lock.holder = '42';
  const decideElsewhere = (decision: Decision) =>
    createEngine(fake.services).start(taskJob('a', {type: 'review', decision}));
  return {...fake, engine, facts, finished, decideElsewhere};
}

describe('a decision in another terminal', () => {
  test('is taken by the waiting one, which continues with it', async () => {
    const {engine, facts, decideElsewhere, runs, plans} = await waitingTerminal();
    const handed = await decideElsewhere(approve);
    expect(handed).toMatchObject({
      reason: 'completed',
      steps: [],
      left: [],
      handedOver: {run_id: 'a-1', decision_state: 'approved_continue'},
    });
    await settle();
    expect(facts.find(({type}) => type === 'decision.received')).toMatchObject({
      received: {task: {id: 'a'}, posted: {decision: approve}},
    });
    expect(runs.records('a')).toMatchObject([{decision_state: 'approved_continue'}]);
    expect(plans.statuses()).toEqual({a: 'done', b: 'in_progress'});
    expect(engine.openDecisions().map(({task: {id}}) => id)).toEqual(['b']);
  });

  test('includes its text', async () => {
    const {decideElsewhere, runs, finished} = await waitingTerminal();
    await decideElsewhere(reject);
    expect(await finished).toMatchObject({reason: 'failed'});
    expect(runs.records('a')).toMatchObject([{decision_state: 'rejected', decision_feedback: 'Too big.'}]);
  });

  test('that is impossible is refused there, and the waiting one is not affected', async () => {
    const {decideElsewhere, facts, engine} = await waitingTerminal();
    const nothing = {state: 'changes_requested', feedback: ''} as const;
    expect(await decideElsewhere(nothing)).toMatchObject({reason: 'error', error: {code: 'E_NO_INPUT'}});
    expect(facts.map(({type}) => type)).not.toContain('decision.received');
    expect(engine.openDecisions()).toHaveLength(1);
  });

  test('that comes second is told what was decided: one decision counts', async () => {
    const {decideElsewhere, engine, runs} = await waitingTerminal();
    const posted = decideElsewhere(reject);
    engine.decide({runId: 'a-1', decision: quit});
    expect(await posted).toMatchObject({reason: 'error', error: {code: 'E_NO_DECISION'}});
    expect(runs.records('a')).toMatchObject([{decision_state: 'approved_quit'}]);
  });

  test('by two others at once is taken from one; the other is told so', async () => {
    const {decideElsewhere, runs} = await waitingTerminal();
    const results = await Promise.all([decideElsewhere(quit), decideElsewhere(reject)]);
    expect(results.filter(({handedOver}) => handedOver)).toHaveLength(1);
    expect(results.filter(({error}) => error !== undefined)).toMatchObject([
      {error: {code: expect.stringMatching(/^E_(NO_DECISION|REPO_LOCKED)$/)}},
    ]);
    expect(runs.records('a')[0]?.decision_id).toBeDefined();
  });
});

describe('a decision that is not taken', () => {
  const startHandOver = (decision: Decision = approve) => {
    const fake = createFakeServices({plan, runs: [run]});
    const clock = new SimulatedClock();
    const actors = {
      postDecision: definePostDecisionActor(fake.services, () => {}),
      lookAtPosted: defineLookAtPostedActor(fake.services),
      retractPosted: defineRetractPostedActor(fake.services),
    };
    const actor = createActor(handOverMachine.provide({actors}), {input: {taskId: 'a', decision}, clock});
    const finished = toPromise(actor);
    actor.start();
    return {...fake, actor, clock, finished};
  };

  test('is withdrawn after three seconds, and can never be taken any more', async () => {
    const {clock, finished, services, actor} = startHandOver();
    await settle();
    clock.increment(2999);
    await settle();
    expect(actor.getSnapshot().status).toBe('active');
    clock.increment(1);
    expect(await finished).toEqual({outcome: 'unclaimed'});
    const taken: unknown[] = [];
    services.inbox.watch(run, (posted) => taken.push(posted));
    await settle();
    expect(taken).toEqual([]);
  });

  test('is withdrawn at once by a pause', async () => {
    const {actor, finished} = startHandOver();
    await settle();
    actor.send({type: 'handOver.cancel'});
    expect(await finished).toEqual({outcome: 'unclaimed'});
  });

  test('still counts if it was taken right before it was withdrawn', async () => {
    const {actor, clock, finished, runs, services} = startHandOver();
    await settle();
    let id = '';
    services.inbox.watch(run, (posted) => {
      id = posted.id;
    });
    await settle();
    actor.send({type: 'handOver.cancel'});
    await runs.update('a', run.run_id, (before) => ({
      ...before,
      decision_state: 'approved_continue',
      decision_id: id,
    }));
    await settle();
    clock.increment(100);
    expect(await finished).toMatchObject({outcome: 'decided', run: {decision_state: 'approved_continue'}});
  });

  test('reports what was decided in the meantime', async () => {
    const {actor, finished, runs} = startHandOver();
    await settle();
    await runs.update('a', run.run_id, (before) => ({...before, decision_state: 'rejected'}));
    actor.send({type: 'handOver.cancel'});
    expect(await finished).toMatchObject({outcome: 'decidedElsewhere', run: {decision_state: 'rejected'}});
  });

  test('is taken back where somebody else decided first: nobody finds it any more', async () => {
    const {clock, finished, runs, services} = startHandOver();
    await settle();
    await runs.update('a', run.run_id, (before) => ({...before, decision_state: 'rejected'}));
    clock.increment(100);
    expect(await finished).toMatchObject({outcome: 'decidedElsewhere', run: {decision_state: 'rejected'}});
    const found: unknown[] = [];
    services.inbox.watch(run, (posted) => found.push(posted));
    await settle();
    expect(found).toEqual([]);
  });

  test('is dropped when the terminal that took it asks again', async () => {
    const {clock, finished, services} = startHandOver();
    services.inbox.watch(run, () => {});
    await settle();
    clock.increment(100);
    await settle();
    services.inbox.watch(run, () => {});
    clock.increment(100);
    expect(await finished).toEqual({outcome: 'dropped'});
  });

  test('is dropped when the terminal that took it writes nothing for a minute', async () => {
    const {clock, finished, services, actor} = startHandOver();
    services.inbox.watch(run, () => {});
    await settle();
    clock.increment(100);
    await settle();
    clock.increment(59_900);
    await settle();
    expect(actor.getSnapshot().status).toBe('active');
    clock.increment(100);
    expect(await finished).toEqual({outcome: 'dropped'});
  });
});

test('every transition is reached', () => {
  const done = (id: string, output: unknown) => ({type: `xstate.done.actor.${id}`, output});
  const looks = ['lookAtOffer', 'lookBack', 'lookAtTaken'];
  const states = ['open', 'taken', 'dropped', 'decided', 'decidedElsewhere'];
  expect(
    unreachedTransitions(handOverMachine, {
      inputs: [{taskId: 'a', decision: approve}],
      payloads: [
        done('postDecision', {id: 'x'}),
        ...looks.flatMap((id) => states.map((state) => done(id, {state, run}))),
        done('retractPosted', true),
        done('retractPosted', false),
        ...['postDecision', 'retractPosted', ...looks].map((id) => ({
          type: `xstate.error.actor.${id}`,
          error: 'no',
        })),
      ],
    }),
  ).toEqual([]);
});
