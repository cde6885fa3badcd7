import {describe, expect, test} from 'vitest';
import {createRunComments} from '../../src/machines/actors/run-comments.ts';
import {withdrawApproval} from '../../src/machines/actors/withdraw-approval.ts';
import {createEngine, type Engine, type EngineFact} from '../../src/machines/engine.ts';
import type {Job} from '../../src/machines/policies/job/job-steps.ts';
import type {Decision} from '../../src/machines/policies/review/decisions.ts';
import {feedbackPrompt} from '../../src/machines/policies/run/agent-prompt.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {lineComment} from '../fakes/memory-comment-store.ts';
import {pausedRun, question, restingRun, sessionRef} from '../fakes/runs.ts';
import {crashable, createFakeServices, settle} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {family, now, planOf, task} from '../helpers/plans.ts';

const execute = (fields: Parameters<typeof executeJob>[0] = {}): Job =>
  executeJob({isReviewed: true, isAttended: true, ...fields});
const review = (decision: Decision | null, isAttended = false): Job =>
  taskJob('a', {type: 'review', decision}, {isAttended});
const resume = (feedback: string | null = null): Job => taskJob('a', {type: 'resume', answers: [], feedback});

const approve: Decision = {state: 'approved_continue'};
const quit: Decision = {state: 'approved_quit'};
const changes: Decision = {state: 'changes_requested', feedback: 'use tabs'};
const reject: Decision = {state: 'rejected'};

/** b waits for a. */
const plan = planOf(task('a'), task('b', {deps: ['a']}));
const begunPlan = planOf(task('a', {status: 'in_progress'}), task('b', {deps: ['a']}));

/** At a checkpoint without a decision. */
const pendingRun = (fields: Partial<RunRecord> = {}) =>
  restingRun({
    state: 'succeeded',
    provider_session_ref: sessionRef,
    resumable: true,
    decision_required: true,
    decision_state: 'pending',
    ...fields,
  });

/** Answers in turn, then leaves the question open. */
function answering(engine: Engine, ...decisions: readonly Decision[]) {
  const asked: string[] = [];
  const rest = [...decisions];
  engine.subscribe((fact) => {
    if (fact.type !== 'decision.required') return;
    const {run_id: runId} = fact.request.run;
    asked.push(runId);
    const decision = rest.shift();
    setImmediate(() => (decision ? engine.decide({runId, decision}) : engine.postpone(runId)));
  });
  return asked;
}

function openProject(options: Parameters<typeof createFakeServices>[0] = {plan}) {
  const fake = createFakeServices(options);
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.agents.play = (agent) => {
    agent.opensSession();
    agent.succeeds();
  };
  const engine = createEngine(fake.services);
  const facts: EngineFact[] = [];
  engine.subscribe((fact) => facts.push(fact));
  return {...fake, engine, facts, gone: () => fake.log.filter((entry) => entry.startsWith('go '))};
}

