import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {type ExecutorInput, executorMachine} from '../../src/machines/executor.machine.ts';
import type {FailureKind} from '../../src/services/contracts/agent.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {defaultRules, defineEffects} from '../fakes/machines.ts';
import {deferred} from '../fakes/memory-run-store.ts';
import {question, restingRun} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {family, now, planOf, task, withStatus} from '../helpers/plans.ts';

const input: ExecutorInput = {...defaultRules, taskIds: []};
const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;
const stopAfterTask = {type: 'executor.stopAfterTask'} as const;

/** b waits for a; c is independent. */
const plan = planOf(task('b', {deps: ['a']}), task('a'), task('c'));

function createExecutor(fields: Partial<ExecutorInput> = {}, tasks: Plan = plan) {
  const fake = createFakeServices({plan: tasks});
  fake.agents.obeys.interrupt = true;
  fake.agents.play = (agent) => agent.succeeds();
  const actor = createActor(executorMachine.provide({actors: defineEffects(fake.services).executor}), {
    clock: new SimulatedClock(),
    input: {...input, ...fields},
  });
  const finished = toPromise(actor);
  return {
    ...fake,
    actor,
    finished,
    launched: () => fake.log.filter((entry) => entry.startsWith('go')),
  };
}
type TestExecutor = ReturnType<typeof createExecutor>;

/** An executor whose first agent runs and waits for the test. */
async function startHanging(fields: Partial<ExecutorInput> = {}) {
  const executor = createExecutor(fields);
  executor.agents.play = () => {};
  executor.actor.start();
  await settle();
  executor.agents.play = (agent) => agent.succeeds();
  return executor;
}

/** An executor that is choosing its first task, and gets the plan when it is released. */
async function startChoosing() {
  const executor = createExecutor();
  // The scans for decisions and parents come before.
  const release = holdRead(executor, 3);
  executor.actor.start();
  await settle();
  expect(executor.actor.getSnapshot().value).toMatchObject({executing: {loop: 'selecting'}});
  return {...executor, release};
}

/** This read of the plan waits until the returned function is called. */
function holdRead({plans}: TestExecutor, place: number) {
  const {promise: held, resolve: release} = deferred();
  const read = plans.read;
  let reads = 0;
  plans.read = async () => {
    if (++reads === place) await held;
    return read();
  };
  return release;
}

const outcomes = ({attempted}: {attempted: ReadonlyArray<{taskId: string; state: string}>}) =>
  attempted.map(({taskId, state}) => `${taskId} ${state}`);

describe('executing', () => {
  test('runs every ready task in plan order, dependencies first, one at a time', async () => {
    const {actor, finished, plans, launched, violations} = createExecutor();
    actor.start();
    expect(await finished).toEqual({
      reason: 'completed',
      attempted: ['a', 'b', 'c'].map((taskId) => ({taskId, state: 'succeeded', resumable: false})),
    });
    expect(launched()).toEqual(['go a-1', 'go b-1', 'go c-1']);
    expect(plans.statuses()).toEqual({a: 'done', b: 'done', c: 'done'});
    expect(violations).toEqual([]);
  });

  test('stops at once when nothing is ready', async () => {
    const {actor, finished, log} = createExecutor({}, planOf(task('a', {status: 'done'})));
    actor.start();
    expect(await finished).toEqual({reason: 'completed', attempted: []});
    expect(log).toEqual([]);
  });

  test('runs only the named tasks', async () => {
    const {actor, finished, plans} = createExecutor({taskIds: ['c', 'b']});
    actor.start();
    expect(outcomes(await finished)).toEqual(['c succeeded']);
    expect(plans.statuses()).toEqual({a: 'todo', b: 'todo', c: 'done'});
  });

  test('never tries a task twice, even when it is made ready again', async () => {
    const executor = createExecutor();
    executor.agents.play = (agent) => {
      agent.fails();
      if (agent.taskId !== 'c') return;
      executor.plans.plan = withStatus(executor.plans.plan, 'a', 'todo');
    };
    executor.actor.start();
    expect(outcomes(await executor.finished)).toEqual(['a failed', 'c failed']);
  });

  test.each([
    {maxTasks: 0, expected: []},
    {maxTasks: 1, expected: ['a succeeded']},
    {maxTasks: 3, expected: ['a succeeded', 'b succeeded', 'c succeeded']},
  ])('stops after at most $maxTasks tasks', async ({maxTasks, expected}) => {
    const {actor, finished} = createExecutor({maxTasks});
    actor.start();
    const output = await finished;
    expect(output.reason).toBe('completed');
    expect(outcomes(output)).toEqual(expected);
  });

  test('respects what was edited in the plan while it runs', async () => {
    const {agents, finished, plans} = await startHanging();
    await plans.update((plan) => planOf(...plan.items.values(), task('d')));
    await plans.update((plan) => withStatus(plan, 'c', 'skipped'));
    agents.agent.succeeds();
    expect(outcomes(await finished)).toEqual(['a succeeded', 'b succeeded', 'd succeeded']);
    expect(plans.statuses()).toEqual({a: 'done', b: 'done', c: 'skipped', d: 'done'});
  });
});

