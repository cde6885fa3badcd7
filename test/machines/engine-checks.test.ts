import {describe, expect, test} from 'vitest';
import {createEngine, type EngineFact} from '../../src/machines/engine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {endedSegment, pausedRun, sessionRef} from '../fakes/runs.ts';
import {crashable, createFakeServices, settle} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {family, planOf, task} from '../helpers/plans.ts';

const checked = planOf(task('a', {prompt: 'do it', verify: ['test']}));
const resume = (feedback: string | null = null) => taskJob('a', {type: 'resume', answers: [], feedback});

/** Agents that open a session and succeed; checks that do what the list says, then pass. */
function project({
  plan = checked,
  runs = [],
  settings = {},
  checks: results = [],
}: {
  plan?: Plan;
  runs?: readonly RunRecord[];
  settings?: Readonly<Record<string, unknown>>;
  checks?: ReadonlyArray<'pass' | 'fail' | 'hang'>;
} = {}) {
  const fake = createFakeServices({plan, runs, settings});
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.agents.play = (agent) => {
    agent.opensSession();
    agent.succeeds();
  };
  const left = [...results];
  fake.checks.play = (check) => {
    check.obeys = {interrupt: true, kill: true};
    const result = left.shift() ?? 'pass';
    if (result === 'pass') check.passes();
    else if (result === 'fail') check.fails('1 test failed');
  };
  const facts: EngineFact[] = [];
  const engine = createEngine(fake.services);
  engine.subscribe((fact) => facts.push(fact));
  return {
    ...fake,
    engine,
    facts,
    prompts: () => fake.agents.agents.map(({request}) => request.prompt),
    made: () => fake.checks.checks.map(({command}) => command),
    record: () => fake.runs.records('a').at(-1),
  };
}