describe('a checkpoint', () => {
  test('keeps the next task from starting, and the plan from saying done, until a decision is stored', async () => {
    const {engine, facts, gone, plans, runs, time} = openProject();
    time.now = '2026-02-02T03:00:00.000Z';
    const finished = startJob(engine, execute());
    await settle();
    expect(facts.at(-1)).toMatchObject({
      type: 'decision.required',
      request: {task: {id: 'a', title: 'Task a'}, run: {run_id: 'a-1'}, obstacle: null},
    });
    expect(engine.openDecisions()).toMatchObject([{run: {run_id: 'a-1', decision_state: 'pending'}}]);
    expect(runs.records('a')).toMatchObject([
      {state: 'succeeded', decision_required: true, decision_requested_at: time.now},
    ]);
    expect(gone()).toEqual(['go a-1']);
    expect(plans.statuses()).toEqual({a: 'in_progress', b: 'todo'});

    const release = runs.holdOn(({decision_state}) => decision_state === 'approved_continue');
    engine.decide({runId: 'a-1', decision: approve});
    await settle();
    expect(gone()).toEqual(['go a-1']);
    release();
    await settle();
    expect(gone()).toEqual(['go a-1', 'go b-1']);
    expect(plans.statuses()).toEqual({a: 'done', b: 'in_progress'});
    engine.decide({runId: 'b-1', decision: approve});
    expect(await finished).toMatchObject({output: {reason: 'completed'}});
    expect(engine.openDecisions()).toEqual([]);
  });

  test('is in the same write as the end of the run', async () => {
    const {engine, log} = openProject();
    await startJob(engine, execute({isAttended: false}));
    expect(log.filter((entry) => entry === 'record a-1 succeeded session-1')).toHaveLength(1);
  });

  test.each([
    {name: 'succeeded', act: 'succeeds' as const, status: 'done'},
    {name: 'failed', act: 'fails' as const, status: 'failed'},
  ])('follows a run that $name; approved, the plan says $status', async ({act, status}) => {
    const {engine, agents, plans} = openProject({plan: planOf(task('a'))});
    agents.play = (agent) => agent[act]();
    const asked = answering(engine, approve);
    await startJob(engine, execute());
    expect(asked).toEqual(['a-1']);
    expect(plans.statuses()).toEqual({a: status});
  });

  test('does not follow a pause or a question', async () => {
    const {engine, agents, runs} = openProject({plan: planOf(task('a'), task('c'))});
    const asked = answering(engine, approve);
    agents.play = (agent) =>
      agent.taskId === 'a'
        ? agent.succeeds(JSON.stringify({blackbird: {questions: [question]}}))
        : agent.opensSession();
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'waiting_user'}});
    const finished = startJob(engine, execute());
    await settle();
    engine.pause('user_interrupt');
    expect(await finished).toMatchObject({output: {reason: 'paused'}});
    expect(asked).toEqual([]);
    for (const id of ['a', 'c']) expect(runs.records(id)[0]).not.toHaveProperty('decision_state');
  });

  test('follows a run that was paused before it, and one that is resumed with --review', async () => {
    for (const [run, isReviewed] of [
      [pausedRun({decision_required: true}), undefined],
      [pausedRun(), true],
    ] as const) {
      const {engine, runs} = openProject({plan: begunPlan, runs: [run]});
      const fields = isReviewed === undefined ? {} : {isReviewed};
      const mode = {type: 'resume', answers: [], feedback: null} as const;
      expect(await startJob(engine, taskJob('a', mode, fields))).toMatchObject({
        output: {outcome: 'decision_required'},
      });
      expect(runs.records('a')).toMatchObject([{decision_state: 'pending'}]);
    }
  });

  test('does not follow with --no-review, even when the run started with it', async () => {
    const {engine, plans} = openProject({plan: begunPlan, runs: [pausedRun({decision_required: true})]});
    const mode = {type: 'resume', answers: [], feedback: null} as const;
    expect(await startJob(engine, taskJob('a', mode, {isReviewed: false}))).toMatchObject({
      output: {outcome: 'succeeded'},
    });
    expect(plans.statuses().a).toBe('done');
  });

  test('without a user stops the plan with the question open', async () => {
    const {engine, facts, gone, runs} = openProject();
    expect(await startJob(engine, execute({isAttended: false}))).toMatchObject({
      output: {reason: 'decision_required', attempted: [{taskId: 'a', decision_state: 'pending'}]},
    });
    expect(facts.map(({type}) => type)).not.toContain('decision.required');
    expect(gone()).toEqual(['go a-1']);
    expect(runs.records('a')).toMatchObject([{decision_state: 'pending'}]);
  });

  test.each([
    {name: 'a pause', leave: (engine: Engine) => engine.pause('terminated')},
    {name: 'postponing it', leave: (engine: Engine) => engine.postpone('a-1')},
  ])('is left open by $name', async ({leave}) => {
    const {engine, runs, plans} = openProject();
    const finished = startJob(engine, execute());
    await settle();
    leave(engine);
    expect(await finished).toMatchObject({output: {reason: 'decision_required'}});
    expect(runs.records('a')).toMatchObject([{decision_state: 'pending'}]);
    expect(plans.statuses()).toEqual({a: 'in_progress', b: 'todo'});
    expect(engine.isBusy()).toBe(false);
  });

  test('is not asked about after a pause that came too late for the run', async () => {
    const {engine, runs, agents, facts} = openProject();
    agents.play = () => {};
    const finished = startJob(engine, execute());
    await settle();
    const release = runs.holdOn(({state}) => state === 'succeeded');
    agents.agent.succeeds();
    await settle();
    engine.pause('user_interrupt');
    release();
    expect(await finished).toMatchObject({output: {reason: 'decision_required'}});
    expect(facts.map(({type}) => type)).not.toContain('decision.required');
  });

  test('refuses answers to a question that was not asked', async () => {
    const {engine} = openProject();
    expect(() => engine.decide({runId: 'a-1', decision: approve})).toThrow(
      expect.objectContaining({code: 'E_NO_DECISION'}),
    );
    const finished = startJob(engine, execute());
    await settle();
    expect(() => engine.postpone('b-1')).toThrow(expect.objectContaining({code: 'E_NO_DECISION'}));
    engine.decide({runId: 'a-1', decision: quit});
    expect(() => engine.decide({runId: 'a-1', decision: reject})).toThrow(
      expect.objectContaining({code: 'E_NO_DECISION'}),
    );
    expect(await finished).toMatchObject({output: {reason: 'completed'}});
  });
});