describe('a task with an unreadable record', () => {
  const tasks = planOf(task('a'), task('b', {deps: ['a']}), task('c'), task('d'), task('e'));
  const createBroken = (ids: readonly string[], fields: Partial<ExecutorInput> = {}) => {
    const executor = createExecutor(fields, tasks);
    for (const id of ids) executor.runs.texts.set(id, new Map([[`${id}-1.json`, '{']]));
    return executor;
  };

  test('is left alone, the others run, and the end reports it', async () => {
    const {actor, finished, plans, runs} = createBroken(['a', 'd']);
    actor.start();
    const {reason, attempted, error} = await finished;
    expect([reason, attempted.map(({taskId}) => taskId)]).toEqual(['error', ['c', 'e']]);
    expect(error).toMatchObject({
      code: 'E_STORE_CORRUPT',
      message: 'the run record /runs/a/a-1.json cannot be used',
      details: [['also', 'd']],
    });
    expect(plans.statuses()).toEqual({a: 'todo', b: 'todo', c: 'done', d: 'todo', e: 'done'});
    expect(runs.texts.get('a')?.get('a-1.json')).toBe('{');
  });

  test('does not count towards the maximum of tasks', async () => {
    const {actor, finished} = createBroken(['a'], {maxTasks: 1});
    actor.start();
    expect(outcomes(await finished)).toEqual(['c succeeded']);
  });

  test('does not hide why the plan stopped', async () => {
    const executor = createBroken(['a'], {stopOnFailure: true});
    executor.agents.play = (agent) => agent.fails();
    executor.actor.start();
    expect(await executor.finished).toMatchObject({reason: 'failed', attempted: [{taskId: 'c'}]});
  });
});

describe('a failed task', () => {
  const failing =
    (kind: FailureKind) =>
    (agent: FakeAgent): void =>
      agent.taskId === 'a' ? agent.fails({kind}) : agent.succeeds();

  test.each([
    {kind: 'agent_error', stopOnFailure: false, reason: 'completed', expected: ['a failed', 'c succeeded']},
    {kind: 'stopped', stopOnFailure: false, reason: 'completed', expected: ['a failed', 'c succeeded']},
    {kind: 'agent_error', stopOnFailure: true, reason: 'failed', expected: ['a failed']},
    {kind: 'spawn_failed', stopOnFailure: false, reason: 'failed', expected: ['a failed']},
  ] as const)(
    '($kind, stopOnFailure $stopOnFailure) ends with $reason',
    async ({kind, stopOnFailure, reason, expected}) => {
      const executor = createExecutor({stopOnFailure});
      executor.agents.play = failing(kind);
      executor.actor.start();
      const output = await executor.finished;
      expect(output.reason).toBe(reason);
      expect(outcomes(output)).toEqual(expected);
      expect(executor.plans.statuses()).toMatchObject({a: 'failed', b: 'todo'});
    },
  );

  test('whose agent cannot be started ends the plan', async () => {
    const executor = createExecutor();
    executor.agents.failLaunch(new Error('no such file'));
    executor.actor.start();
    const output = await executor.finished;
    expect(output).toMatchObject({
      reason: 'failed',
      attempted: [{taskId: 'a', failure: {kind: 'spawn_failed', message: 'no such file'}}],
    });
    expect(executor.launched()).toEqual([]);
  });
});

test('a task that asks stops the plan until the user answers', async () => {
  const executor = createExecutor();
  executor.agents.play = (agent) => agent.succeeds(JSON.stringify({blackbird: {questions: [question]}}));
  executor.actor.start();
  const output = await executor.finished;
  expect(output.reason).toBe('waiting_user');
  expect(outcomes(output)).toEqual(['a waiting']);
  expect(executor.plans.statuses()).toEqual({a: 'waiting_user', b: 'todo', c: 'todo'});
});