describe('a task with checks', () => {
  test('is done once they passed, and not before', async () => {
    const {engine, log, plans, record, violations} = project();
    expect(await startJob(engine, executeJob())).toMatchObject({output: {reason: 'completed'}});
    expect(log.filter((entry) => /^(plan|check-go|record a-1 [^r])/.test(entry))).toEqual([
      'plan a in_progress',
      'check-go a-1 test',
      'record a-1 succeeded session-1',
      'plan a done',
    ]);
    expect(record()).toMatchObject({state: 'succeeded', verifications: [{command: 'test', exit_code: 0}]});
    expect({statuses: plans.statuses(), violations}).toEqual({statuses: {a: 'done'}, violations: []});
  });

  test('and a checkpoint asks the user once they passed, and is done with the approval', async () => {
    const {engine, facts, log, plans} = project();
    engine.subscribe((fact) => {
      if (fact.type !== 'decision.required') return;
      const {run_id: runId} = fact.request.run;
      setImmediate(() => engine.decide({runId, decision: {state: 'approved_continue'}}));
    });
    const job = executeJob({isReviewed: true, isAttended: true});
    expect(await startJob(engine, job)).toMatchObject({output: {reason: 'completed'}});
    const asked = facts.flatMap((fact) => (fact.type === 'decision.required' ? [fact.request.run] : []));
    expect(asked).toMatchObject([{run_id: 'a-1', verifications: [{command: 'test', exit_code: 0}]}]);
    expect(log.filter((entry) => /^(plan|check-go|record a-1 [^r])/.test(entry))).toEqual([
      'plan a in_progress',
      'check-go a-1 test',
      'record a-1 succeeded session-1',
      'record a-1 succeeded session-1',
      'plan a done',
    ]);
    expect(plans.statuses()).toEqual({a: 'done'});
  });

  test('goes back to its agent in the same session and the same run until they pass', async () => {
    const {engine, agents, prompts, record, runs} = project({checks: ['fail', 'fail', 'pass']});
    await startJob(engine, executeJob());
    expect(runs.records('a')).toHaveLength(1);
    expect(record()?.state).toBe('succeeded');
    expect(record()?.segments).toHaveLength(3);
    expect(record()?.verifications?.map(({round, exit_code}) => [round, exit_code])).toEqual([
      [1, 1],
      [2, 1],
      [3, 0],
    ]);
    expect(agents.agents.map(({request: {kind, sessionRef: ref}}) => [kind, ref])).toEqual([
      ['start', null],
      ['resume', 'session-1'],
      ['resume', 'session-1'],
    ]);
    expect(prompts()[1]).toContain('# A check failed\n');
    expect(prompts()[1]).toContain('> 1 test failed');
  });

  test('fails when they do not pass after its last round, and the plan continues', async () => {
    const plan = planOf(task('a', {verify: ['test']}), task('b'));
    const {engine, plans, record} = project({plan, checks: ['fail', 'fail', 'fail']});
    await startJob(engine, executeJob());
    expect(record()).toMatchObject({
      state: 'failed',
      failure: {kind: 'verification', message: 'the check failed 3 times: test (exit 1)'},
    });
    expect(plans.statuses()).toEqual({a: 'failed', b: 'done'});
  });

  test('is retried by a new run, which is told what failed', async () => {
    const settings = {retries: 1, verifyRounds: 0};
    const {engine, prompts, runs, plans} = project({settings, checks: ['fail', 'pass']});
    await startJob(engine, executeJob());
    expect(runs.records('a').map(({state}) => state)).toEqual(['failed', 'succeeded']);
    expect(prompts()[1]).toContain(
      '# An earlier attempt failed\nthe check failed: test (exit 1)\n> 1 test failed\n',
    );
    expect(plans.statuses()).toEqual({a: 'done'});
  });

  test('gets the checks of the settings, of its parents and its own, in this order', async () => {
    const plan = planOf(family(task('p', {verify: ['build']}), task('a', {verify: ['test']})));
    const {engine, made} = project({plan, settings: {verify: ['lint'], parentReviewEnabled: false}});
    await startJob(engine, executeJob());
    expect(made()).toEqual(['lint', 'build', 'test']);
  });

  test('keeps the checks of when it started, whatever its agent changes', async () => {
    const {agents, engine, made, plans, services, record} = project({settings: {verify: ['lint']}});
    const {play} = agents;
    agents.play = (agent) => {
      plans.plan = planOf(task('a', {prompt: 'do it', verify: ['true'], status: 'in_progress'}));
      Object.assign(services, {settings: async () => []});
      play(agent);
    };
    await startJob(engine, executeJob());
    expect(made()).toEqual(['lint', 'test']);
    expect(record()).toMatchObject({verify: ['lint', 'test'], decision_state: 'pending'});
  });

  test('whose agent did not report success is not checked', async () => {
    const {agents, engine, made} = project();
    agents.play = (agent) => agent.fails();
    await startJob(engine, executeJob());
    expect(made()).toEqual([]);
  });

  test('is committed and reviewed only after them', async () => {
    const {engine, changes, log} = project({settings: {commit: 'task'}});
    changes.tree = 'tree';
    await startJob(engine, executeJob());
    expect(changes.commits).toHaveLength(1);
    expect(log.indexOf('check-go a-1 test')).toBeLessThan(log.lastIndexOf('plan a done'));
  });
});

describe('an agent that is sent back', () => {
  test('into a lost session leaves the run failed by its check', async () => {
    const {agents, engine, record} = project({checks: ['fail']});
    const {play} = agents;
    agents.play = (agent) => {
      if (agent.request.kind === 'start') play(agent);
      else agent.fails({kind: 'resume_rejected', message: 'no such session'});
    };
    await startJob(engine, executeJob());
    expect(record()).toMatchObject({
      state: 'failed',
      failure: {
        kind: 'verification',
        message: 'the check failed: test (exit 1), and its agent cannot fix it: no such session',
      },
    });
  });

  test('and meets an expired login is paused, and told of the check when it continues', async () => {
    const {agents, engine, prompts, record, plans} = project({checks: ['fail']});
    const {play} = agents;
    agents.play = (agent) => {
      if (agent.request.kind === 'start') play(agent);
      else agent.fails({kind: 'auth', message: 'please log in'});
    };
    await startJob(engine, executeJob());
    expect(record()).toMatchObject({state: 'paused', pause_reason: 'login_required', resumable: true});
    agents.play = play;
    await startJob(engine, resume());
    expect(prompts().at(-1)).toContain('> 1 test failed');
    expect(plans.statuses()).toEqual({a: 'done'});
  });

  test('and is paused before it is released keeps its work, and is told of the check later', async () => {
    const {agents, engine, prompts, record, runs} = project({checks: ['fail']});
    const isRound = ({phase, segments}: RunRecord) => phase === 'active' && segments.length === 2;
    const release = runs.holdOn(isRound);
    const job = startJob(engine, executeJob());
    while (agents.agents.length < 2) await settle();
    engine.pause('user_interrupt');
    release();
    expect(await job).toMatchObject({output: {reason: 'paused'}});
    expect(record()).toMatchObject({state: 'paused', pause_reason: 'user_interrupt', resumable: true});
    expect(record()?.segments).toHaveLength(1);
    await startJob(engine, resume());
    expect(prompts().at(-1)).toContain('> 1 test failed');
    expect(record()).toMatchObject({state: 'succeeded', verifications: [{exit_code: 1}, {exit_code: 0}]});
  });
});