describe('the outcome', () => {
  test('approve and quit ends the plan; the next execute continues', async () => {
    const {engine, plans, gone} = openProject();
    const asked = answering(engine, quit, approve);
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'completed'}});
    expect(plans.statuses()).toEqual({a: 'done', b: 'todo'});
    await startJob(engine, execute());
    expect(asked).toEqual(['a-1', 'b-1']);
    expect(gone()).toEqual(['go a-1', 'go b-1']);
  });

  test('reject fails run and task and stops the plan, with or without other ready tasks', async () => {
    const {engine, plans, runs, gone} = openProject({plan: planOf(task('a'), task('c'))});
    answering(engine, reject);
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'failed'}});
    expect(runs.records('a')).toMatchObject([
      {state: 'failed', failure: {kind: 'rejected'}, decision_state: 'rejected'},
    ]);
    expect(plans.statuses()).toEqual({a: 'failed', c: 'todo'});
    expect(gone()).toEqual(['go a-1']);
  });

  test('the next attempt is told of a rejection, by retry, restart or resume', async () => {
    const rejected = pendingRun({
      state: 'failed',
      decision_state: 'rejected',
      decision_feedback: 'Too big.\nSplit it.',
      failure: {kind: 'rejected', message: 'rejected at the checkpoint: Too big.'},
    });
    const reasons = '# Rejected before\n';
    const ready = openProject({plan: planOf(task('a')), runs: [rejected]});
    await startJob(ready.engine, executeJob({}));
    expect(ready.agents.agents[0]?.request.prompt).toContain(reasons);
    expect(ready.agents.agents[0]?.request.prompt).toContain('\n- Too big.\n  Split it.');
    for (const job of [taskJob('a', {type: 'restart'}), resume()]) {
      const failed = openProject({plan: planOf(task('a', {status: 'failed'})), runs: [rejected]});
      await startJob(failed.engine, job);
      expect(failed.agents.agents[0]?.request.prompt).toMatch(/Too big\.\n *Split it\./);
    }
  });

  test('retry after a failure starts a new run, which ends at a checkpoint again', async () => {
    const {engine, agents, runs, gone} = openProject({plan: planOf(task('a'))});
    agents.play = (agent) => {
      agent.opensSession();
      if (agent.runId === 'a-1') agent.fails();
      else agent.succeeds();
    };
    engine.subscribe((fact) => {
      if (fact.type !== 'decision.required') return;
      const {run_id: runId, state} = fact.request.run;
      const decision = state === 'failed' ? ({state: 'retry'} as const) : quit;
      setImmediate(() => engine.decide({runId, decision}));
    });
    await startJob(engine, execute());
    expect(gone()).toEqual(['go a-1', 'go a-2']);
    expect(runs.records('a')).toMatchObject([
      {state: 'failed', decision_state: 'pending', superseded_by_run_id: 'a-2'},
      {state: 'succeeded', decision_state: 'approved_quit', restart_of_run_id: 'a-1'},
    ]);
  });

  test.each(['succeeds', 'fails'] as const)(
    'request changes on a run that %s continues in its session, and the checkpoint comes again',
    async (act) => {
      const {engine, plans, runs, agents, changes: files} = openProject({plan: planOf(task('a'))});
      files.tree = 'before';
      agents.play = (agent) => {
        files.tree = agent.runId;
        agent.opensSession();
        if (agent.runId === 'a-1') agent[act]();
        else agent.succeeds();
      };
      const asked = answering(engine, changes, changes, approve);
      expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'completed'}});
      expect(asked).toEqual(['a-1', 'a-2', 'a-3']);
      expect(agents.agents.map(({request}) => [request.kind, request.sessionRef])).toEqual([
        ['start', null],
        ['resume', 'session-1'],
        ['resume', 'session-1'],
      ]);
      expect(agents.agents[1]?.request.prompt).toBe(feedbackPrompt('use tabs', ['before-a-1']));
      expect(runs.records('a')).toMatchObject([
        {decision_state: 'changes_requested', decision_feedback: 'use tabs'},
        {resumed_from_run_id: 'a-1', decision_state: 'changes_requested', baseline_tree: 'a-1'},
        {resumed_from_run_id: 'a-2', decision_state: 'approved_continue', state: 'succeeded'},
      ]);
      expect(plans.statuses()).toEqual({a: 'done'});
    },
  );

  test('request changes includes the comments, and a run that was not delivered returns them', async () => {
    const {engine, agents, runs, services, time} = openProject({plan: begunPlan, runs: [pendingRun()]});
    await services.comments.save(lineComment());
    await services.comments.save(lineComment({id: 'c2', line: 9, side: 'old', text: 'Keep\nthis.'}));
    const said = 'use tabs\n\nComments on lines of the change:\n- src/a.ts:3: Why twice?\n';
    const feedback = `${said}- src/a.ts:9 (before the change): Keep\n  this.`;
    agents.play = (agent) => {
      time.now = `2026-02-02T03:00:0${agents.agents.length}.000Z`;
      if (agent.runId === 'a-2') agent.fails({kind: 'resume_rejected', message: 'gone'});
      else agent.succeeds();
    };
    const comments = createRunComments(services);
    const sent = async () =>
      (await comments.list({task_id: 'a', run_id: 'a-1'})).map(({sentWith}) => sentWith);
    await startJob(engine, review(changes));
    expect(await sent()).toEqual([null, null]);
    await startJob(engine, review({state: 'changes_requested', feedback: ''}));
    expect(await sent()).toEqual(['a-3', 'a-3']);
    expect(runs.records('a')).toMatchObject([
      {decision_comment_ids: ['c1', 'c2'], decision_feedback: feedback.replace('use tabs\n\n', '')},
      {feedback, comment_ids: ['c1', 'c2']},
      {feedback: feedback.replace('use tabs\n\n', ''), comment_ids: ['c1', 'c2']},
    ]);
    expect(agents.agents[0]?.request.prompt).toContain(feedback);
    await expect(comments.edit({task_id: 'a', run_id: 'a-1'}, 'c1', 'no')).rejects.toMatchObject({
      code: 'E_COMMENT_SENT',
    });
  });

  test('empty requested changes are refused, and the question stays open', async () => {
    const {engine, runs} = openProject({plan: begunPlan, runs: [pendingRun()]});
    const nothing = {state: 'changes_requested', feedback: ' '} as const;
    expect(await startJob(engine, review(nothing))).toMatchObject({output: {error: {code: 'E_NO_INPUT'}}});
    expect(runs.records('a')).toEqual([pendingRun()]);
  });

  test('request changes without a session is refused, and the question stays open', async () => {
    const {engine, agents, facts, runs, gone} = openProject({plan: planOf(task('a'))});
    agents.play = (agent) => agent.succeeds();
    const asked = answering(engine, changes, approve);
    await startJob(engine, execute());
    expect(asked).toEqual(['a-1', 'a-1']);
    const requests = facts.flatMap((fact) => (fact.type === 'decision.required' ? [fact.request] : []));
    expect(requests).toMatchObject([
      {obstacle: 'no session ref was captured before it stopped', refusal: undefined},
      {
        refusal: {
          code: 'E_RESUME_REFUSED',
          next: [{command: 'blackbird restart a'}, {command: 'blackbird review a'}],
        },
      },
    ]);
    expect(gone()).toEqual(['go a-1']);
    expect(runs.records('a')).toMatchObject([{decision_state: 'approved_continue'}]);
  });

  test('request changes that the provider refuses stops with its message, and is asked again', async () => {
    const {engine, agents, runs, plans, time} = openProject({plan: planOf(task('a'), task('c'))});
    agents.play = (agent) => {
      time.now = `2026-02-02T03:00:0${agents.agents.length}.000Z`;
      if (agent.request.kind === 'resume') {
        agent.fails({kind: 'resume_rejected', message: 'No conversation found'});
        return;
      }
      agent.opensSession();
      agent.succeeds();
    };
    const asked = answering(engine, changes, changes, approve);
    for (let round = 0; round < 2; round++) {
      expect(await startJob(engine, execute())).toMatchObject({
        output: {reason: 'error', error: {code: 'E_RESUME_REJECTED'}},
      });
      expect(plans.statuses()).toEqual({a: 'in_progress', c: 'todo'});
    }
    await startJob(engine, execute({isReviewed: false}));
    expect(asked).toEqual(['a-1', 'a-1', 'a-1']);
    expect(
      runs.records('a').map(({run_id, state, decision_state}) => [run_id, state, decision_state]),
    ).toEqual([
      ['a-1', 'succeeded', 'approved_continue'],
      ['a-2', 'failed', undefined],
      ['a-3', 'failed', undefined],
    ]);
    expect(plans.statuses()).toEqual({a: 'done', c: 'done'});
  });

  test('a failure that others would repeat still ends the plan once it is approved', async () => {
    const {engine, agents, gone} = openProject({plan: planOf(task('a'), task('c'))});
    agents.failLaunch(new Error('no such program'));
    answering(engine, approve, approve);
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'failed'}});
    expect(gone()).toEqual([]);
  });
});