describe('a pause', () => {
  test('requested before the plan started starts nothing', async () => {
    const {actor, finished, log} = createExecutor();
    actor.start();
    actor.send(pause);
    expect(await finished).toEqual({reason: 'paused', attempted: []});
    expect(log).toEqual([]);
  });

  test('between two tasks stops before the next', async () => {
    const {actor, finished, log, release} = await startChoosing();
    actor.send(pause);
    release();
    expect(await finished).toEqual({reason: 'paused', attempted: []});
    expect(log).toEqual([]);
  });

  test('in the middle of a task pauses it and starts no other', async () => {
    const {actor, finished, launched, runs} = await startHanging();
    actor.send(pause);
    expect(await finished).toEqual({
      reason: 'paused',
      attempted: [{taskId: 'a', state: 'paused', resumable: false}],
    });
    expect(runs.records('a')[0]?.state).toBe('paused');
    expect(launched()).toEqual(['go a-1']);
  });

  test.each([
    {
      name: 'while the agent lingers after its result',
      play: async ({actor, agents}: TestExecutor) => {
        agents.agent.reports({ok: true});
        actor.send(pause);
      },
    },
    {
      name: 'while the outcome is written',
      play: async ({actor, agents, runs}: TestExecutor) => {
        const release = runs.holdOn(({state}) => state === 'succeeded');
        agents.agent.succeeds();
        await settle();
        actor.send(pause);
        release();
      },
    },
    {
      name: 'while the plan is written',
      play: async ({actor, agents, plans}: TestExecutor) => {
        const release = plans.holdNextUpdate();
        agents.agent.succeeds();
        await settle();
        actor.send(pause);
        release();
      },
    },
  ])('that comes too late for a task, $name, still starts no other', async ({play}) => {
    const executor = await startHanging();
    await play(executor);
    const output = await executor.finished;
    expect(output.reason).toBe('paused');
    expect(outcomes(output)).toEqual(['a succeeded']);
    expect(executor.launched()).toEqual(['go a-1']);
    expect(executor.plans.statuses()).toEqual({a: 'done', b: 'todo', c: 'todo'});
  });
});

describe('to stop after the task', () => {
  test('lets the task end and starts no other', async () => {
    const {actor, agents, finished, launched, log} = await startHanging();
    actor.send(stopAfterTask);
    agents.agent.succeeds();
    const output = await finished;
    expect(output.reason).toBe('completed');
    expect(outcomes(output)).toEqual(['a succeeded']);
    expect(launched()).toEqual(['go a-1']);
    expect(log).not.toContain('interrupt a-1');
  });

  test('starts none while the next one is being chosen', async () => {
    const {actor, finished, log, release} = await startChoosing();
    actor.send(stopAfterTask);
    release();
    expect(await finished).toEqual({reason: 'completed', attempted: []});
    expect(log).toEqual([]);
  });
});

describe('an error', () => {
  const error = new Error('the disk is full');

  test('of the plan file stops before the task', async () => {
    const {actor, finished, plans, log} = createExecutor();
    plans.failNextRead(error);
    actor.start();
    expect(await finished).toEqual({reason: 'error', attempted: [], error});
    expect(log).toEqual([]);
  });

  test('of a task stops the plan; what was done before is reported', async () => {
    const executor = createExecutor();
    executor.runs.failOn(({task_id, state}) => task_id === 'b' && state === 'succeeded', error);
    executor.actor.start();
    const output = await executor.finished;
    expect(output).toMatchObject({reason: 'error', error});
    expect(outcomes(output)).toEqual(['a succeeded']);
    expect(executor.launched()).toEqual(['go a-1', 'go b-1']);
  });
});

describe('refuses to run without', () => {
  test.each([
    {missing: 'findDecision', names: 'findDecision'},
    {missing: 'selectTask', names: 'selectTask'},
    {missing: 'task', names: 'prepareRun'},
  ] as const)('the actor $missing', async ({missing, names}) => {
    const {[missing]: _, ...actors} = defineEffects(createFakeServices({plan}).services).executor;
    const actor = createActor(executorMachine.provide({actors}), {input});
    const finished = toPromise(actor);
    actor.start();
    expect(await finished).toEqual({
      reason: 'error',
      attempted: [],
      error: new Error(`Actor "${names}" was not provided`),
    });
  });
});