describe('a run that was paused during its checks', () => {
  async function pausedInCheck(options: Parameters<typeof project>[0] = {}) {
    const paused = project({...options, checks: ['hang', ...(options.checks ?? [])]});
    const job = startJob(paused.engine, executeJob());
    while (paused.checks.checks.length === 0) await settle();
    paused.engine.pause('user_interrupt');
    await job;
    return paused;
  }

  test('is paused; its resume repeats the checks and starts no agent', async () => {
    const {agents, engine, made, plans, record, violations} = await pausedInCheck();
    expect(record()).toMatchObject({state: 'paused', pause_reason: 'user_interrupt', checks_due: true});
    expect(plans.statuses()).toEqual({a: 'in_progress'});
    await startJob(engine, resume());
    expect(agents.agents).toHaveLength(1);
    expect(made()).toEqual(['test', 'test']);
    expect(record()).toMatchObject({state: 'succeeded', pauses: [{resumed_at: expect.any(String)}]});
    expect(record()?.verifications).toHaveLength(1);
    expect({statuses: plans.statuses(), violations}).toEqual({statuses: {a: 'done'}, violations: []});
  });

  test('is sent back to its agent when they fail then', async () => {
    const {agents, engine, record} = await pausedInCheck({checks: ['fail']});
    await startJob(engine, resume());
    expect(agents.agents.map(({request}) => request.kind)).toEqual(['start', 'resume']);
    expect(record()?.state).toBe('succeeded');
  });

  test('starts the round from its first check', async () => {
    const plan = planOf(task('a', {verify: ['lint', 'test']}));
    const paused = project({plan, checks: ['pass', 'hang']});
    const job = startJob(paused.engine, executeJob());
    while (paused.checks.checks.length < 2) await settle();
    paused.engine.pause('user_interrupt');
    await job;
    await startJob(paused.engine, resume());
    expect(paused.made()).toEqual(['lint', 'test', 'lint', 'test']);
    expect(paused.record()?.verifications?.map(({command, round}) => [command, round])).toEqual([
      ['lint', 1],
      ['test', 1],
    ]);
  });

  test('continues without a session, which checks do not need', async () => {
    const paused = project({checks: ['hang']});
    paused.agents.play = (agent) => agent.succeeds();
    const job = startJob(paused.engine, executeJob());
    while (paused.checks.checks.length === 0) await settle();
    paused.engine.pause('user_interrupt');
    await job;
    expect(paused.record()?.resumable).toBe(false);
    expect(await startJob(paused.engine, resume())).toMatchObject({output: {outcome: 'succeeded'}});
    expect(paused.plans.statuses()).toEqual({a: 'done'});
  });

  test('passes feedback to its agent first, and is checked then', async () => {
    const {agents, engine, prompts, record} = await pausedInCheck();
    await startJob(engine, resume('use tabs'));
    expect(agents.agents).toHaveLength(2);
    expect(prompts()[1]).toContain('# Requested changes\nuse tabs');
    expect(record()).toMatchObject({state: 'succeeded', verifications: [{exit_code: 0}]});
  });

  test('first tells its agent of a changed task', async () => {
    const {agents, engine, plans, prompts} = await pausedInCheck();
    plans.plan = planOf(task('a', {prompt: 'do more', verify: ['test'], status: 'in_progress'}));
    await startJob(engine, resume());
    expect(agents.agents).toHaveLength(2);
    expect(prompts()[1]).toContain('# The task was changed');
  });

  test('keeps its own checks', async () => {
    const {engine, made, plans} = await pausedInCheck();
    plans.plan = planOf(task('a', {prompt: 'do it', verify: ['true'], status: 'in_progress'}));
    await startJob(engine, resume());
    expect(made()).toEqual(['test', 'test']);
  });

  test('whose resume is paused at once keeps its state', async () => {
    const {engine, runs, record} = await pausedInCheck();
    const before = record();
    const release = runs.holdOn(({phase}) => phase === 'verifying');
    const job = startJob(engine, resume());
    await settle();
    engine.pause('user_interrupt');
    release();
    await job;
    expect(record()).toMatchObject({state: 'paused', checks_due: true, pauses: before?.pauses});
  });

  test('while its agent had just succeeded runs no check', async () => {
    const {agents, engine, checks, record} = project();
    agents.play = () => {};
    const job = startJob(engine, executeJob());
    while (agents.agents.length === 0) await settle();
    await settle();
    agents.agent.opensSession();
    await settle();
    agents.agent.reports({ok: true});
    engine.pause('terminated');
    await job;
    expect(checks.checks).toEqual([]);
    expect(record()).toMatchObject({state: 'paused', pause_reason: 'terminated', checks_due: true});
  });
});