describe('a question that was left open', () => {
  const left = (run = pendingRun()) => openProject({plan: begunPlan, runs: [run]});

  test('comes before anything else, whatever the command, and does not count as a task', async () => {
    const {engine, plans, gone} = left();
    const asked = answering(engine, approve);
    await startJob(engine, execute({isReviewed: false, taskIds: ['b'], maxTasks: 1}));
    expect(asked).toEqual(['a-1']);
    expect(gone()).toEqual(['go b-1']);
    expect(plans.statuses()).toEqual({a: 'done', b: 'done'});
  });

  test('stops an unattended execution before any task', async () => {
    const {engine, log} = left();
    expect(await startJob(engine, execute({isAttended: false, isReviewed: false}))).toMatchObject({
      output: {reason: 'decision_required', attempted: [{taskId: 'a'}]},
    });
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('is one of several: all come first, in plan order', async () => {
    const {engine, gone} = openProject({
      plan: planOf(task('c', {status: 'in_progress'}), task('a', {status: 'in_progress'}), task('z')),
      runs: [pendingRun(), pendingRun({run_id: 'c-1', task_id: 'c'})],
    });
    const asked = answering(engine, approve, approve, approve);
    await startJob(engine, execute());
    expect(asked).toEqual(['c-1', 'a-1', 'z-1']);
    expect(gone()).toEqual(['go z-1']);
  });

  test.each([
    {decision: quit, outcome: 'succeeded', status: 'done'},
    {decision: reject, outcome: 'failed', status: 'failed'},
    {decision: changes, outcome: 'decision_required', status: 'in_progress'},
  ])('is answered by a review alone: $decision.state', async ({decision, outcome, status}) => {
    const {engine, plans} = left();
    expect(await startJob(engine, review(decision))).toMatchObject({output: {outcome}});
    expect(plans.statuses()).toEqual({a: status, b: 'todo'});
  });

  test('is approved by a review: the plan continues, with checkpoints as before', async () => {
    const {engine, plans, runs} = left();
    expect(await engine.start(review(approve))).toMatchObject({
      reason: 'decision_required',
      steps: [
        {type: 'task', output: {outcome: 'succeeded'}},
        {type: 'execute', output: {reason: 'decision_required', attempted: [{taskId: 'b'}]}},
      ],
    });
    expect(plans.statuses()).toEqual({a: 'done', b: 'in_progress'});
    expect(runs.records('b')).toMatchObject([{decision_state: 'pending'}]);
  });

  test('that the task itself made necessary adds no others, also after changes were requested', async () => {
    const {engine, plans, runs} = left(pendingRun({decision_forced: true}));
    await engine.start(review(changes));
    expect(runs.records('a').at(-1)).toMatchObject({decision_forced: true, decision_state: 'pending'});
    expect(await engine.start(review(approve))).toMatchObject({reason: 'completed'});
    expect(plans.statuses()).toEqual({a: 'done', b: 'done'});
  });

  test('that the task itself made necessary adds no others after a retry', async () => {
    const {engine, runs} = left(pendingRun({decision_forced: true}));
    await engine.start(taskJob('a', {type: 'restart', isReviewed: true}, {isAttended: false}));
    expect(runs.records('a').at(-1)).toMatchObject({decision_forced: true, decision_state: 'pending'});
    expect(await engine.start(review(approve))).toMatchObject({reason: 'completed'});
  });

  test.each([
    {
      name: 'a new run with requested changes',
      run: pendingRun({decision_forced: true}),
      mode: {type: 'review', decision: changes} as const,
    },
    {
      name: 'a paused run',
      run: pausedRun({decision_required: true, decision_forced: true}),
      mode: {type: 'resume', answers: [], feedback: null} as const,
    },
  ])('that the task itself made necessary is one of all with --review: $name', async ({run, mode}) => {
    const {engine, plans, runs} = left(run);
    await engine.start(taskJob('a', mode, {isReviewed: true, isAttended: false}));
    expect(runs.records('a').at(-1)).toMatchObject({decision_state: 'pending'});
    expect(runs.records('a').at(-1)).not.toHaveProperty('decision_forced');
    expect(await engine.start(review(approve))).toMatchObject({reason: 'decision_required'});
    expect(plans.statuses()).toEqual({a: 'done', b: 'in_progress'});
  });

  test('is asked by a review without a decision', async () => {
    const {engine, plans} = left();
    answering(engine, changes, quit);
    expect(await startJob(engine, review(null, true))).toMatchObject({output: {outcome: 'succeeded'}});
    expect(plans.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('stays open when the changes of a review cannot be requested', async () => {
    const run = pendingRun({provider_session_ref: '', resumable: false});
    const {engine, runs} = left(run);
    expect(await startJob(engine, review(changes))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_RESUME_REFUSED'}},
    });
    expect(runs.records('a')).toEqual([run]);
  });

  test.each(['no session', 'no agent'])(
    'keeps the changes that were refused with %s for a restart',
    async (why) => {
      const run = pendingRun(why === 'no session' ? {provider_session_ref: '', resumable: false} : {});
      const {engine, agents} = left(run);
      if (why === 'no agent') agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'no claude'));
      expect(await startJob(engine, review(changes))).toMatchObject({
        output: {outcome: 'error', error: {details: expect.arrayContaining([['words', expect.any(String)]])}},
      });
      agents.failCheck(undefined);
      await startJob(engine, taskJob('a', {type: 'restart'}));
      expect(agents.agents.at(-1)?.request.prompt).toContain('# Requested changes\nuse tabs');
    },
  );

  test('is answered by feedback: the decision is on disk before its run starts', async () => {
    const {engine, runs, log} = left();
    await startJob(engine, resume('use tabs'));
    expect(log.slice(1, 3)).toEqual([
      'record a-1 succeeded session-1',
      'record a-2 running/launching session-1',
    ]);
    expect(runs.records('a')).toMatchObject([
      {decision_state: 'changes_requested', decision_feedback: 'use tabs'},
      {decision_state: 'pending', resumed_from_run_id: 'a-1'},
    ]);
  });

  test('is no reason to resume', async () => {
    const {engine} = left();
    expect(await startJob(engine, resume())).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_DECISION_PENDING'}},
    });
  });

  test('is passed by a restart, whose run has its own', async () => {
    const {engine, runs, plans} = left();
    await startJob(engine, taskJob('a', {type: 'restart'}, {isAttended: false}));
    expect(runs.records('a')).toMatchObject([
      {superseded_by_run_id: 'a-2', decision_state: 'pending'},
      {state: 'succeeded', decision_state: 'pending'},
    ]);
    await startJob(engine, review(quit));
    expect(plans.statuses().a).toBe('done');
    expect(await startJob(engine, review(approve))).toMatchObject({output: {error: {code: 'E_NO_DECISION'}}});
  });

  test.each([
    {name: 'was deleted', now: planOf(task('b'))},
    {name: 'was set to done in the file', now: planOf(task('a', {status: 'done'}), task('b', {deps: ['a']}))},
  ])('is not asked when the task $name', async ({now: changed}) => {
    const {engine} = openProject({plan: changed, runs: [pendingRun()]});
    const asked = answering(engine, approve);
    await startJob(engine, execute({isReviewed: false}));
    expect(asked).toEqual([]);
  });
});