describe('parents', () => {
  const parents = planOf(family(task('p'), task('a'), task('b')), task('late', {deps: ['p']}));
  const back = JSON.stringify({passed: false, resumeTaskIds: ['a'], feedbackForResume: 'Test it.'});
  /** Every reviewer answers this; all other agents succeed. */
  const answering = (executor: TestExecutor, answer: string) => {
    executor.agents.play = (agent) => agent.succeeds(agent.request.access === 'read-only' ? answer : 'Done.');
    executor.actor.start();
    return executor.finished;
  };

  test('are reviewed between their last child and the next task', async () => {
    const executor = createExecutor({}, parents);
    const output = await answering(executor, '{"passed":true}');
    expect(output).toMatchObject({reason: 'completed', reviews: [{parentId: 'p', verdict: 'passed'}]});
    expect(executor.launched()).toEqual(['go a-1', 'go b-1', 'go p-1', 'go late-1']);
  });

  test('that are sent back stop the plan, and its next execution before anything else', async () => {
    const executor = createExecutor({}, parents);
    const output = await answering(executor, back);
    expect(output).toMatchObject({
      reason: 'parent_review_required',
      reviews: [{parentId: 'p', verdict: 'sentBack'}],
      pending: [{childTaskId: 'a', feedback: 'Test it.'}],
    });
    expect(executor.launched()).toEqual(['go a-1', 'go b-1', 'go p-1']);
  });

  test('whose review has no verdict do not stop it, unless failures do', async () => {
    const free = planOf(...parents.items.values(), task('c'));
    const executor = createExecutor({}, free);
    expect((await answering(executor, 'prose')).reason).toBe('completed');
    expect(executor.launched()).toEqual(['go a-1', 'go b-1', 'go p-1', 'go c-1']);
    const strict = createExecutor({stopOnFailure: true}, free);
    expect((await answering(strict, 'prose')).reason).toBe('failed');
    expect(strict.plans.statuses()).toMatchObject({p: 'todo', c: 'todo'});
  });

  test('are done with their children when reviews are off', async () => {
    const executor = createExecutor({reviewsParents: false}, parents);
    expect((await answering(executor, back)).reason).toBe('completed');
    expect(executor.launched()).toEqual(['go a-1', 'go b-1', 'go late-1']);
    expect(executor.plans.statuses()).toEqual({p: 'done', a: 'done', b: 'done', late: 'done'});
  });

  test('are scanned for once, and never again when no task has one', async () => {
    const flat = createExecutor({}, planOf(...['a', 'b', 'c', 'd'].map((id) => task(id))));
    let looks = 0;
    const list = flat.feedback.list;
    flat.feedback.list = () => {
      looks++;
      return list();
    };
    const read = flat.plans.read;
    let reads = 0;
    flat.plans.read = () => {
      reads++;
      return read();
    };
    await answering(flat, back);
    // One scan for decisions, one for parents, one for each choice, each task and each agent, and the last choice of none.
    expect({looks, reads}).toEqual({looks: 1, reads: 2 + 3 * 4 + 1});
  });

  test('left over are reviewed before the first task, but not when no task may start', async () => {
    const left = planOf(family(task('p'), task('a', {status: 'done'})), task('late', {deps: ['p']}));
    const executor = createExecutor({}, left);
    await answering(executor, back);
    expect(executor.log).toEqual(['plan p done', ...executor.log.slice(1)]);
    expect(executor.launched()).toEqual(['go late-1']);
    const none = createExecutor({maxTasks: 0}, left);
    await answering(none, back);
    expect(none.log).toEqual([]);
  });

  test('get no reviewer after a pause, not even one that came too late for the last child', async () => {
    const executor = createExecutor({}, planOf(family(task('p'), task('a'))));
    executor.agents.play = () => {};
    executor.actor.start();
    await settle();
    const release = executor.runs.holdOn(({state}) => state === 'succeeded');
    executor.agents.agent.succeeds();
    await settle();
    executor.actor.send(pause);
    release();
    expect((await executor.finished).reason).toBe('paused');
    expect(executor.launched()).toEqual(['go a-1']);
    expect(executor.plans.statuses()).toEqual({p: 'todo', a: 'done'});
  });

  test('left over get no reviewer after a pause while a task at its checkpoint was deleted', async () => {
    const open = planOf(family(task('p'), task('a')), task('c', {status: 'in_progress'}));
    const executor = createExecutor({}, withStatus(open, 'a', 'done'));
    await executor.runs.insert(restingRun({task_id: 'a', run_id: 'a-1', state: 'succeeded'}));
    await executor.runs.insert(
      restingRun({task_id: 'c', run_id: 'c-1', state: 'succeeded', decision_state: 'pending'}),
    );
    const release = holdRead(executor, 2);
    executor.agents.play = () => {};
    executor.actor.start();
    await settle();
    expect(executor.actor.getSnapshot().value).toMatchObject({executing: {loop: 'deciding'}});
    executor.actor.send(pause);
    executor.plans.plan = withStatus(planOf(family(task('p'), task('a'))), 'a', 'done');
    release();
    expect((await executor.finished).reason).toBe('paused');
    expect(executor.launched()).toEqual([]);
  });

  test('under review are paused with it', async () => {
    const executor = createExecutor({}, parents);
    executor.agents.play = (agent) => {
      if (agent.request.access === 'edit') agent.succeeds();
    };
    executor.actor.start();
    await eventually(() => expect(executor.launched()).toContain('go p-1'));
    executor.actor.send(pause);
    expect((await executor.finished).reason).toBe('paused');
    expect(executor.runs.records('p')).toMatchObject([{state: 'paused', run_type: 'review'}]);
    expect(executor.launched()).toEqual(['go a-1', 'go b-1', 'go p-1']);
  });
});