describe('a Blackbird that dies', () => {
  test.each([true, false])(
    'while a check runs leaves a run that is repaired (guardian: %s)',
    async (hasGuardian) => {
      const fake = project({checks: ['hang']});
      const first = crashable(fake);
      void startJob(createEngine(first.services), executeJob());
      while (fake.checks.checks.length === 0 || !fake.checks.check.hasGone) await settle();
      first.die({hasGuardian});

      await startJob(fake.engine, executeJob());
      expect(fake.checks.alive()).toEqual([]);
      expect(fake.record()).toMatchObject({state: 'paused', pause_reason: 'process_lost', checks_due: true});
      expect(fake.record()).not.toHaveProperty('check');
      await startJob(fake.engine, resume());
      expect(fake.agents.agents).toHaveLength(1);
      expect(fake.plans.statuses()).toEqual({a: 'done'});
      expect(fake.violations).toEqual([]);
    },
  );

  test('after a check failed leaves a run whose agent is told of it', async () => {
    const verifications = [
      {
        command: 'test',
        round: 1,
        started_at: '',
        seconds: 1,
        exit_code: 1,
        signal: null,
        tail: '1 test failed',
        log_file: 'x.log',
        log_digest: '',
      },
    ];
    const lost = pausedRun({
      state: 'running',
      phase: 'verifying',
      verify: ['test'],
      verifications,
      segments: [endedSegment()],
      provider_session_ref: sessionRef,
    });
    const plan = planOf(task('a', {verify: ['test'], status: 'in_progress'}));
    const {engine, prompts, record} = project({plan, runs: [lost]});
    await startJob(engine, resume());
    expect(prompts()[0]).toContain('> 1 test failed');
    expect(record()).toMatchObject({state: 'succeeded', verifications: [{round: 1}, {round: 2}]});
  });
});

test('a run that failed its checks continues in its session as a new run, told what failed', async () => {
  const {engine, agents, prompts, runs} = project({settings: {verifyRounds: 0}, checks: ['fail']});
  await startJob(engine, executeJob());
  await startJob(engine, resume());
  expect(agents.agent.request).toMatchObject({kind: 'resume', sessionRef: 'session-1'});
  expect(prompts()[1]).toContain('Your last attempt at the task failed.');
  expect(prompts()[1]).toContain('> 1 test failed');
  expect(runs.records('a').map(({state, verify}) => [state, verify])).toEqual([
    ['failed', ['test']],
    ['succeeded', ['test']],
  ]);
});

test('the start and end of a check are reported', async () => {
  const {engine, facts} = project();
  await startJob(engine, executeJob());
  const seen = facts.flatMap((fact) => (fact.type === 'run.updated' ? [fact.run.check?.command] : []));
  expect(seen).toContain('test');
  expect(seen.at(-1)).toBe(undefined);
});

test('a suspended Blackbird suspends the check', async () => {
  const {checks, engine, log} = project({checks: ['hang']});
  const job = startJob(engine, executeJob());
  while (checks.checks.length === 0 || !checks.check.hasGone) await settle();
  engine.suspend();
  engine.wake();
  expect(log.slice(-2)).toEqual(['check-suspend a-1', 'check-wake a-1']);
  checks.check.passes();
  await job;
});