describe('Blackbird dies at any step', () => {
  const steps = 40;

  /** A first Blackbird dies after this many steps; others follow until the plan has ended. */
  async function dieAfter(step: number, first: Decision) {
    const fake = createFakeServices({plan});
    fake.agents.obeys = {interrupt: true, kill: true};
    fake.agents.play = (agent) => {
      agent.opensSession();
      agent.succeeds();
    };
    let taken = 0;
    let die = () => {};
    const push = fake.log.push.bind(fake.log);
    fake.log.push = (...entries) => {
      const length = push(...entries);
      taken += 1;
      fake.time.now = new Date(Date.UTC(2026, 1, 2, 3) + taken).toISOString();
      // Before the result of the step is seen.
      if (taken === step) queueMicrotask(() => die());
      return length;
    };
    /** Asked about a run although its decision was on disk. */
    const askedTwice: string[] = [];
    const open = () => {
      const blackbird = crashable(fake);
      const engine = createEngine(blackbird.services);
      engine.subscribe((fact) => {
        if (fact.type !== 'decision.required') return;
        const {run_id: runId, task_id} = fact.request.run;
        const stored = fake.runs.records(task_id).find(({run_id}) => run_id === runId);
        if (stored?.decision_state !== 'pending') askedTwice.push(runId);
        const isFirst = task_id === 'a' && fake.runs.records('a').every(({decision_resolved_at: at}) => !at);
        setImmediate(() => {
          if (engine.openDecisions().some(({run}) => run.run_id === runId))
            engine.decide({runId, decision: isFirst ? first : approve});
        });
      });
      return {engine, die: () => blackbird.die({hasGuardian: true})};
    };
    const blackbird = open();
    let isDead = false;
    die = () => {
      isDead = true;
      blackbird.die();
    };
    let isOver = false;
    startJob(blackbird.engine, execute()).then(() => {
      isOver = true;
      die = () => {};
    });
    while (!isDead && !isOver) await settle();
    for (let round = 0; round < 4; round++) {
      const {engine} = open();
      await startJob(engine, execute());
      const paused = ['a', 'b'].find((id) => fake.runs.records(id).at(-1)?.state === 'paused');
      if (paused === undefined) continue;
      // Like a user: continues if possible, and starts again otherwise.
      const mode = fake.runs.records(paused).at(-1)?.resumable
        ? ({type: 'resume', answers: [], feedback: null} as const)
        : ({type: 'restart'} as const);
      await startJob(engine, taskJob(paused, mode, {isReviewed: true, isAttended: true}));
    }
    return {...fake, askedTwice, isOver};
  }

  test.each([
    {first: approve, a: 'done', b: 'done', states: ['approved_continue']},
    {first: quit, a: 'done', b: 'done', states: ['approved_quit']},
    {first: changes, a: 'done', b: 'done', states: ['changes_requested', 'approved_continue']},
    {first: reject, a: 'failed', b: 'todo', states: ['rejected']},
  ])('$first.state is kept and happens once', async ({first, a, b, states}) => {
    const lasted: boolean[] = [];
    for (let step = 1; step <= steps; step++) {
      const {runs, plans, violations, askedTwice, isOver, agents} = await dieAfter(step, first);
      // Runs that never started or lost their session were not decided.
      const decisions = runs.records('a').flatMap(({decision_state}) => decision_state ?? []);
      const alive = agents.alive();
      expect({step, statuses: plans.statuses(), decisions, askedTwice, violations, alive}).toEqual({
        step,
        statuses: {a, b},
        decisions: states,
        askedTwice: [],
        violations: [],
        alive: [],
      });
      lasted.push(isOver);
    }
    // The steps cover everything from the start to past the end.
    expect(lasted.at(0)).toBe(false);
    expect(lasted.at(-1)).toBe(true);
  });
});