test('every transition is reached', () => {
  const run = restingRun({state: 'succeeded'});
  const failed = restingRun({state: 'failed', failure: {kind: 'auth', message: 'no'}});
  const broken = restingRun({state: 'failed', failure: {kind: 'agent_error', message: 'no'}});
  const held = restingRun({state: 'paused', failure: {kind: 'rate_limit', message: 'no'}});
  const wait = {taskId: 'a', runId: null, provider: 'claude', reason: 'usage_limit', until: now};
  const selected = (hasParent: boolean) => ({
    type: 'task',
    task: {taskId: 'a', hasParent, mode: {type: 'execute'}},
  });
  expect(
    unreachedTransitions(executorMachine, {
      inputs: [{...input, retries: 1}],
      payloads: [
        pause,
        {type: 'xstate.done.actor.findDecision', output: 'a'},
        {type: 'xstate.done.actor.findDecision', output: null},
        {type: 'xstate.error.actor.findDecision', error: 'no'},
        {type: 'xstate.done.actor.selectTask', output: selected(true)},
        {type: 'xstate.done.actor.selectTask', output: selected(false)},
        {type: 'xstate.done.actor.selectTask', output: {type: 'none'}},
        {type: 'xstate.done.actor.selectTask', output: {type: 'wait', wait: {...wait, isTooLong: false}}},
        {type: 'xstate.done.actor.selectTask', output: {type: 'wait', wait: {...wait, isTooLong: true}}},
        {type: 'xstate.done.actor.retryWait', output: undefined},
        {type: 'xstate.error.actor.retryWait', error: 'no'},
        {type: 'xstate.done.actor.task', output: {outcome: 'paused', run: held}},
        {type: 'xstate.done.actor.task', output: {outcome: 'failed', run: broken}},
        {type: 'xstate.error.actor.selectTask', error: 'no'},
        {type: 'xstate.done.actor.task', output: {outcome: 'succeeded', run}},
        {type: 'xstate.done.actor.task', output: {outcome: 'paused', run}},
        {type: 'xstate.done.actor.task', output: {outcome: 'waiting', run}},
        {type: 'xstate.done.actor.task', output: {outcome: 'error', error: 'no'}},
        {
          type: 'xstate.done.actor.task',
          output: {outcome: 'error', error: new AppError('E_TASK_NOT_READY', 'no')},
        },
        {type: 'xstate.done.actor.task', output: {outcome: 'failed', run: failed}},
        {type: 'xstate.error.actor.task', error: 'no'},
        {type: 'xstate.done.actor.parentReview', output: {outcome: 'settled', reviews: [], pending: []}},
        {type: 'xstate.done.actor.parentReview', output: {outcome: 'required', reviews: [], pending: []}},
        {type: 'xstate.error.actor.parentReview', error: 'no'},
      ],
      key: ({context}) => context.hasParent,
    }),
  ).toEqual([]);
});