describe('an unreadable record', () => {
  const unreadable = {
    broken: '{',
    'of a newer Blackbird': JSON.stringify({...pendingRun(), schema_version: 99}),
  };
  const refusal = {
    code: 'E_STORE_CORRUPT',
    message: expect.stringMatching(
      /^cannot tell whether a needs a decision: its run record \/runs\/a\/a-1\.json cannot be used: /,
    ),
    details: [
      ['file', '/runs/a/a-1.json'],
      ['reason', expect.any(String)],
      ['task', 'a'],
    ],
    next: [
      {command: 'mv /runs/a/a-1.json /runs/a/a-1.json.broken', why: expect.any(String)},
      {command: 'blackbird set-status a done', why: expect.any(String)},
    ],
  };
  const given = planOf(task('a', {status: 'in_progress'}), task('z'));
  const openBroken = (text: string, plan = given) => {
    const project = openProject({plan});
    project.runs.texts.set('a', new Map([['a-1.json', text]]));
    return project;
  };

  test.each(Object.entries(unreadable))('%s of a task in progress stops the plan', async (_, text) => {
    const project = openBroken(text);
    expect(await startJob(project.engine, execute({isReviewed: false}))).toMatchObject({
      output: {reason: 'error', attempted: [], error: refusal},
    });
    expect(project.log.filter((entry) => entry.startsWith('go '))).toEqual([]);
    expect(project.runs.texts.get('a')?.get('a-1.json')).toBe(text);
    expect(project.plans.statuses()).toEqual({a: 'in_progress', z: 'todo'});
  });

  test('decides nothing, and an older one does not replace it', async () => {
    const project = openBroken('{');
    const older = pendingRun({run_id: 'a-0', attempt: 1});
    project.runs.texts.get('a')?.set('a-0.json', JSON.stringify(older));
    const {next: _, ...rest} = refusal;
    expect(await startJob(project.engine, review(approve))).toMatchObject({
      output: {outcome: 'error', error: rest},
    });
    expect(project.runs.records('a')).toEqual([older]);
    expect(project.plans.statuses()).toEqual({a: 'in_progress', z: 'todo'});
  });

  test.each(['pending', 'changes_requested'] as const)(
    'is moved away: then the previous run, which is %s, is decided, or the task restarted',
    async (decision_state) => {
      const {engine, runs} = openProject({plan: given, runs: [pendingRun({decision_state})]});
      runs.texts.get('a')?.set('a-2.json', '{');
      const next = [
        'mv /runs/a/a-2.json /runs/a/a-2.json.broken',
        ...['blackbird review a --approve', 'blackbird restart a'],
      ];
      expect(await startJob(engine, execute())).toMatchObject({
        output: {error: {next: next.map((command) => ({command}))}},
      });
    },
  );

  test('of a task that the user set since blocks nothing', async () => {
    const project = openBroken('{', planOf(task('a', {status: 'done'}), task('z', {deps: ['a']})));
    expect(await startJob(project.engine, execute({isReviewed: false}))).toMatchObject({
      output: {reason: 'completed', attempted: [{taskId: 'z'}]},
    });
  });

  test('of a task below a parent stops its review, and the parent is not done', async () => {
    const done = {status: 'done'} as const;
    const project = openBroken('{', planOf(family(task('p'), task('a', done)), task('z', {deps: ['p']})));
    expect(await startJob(project.engine, execute({isReviewed: false}))).toMatchObject({
      output: {reason: 'error', attempted: [], error: refusal},
    });
    expect(project.plans.statuses()).toEqual({p: 'todo', a: 'done', z: 'todo'});
  });
});

describe('an approval', () => {
  const approved = pendingRun({
    decision_state: 'approved_quit',
    decision_resolved_at: '2026-02-02T02:00:00.000Z',
  });
  const done = planOf(task('a', {status: 'done'}), task('b', {deps: ['a']}));
  const after = {task_id: 'b', run_id: 'b-1', created_at: '2026-02-02T02:00:00.001Z'};

  test('can be withdrawn until the next task starts: the checkpoint is open again, the history kept', async () => {
    const {services, runs, plans, lock, engine, time} = openProject({plan: done, runs: [approved]});
    await withdrawApproval(services, 'a');
    expect(runs.records('a')).toEqual([
      {
        ...pendingRun(),
        updated_at: time.now,
        decision_history: [
          {
            decision_state: 'approved_quit',
            decision_resolved_at: '2026-02-02T02:00:00.000Z',
            withdrawn_at: time.now,
          },
        ],
      },
    ]);
    expect(plans.statuses()).toEqual({a: 'in_progress', b: 'todo'});
    expect(lock.isHeld).toBe(false);
    const asked = answering(engine, approve);
    await startJob(engine, execute({isReviewed: false}));
    expect(asked).toEqual(['a-1']);
    expect(plans.statuses()).toEqual({a: 'done', b: 'done'});
  });

  test.each([
    {name: 'the next task has started', runs: [approved, restingRun({state: 'failed', ...after})]},
    {name: 'its change was committed', runs: [{...approved, commit: {sha: 'abc'}}]},
  ])('stays when $name', async ({name, runs: given}) => {
    const status = given.length === 1 ? 'todo' : 'failed';
    const plan = planOf(task('a', {status: 'done'}), task('b', {deps: ['a'], status, updatedAt: now}));
    const {services, runs, lock} = openProject({plan, runs: given});
    await expect(withdrawApproval(services, 'a')).rejects.toMatchObject({
      code: 'E_NO_DECISION',
      message: `the approval of a stands: ${name}`,
    });
    expect(runs.records('a')).toEqual([given[0]]);
    expect(lock.isHeld).toBe(false);
  });

  test.each([
    {name: 'was never given', runs: [pendingRun({decision_state: 'rejected'})]},
    {name: 'is for no run', runs: []},
  ])('that $name cannot be withdrawn', async ({runs}) => {
    const {services} = openProject({plan: done, runs});
    await expect(withdrawApproval(services, 'a')).rejects.toMatchObject({
      code: 'E_NO_DECISION',
      message: 'a was not approved at a checkpoint',
    });
  });

  test('cannot be withdrawn while a job runs', async () => {
    const {services, lock} = openProject({plan: done, runs: [approved]});
    lock.holder = '42';
    await expect(withdrawApproval(services, 'a')).rejects.toMatchObject({code: 'E_REPO_LOCKED'});
  });
});
