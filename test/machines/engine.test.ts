import {describe, expect, test} from 'vitest';
import {createEngine, type EngineFact} from '../../src/machines/engine.ts';
import type {Job} from '../../src/machines/policies/job/job-steps.ts';
import {answersPrompt, continuePrompt, feedbackPrompt} from '../../src/machines/policies/run/agent-prompt.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {Answer, RunRecord} from '../../src/services/contracts/run.ts';
import {noSummary} from '../fakes/fake-changes.ts';
import {answersDraft} from '../fakes/memory-draft-store.ts';
import {
  begun,
  endedSegment,
  openSegment,
  pausedRun,
  pausedSince,
  question,
  restingRun,
  runRecord,
  sessionRef,
  waitingRun,
} from '../fakes/runs.ts';
import {crashable, createFakeServices, settle} from '../fakes/services.ts';
import {rejectionOf} from '../helpers/errors.ts';
import {executeJob, type JobFields, startJob, taskJob} from '../helpers/jobs.ts';
import {family, made, now, planOf, task, withStatus} from '../helpers/plans.ts';

const execute = executeJob;
const resume = (
  taskId: string,
  {
    answers = [],
    feedback = null,
    ...fields
  }: JobFields & {answers?: readonly Answer[]; feedback?: string | null} = {},
): Job => taskJob(taskId, {type: 'resume', answers, feedback}, fields);
const restart = (taskId: string, fields: JobFields = {}): Job => taskJob(taskId, {type: 'restart'}, fields);

const toldOfTaskA = {
  title: 'digest of Task a',
  prompt: 'digest of ',
  description: 'digest of ',
  acceptanceCriteria: 'digest of ',
};

function openProject(options: Parameters<typeof createFakeServices>[0] = {}) {
  const fake = createFakeServices(options);
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.agents.play = (each) => {
    each.opensSession();
    each.succeeds();
  };
  const engine = createEngine(fake.services);
  const facts: EngineFact[] = [];
  engine.subscribe((fact) => {
    // The state of other runs is reported at every start.
    if (fact.type !== 'run.resting') facts.push(fact);
  });
  return {
    ...fake,
    engine,
    facts,
    gone: () => fake.log.filter((entry) => entry.startsWith('go ')),
    /** Starts a job whose agents wait for the test. */
    startHanging: async (job: Job) => {
      fake.agents.play = () => {};
      const finished = startJob(engine, job);
      await settle();
      return {finished};
    },
  };
}

/** A project with one task that is in progress and has had one run. */
function openRun(run: RunRecord, status: 'in_progress' | 'waiting_user' | 'done' | 'failed' = 'in_progress') {
  return openProject({plan: planOf(task('a', {status}), task('z')), runs: [run]});
}

describe('executing a plan', () => {
  test('runs dependencies first, in tree order, and tells dependents their results', async () => {
    const {engine, agents, gone, plans, violations, lock} = openProject({
      plan: planOf(family(task('p'), task('p1', {deps: ['a']}), task('p2')), task('a')),
      settings: {parentReviewEnabled: false},
    });
    agents.play = (each) => each.succeeds(`result of ${each.taskId}`);
    expect(await startJob(engine, execute())).toMatchObject({
      type: 'execute',
      output: {reason: 'completed', attempted: [{taskId: 'p2'}, {taskId: 'a'}, {taskId: 'p1'}]},
    });
    expect(gone()).toEqual(['go p2-1', 'go a-1', 'go p1-1']);
    expect(plans.statuses()).toEqual({p: 'done', p1: 'done', p2: 'done', a: 'done'});
    expect(agents.agents.at(-1)?.request.prompt).toContain(
      '# Results of the tasks this one depends on\n- a: Task a\n  result of a',
    );
    expect(agents.agents[0]?.request.prompt).not.toContain('Already done');
    expect(violations).toEqual([]);
    expect(lock.isHeld).toBe(false);
  });

  test('records the run whole before anything of the agent exists', async () => {
    const project = openProject({plan: planOf(task('a'))});
    project.agents.choosesSession = true;
    project.agents.failLaunch(new Error('no'));
    const release = project.agents.holdLaunch();
    const finished = startJob(project.engine, execute());
    await settle();
    const ref = '00000000-0000-4000-8000-000000000001';
    expect(project.runs.records('a')).toEqual([
      runRecord({
        created_at: now,
        job_id: '20260202-020202-000001',
        updated_at: now,
        provider_session_ref: ref,
        context: {
          digest: expect.stringMatching(/^digest of /),
          bytes: expect.any(Number),
          told: toldOfTaskA,
        },
      }),
    ]);
    release();
    await finished;
  });

  test('counts the bytes of the context, not its characters', async () => {
    const plain = openProject({plan: planOf(task('a', {prompt: 'xx'}))});
    const wide = openProject({plan: planOf(task('a', {prompt: 'öö'}))});
    await startJob(plain.engine, execute());
    await startJob(wide.engine, execute());
    const bytes = ({runs}: typeof plain) => runs.records('a')[0]?.context?.bytes ?? 0;
    expect(bytes(wide) - bytes(plain)).toBe(2);
  });

  test('passes on what the latest run of a dependency did, not its review', async () => {
    const review = restingRun({
      state: 'succeeded',
      run_type: 'review',
      run_id: 'a-2',
      attempt: 2,
      result: 'fine',
    });
    const {engine, agents} = openProject({
      plan: planOf(task('a', {status: 'done'}), task('b', {deps: ['a']})),
      runs: [restingRun({state: 'succeeded', result: 'wrote x'}), review],
    });
    await startJob(engine, execute());
    expect(agents.agent.request.prompt).toContain('- a: Task a\n  wrote x');
  });

  test.each([
    {stopOnFailure: false, reason: 'completed', statuses: {a: 'failed', b: 'done'}},
    {stopOnFailure: true, reason: 'failed', statuses: {a: 'failed', b: 'todo'}},
  ])(
    'with stopOnFailure $stopOnFailure a failed task ends in $reason',
    async ({stopOnFailure, reason, statuses}) => {
      const {engine, agents, plans} = openProject({plan: planOf(task('a'), task('b'))});
      agents.play = (each) => (each.taskId === 'a' ? each.fails() : each.succeeds());
      expect(await startJob(engine, execute({stopOnFailure}))).toMatchObject({output: {reason}});
      expect(plans.statuses()).toEqual(statuses);
    },
  );

  test.each(['auth', 'rate_limit', 'outage'] as const)(
    'a failure of kind %s pauses the task and stops the plan',
    async (kind) => {
      const {engine, agents, gone, plans} = openProject({plan: planOf(task('a'), task('b'))});
      agents.play = (each) => each.fails({kind});
      expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'paused'}});
      expect(gone()).toEqual(['go a-1']);
      expect(plans.statuses()).toEqual({a: 'in_progress', b: 'todo'});
    },
  );

  test('a full context window pauses its task, and the plan continues without it', async () => {
    const {engine, agents, plans} = openProject({plan: planOf(task('a'), task('b'))});
    agents.play = (each) => (each.taskId === 'a' ? each.fails({kind: 'context_full'}) : each.succeeds());
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'completed'}});
    expect(plans.statuses()).toEqual({a: 'in_progress', b: 'done'});
  });

  test('an agent that cannot be started stops the plan', async () => {
    const {engine, agents, gone, plans} = openProject({plan: planOf(task('a'), task('b'))});
    agents.failLaunch(new Error('no'));
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'failed'}});
    expect(gone()).toEqual([]);
    expect(plans.statuses()).toEqual({a: 'failed', b: 'todo'});
  });

  test('a missing agent is an error before anything is recorded', async () => {
    const {engine, agents, log, plans} = openProject({plan: planOf(task('a'))});
    agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'no claude'));
    expect(await startJob(engine, execute())).toEqual({
      type: 'execute',
      output: {
        reason: 'error',
        attempted: [],
        error: expect.objectContaining({code: 'E_AGENT_NOT_FOUND', message: 'no claude'}),
      },
    });
    expect(log).toEqual(['lock', 'unlock']);
    expect(plans.statuses()).toEqual({a: 'todo'});
  });

  test('a question stops the plan for its answer', async () => {
    const {engine, agents, plans} = openProject({plan: planOf(task('a'), task('b'))});
    agents.play = (each) => each.succeeds(JSON.stringify({blackbird: {questions: [question]}}));
    expect(await startJob(engine, execute())).toMatchObject({
      output: {reason: 'waiting_user', attempted: [{taskId: 'a', questions: [question]}]},
    });
    expect(plans.statuses()).toEqual({a: 'waiting_user', b: 'todo'});
  });

  test('respects edits made while it runs', async () => {
    const project = openProject({plan: planOf(task('a'), task('b'), task('c'))});
    const {finished} = await project.startHanging(execute());
    await project.plans.update((plan) => withStatus(plan, 'b', 'skipped'));
    project.agents.play = (each) => each.succeeds();
    project.agents.agent.succeeds();
    await finished;
    expect(project.plans.statuses()).toEqual({a: 'done', b: 'skipped', c: 'done'});
  });

  test('a task that is no longer ready at its turn is skipped and its run canceled', async () => {
    const project = openProject({plan: planOf(task('a'), task('b'))});
    const {plans} = project;
    project.services.runs.insert = new Proxy(project.services.runs.insert, {
      apply: async (insert, self, args: [RunRecord]) => {
        await Reflect.apply(insert, self, args);
        if (args[0].task_id === 'a') plans.plan = withStatus(plans.plan, 'a', 'done');
      },
    });
    expect(await startJob(project.engine, execute())).toMatchObject({
      output: {reason: 'completed', attempted: [{taskId: 'b'}]},
    });
    expect(project.runs.records('a')).toMatchObject([{state: 'canceled', failure: {kind: 'stopped'}}]);
    expect(project.gone()).toEqual(['go b-1']);
    expect(plans.statuses()).toEqual({a: 'done', b: 'done'});
  });
});

describe('a task that changes between choosing and preparing', () => {
  /** Prepares from another plan than the one the task was chosen from, this many times. */
  function openEdited(edited: Plan, times: number) {
    const project = openProject({plan: planOf(task('a'), task('b'))});
    const {plans} = project;
    const readsBefore = 3;
    let reads = 0;
    const read = plans.read;
    // Recovery and the scan for decisions and parents come first; then choosing and preparing alternate.
    plans.read = async () => {
      const turn = ++reads - readsBefore;
      return turn > 0 && turn % 2 === 0 && turn <= 2 * times ? edited : read();
    };
    return project;
  }

  test.each([
    {name: 'deleted', edited: planOf(task('b'))},
    {name: 'blocked', edited: planOf(task('a', {deps: ['b']}), task('b'))},
  ])('and was $name is skipped until another one has run', async ({edited}) => {
    const {engine, gone} = openEdited(edited, 1);
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'completed'}});
    expect(gone()).toEqual(['go b-1', 'go a-1']);
  });

  test('does not hold the plan forever', async () => {
    const {engine, gone} = openEdited(planOf(), 100);
    expect(await startJob(engine, execute())).toEqual({
      type: 'execute',
      output: {reason: 'completed', attempted: []},
    });
    expect(gone()).toEqual([]);
  });
});

describe('pausing', () => {
  test('in the middle of a task pauses it, and nothing else is started', async () => {
    const {engine, startHanging, gone, plans, log, violations} = openProject({
      plan: planOf(task('a'), task('b')),
    });
    const {finished} = await startHanging(execute());
    engine.pause('user_interrupt');
    expect(await finished).toEqual({
      type: 'execute',
      output: {reason: 'paused', attempted: [{taskId: 'a', state: 'paused', resumable: false}]},
    });
    expect(gone()).toEqual(['go a-1']);
    expect(plans.statuses()).toEqual({a: 'in_progress', b: 'todo'});
    expect(log.slice(-4)).toEqual(['exit a-1', 'end a-1', 'record a-1 paused', 'unlock']);
    expect(violations).toEqual([]);
  });

  test('before the lock is taken starts nothing', async () => {
    const {engine, lock, log} = openProject({plan: planOf(task('a'))});
    const release = lock.hold();
    const finished = startJob(engine, execute());
    engine.pause('terminated');
    release();
    expect(await finished).toEqual({reason: 'paused'});
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('continues with other tasks only when told to', async () => {
    const {engine, agents, startHanging, plans, gone} = openProject({plan: planOf(task('a'), task('b'))});
    const {finished} = await startHanging(execute());
    engine.pause('user_interrupt');
    await finished;
    await settle();
    expect(gone()).toEqual(['go a-1']);
    agents.play = (each) => each.succeeds();
    expect(await startJob(engine, execute())).toMatchObject({
      output: {reason: 'completed', attempted: [{taskId: 'b'}]},
    });
    expect(plans.statuses()).toEqual({a: 'in_progress', b: 'done'});
  });

  test.each([
    {milliseconds: 249, presses: 1, kills: 0},
    {milliseconds: 250, presses: 2, kills: 1},
  ])('two signals $milliseconds ms apart are $presses request(s)', async ({milliseconds, presses, kills}) => {
    const {engine, agents, startHanging, time, log, facts} = openProject({plan: planOf(task('a'))});
    const {finished} = await startHanging(execute());
    agents.agent.obeys = {interrupt: false, kill: true};
    engine.pause('user_interrupt');
    await settle();
    time.milliseconds += milliseconds;
    engine.pause('user_interrupt');
    expect(facts.filter(({type}) => type === 'engine.pausing')).toEqual(
      [
        {type: 'engine.pausing', reason: 'user_interrupt', isForced: false},
        {type: 'engine.pausing', reason: 'user_interrupt', isForced: true},
      ].slice(0, presses),
    );
    expect(log.filter((entry) => entry === 'kill a-1').length).toBe(kills);
    agents.agent.exits();
    expect(await finished).toMatchObject({output: {reason: 'paused'}});
  });

  test('is debounced from the last press that counted, not from the last one', async () => {
    const {engine, agents, startHanging, time, log} = openProject({plan: planOf(task('a'))});
    const {finished} = await startHanging(execute());
    agents.agent.obeys = {interrupt: false, kill: true};
    engine.pause('user_interrupt');
    await settle();
    time.milliseconds += 200;
    engine.pause('user_interrupt');
    expect(log).not.toContain('kill a-1');
    time.milliseconds += 50;
    engine.pause('user_interrupt');
    expect(log).toContain('kill a-1');
    await finished;
  });

  test('at rest is no request: nothing is reported and the next job starts', async () => {
    const {engine, facts} = openProject({plan: planOf(task('a'))});
    engine.pause('user_interrupt');
    expect(facts).toEqual([]);
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'completed'}});
    engine.pause('user_interrupt');
    expect(facts.some(({type}) => type === 'engine.pausing')).toBe(false);
  });

  test('of the next job is not debounced by the last, and its first press is not forced', async () => {
    const {engine, startHanging, facts} = openProject({plan: planOf(task('a'), task('b'))});
    const first = await startHanging(execute());
    engine.pause('user_interrupt');
    await first.finished;
    const second = await startHanging(execute());
    engine.pause('user_interrupt');
    await second.finished;
    expect(facts.filter(({type}) => type === 'engine.pausing')).toEqual([
      {type: 'engine.pausing', reason: 'user_interrupt', isForced: false},
      {type: 'engine.pausing', reason: 'user_interrupt', isForced: false},
    ]);
  });
});

describe('a second job', () => {
  test('is refused while one runs, which continues', async () => {
    const {engine, agents, startHanging, gone} = openProject({plan: planOf(task('a'))});
    const {finished} = await startHanging(execute());
    expect(engine.isBusy()).toBe(true);
    expect((await rejectionOf(startJob(engine, execute()))).code).toBe('E_BUSY');
    agents.agent.succeeds();
    expect(await finished).toMatchObject({output: {reason: 'completed'}});
    expect(engine.isBusy()).toBe(false);
    expect(gone()).toEqual(['go a-1']);
  });

  test('is refused in a project where another process works, and nothing is touched', async () => {
    const {engine, lock, log, runs, plans} = openRun(runRecord({segments: [openSegment()]}));
    lock.holder = '42';
    expect(await startJob(engine, execute())).toEqual({
      reason: 'error',
      error: new AppError('E_REPO_LOCKED', 'process 42 works here'),
    });
    expect(log).toEqual([]);
    expect(runs.records('a')).toEqual([runRecord({segments: [openSegment()]})]);
    expect(plans.statuses()).toEqual({a: 'in_progress', z: 'todo'});
  });
});

describe('resuming a paused task', () => {
  test('continues in the same run and session, with a second segment', async () => {
    const {engine, agents, runs, plans} = openRun(pausedRun());
    expect(await startJob(engine, resume('a'))).toEqual({
      type: 'task',
      output: {outcome: 'succeeded', run: runs.records('a')[0]},
    });
    expect(agents.agent.request).toEqual({
      kind: 'resume',
      prompt: continuePrompt(),
      sessionRef,
      access: 'edit',
      isGitRepository: true,
    });
    const rest = pausedRun({
      state: 'succeeded',
      updated_at: now,
      stdout: 'out',
      stderr: 'err',
      exit_code: 0,
      result: 'done',
      segments: [endedSegment(), {...endedSegment(), job_id: '20260202-020202-000001'}],
      review_summary: noSummary,
      context: {digest: '', bytes: 0, told: toldOfTaskA},
      job_id: '20260202-020202-000001',
    });
    expect(runs.records('a')).toEqual([rest]);
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
  });

  test('can be repeated', async () => {
    const {engine, startHanging, runs, agents} = openRun(pausedRun());
    for (let round = 0; round < 2; round++) {
      const {finished} = await startHanging(resume('a'));
      agents.agent.opensSession();
      await settle();
      engine.pause('user_interrupt');
      await finished;
    }
    expect(runs.records('a')).toMatchObject([
      {state: 'paused', resumable: true, segments: [{}, {exit_code: 130}, {exit_code: 130}]},
    ]);
  });

  test('with feedback delivers it in the session', async () => {
    const {engine, agents} = openRun(pausedRun());
    await startJob(engine, resume('a', {feedback: 'use tabs'}));
    expect(agents.agent.request).toMatchObject({kind: 'resume', prompt: feedbackPrompt('use tabs', [])});
  });

  test('repeats answers that the agent may never have received', async () => {
    const answers = [{id: question.id, value: 'blue'}];
    const {engine, agents} = openRun(pausedRun({questions: [question], answers}));
    await startJob(engine, resume('a'));
    expect(agents.agent.request.prompt).toBe(continuePrompt([question], answers));
    expect(agents.agent.request.prompt).toContain('- Which color?\n  blue');
  });

  test('uses the provider of the run, whatever the saved choice is', async () => {
    const {engine, agents} = openRun(pausedRun());
    expect(await startJob(engine, resume('a', {saved: 'codex'}))).toMatchObject({
      output: {outcome: 'succeeded'},
    });
    expect(agents.agent.request.sessionRef).toBe(sessionRef);
  });

  test.each([
    {
      name: 'another provider was named',
      run: pausedRun(),
      fields: {agent: 'codex'} as const,
      reason: 'it belongs to another program: it was started by claude, but codex was asked for',
    },
    {
      name: 'it belongs to another folder',
      run: pausedRun({repo_root: '/elsewhere'}),
      reason: 'it belongs to another working folder: /elsewhere (this is /project)',
    },
    {
      name: 'it has no session ref',
      run: pausedRun({provider_session_ref: '', resumable: false}),
      reason: 'no session ref was captured before it stopped',
    },
    {
      name: 'its session ref is invalid',
      run: pausedRun({provider_session_ref: '--last'}),
      reason: 'its session ref does not have the form that claude uses',
    },
    {
      name: 'its session was not stored',
      run: pausedRun({resumable: false}),
      reason: 'the provider had not stored the session yet when it stopped',
    },
  ])('is refused when $name, and nothing is touched', async ({run, fields = {}, reason}) => {
    const {engine, log, facts} = openRun(run);
    expect(await startJob(engine, resume('a', fields))).toMatchObject({
      type: 'task',
      output: {outcome: 'error', error: {code: 'E_RESUME_REFUSED', message: `cannot resume a: ${reason}`}},
    });
    expect(log).toEqual(['lock', 'unlock']);
    expect(facts).toEqual([]);
  });

  test('is an error when its provider is not installed, and nothing is touched', async () => {
    const {engine, agents, log} = openRun(pausedRun());
    agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'no claude'));
    expect(await startJob(engine, resume('a'))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_AGENT_NOT_FOUND'}},
    });
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('that the provider rejects keeps the run paused, and can be tried again', async () => {
    const {engine, agents, runs, plans} = openRun(pausedRun());
    agents.play = (each) => each.fails({kind: 'resume_rejected', message: 'busy'});
    expect(await startJob(engine, resume('a'))).toMatchObject({output: {outcome: 'refused', reason: 'busy'}});
    expect(runs.records('a')).toMatchObject([{state: 'paused', failure: {kind: 'resume_rejected'}}]);
    agents.play = (each) => each.succeeds();
    expect(await startJob(engine, resume('a'))).toMatchObject({output: {outcome: 'succeeded'}});
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
  });
});

describe.each([
  {kind: 'auth', reason: 'login_required'},
  {kind: 'rate_limit', reason: 'usage_limit'},
  {kind: 'outage', reason: 'provider_unavailable'},
] as const)('a resume that meets $kind', ({kind, reason}) => {
  const answers = [{id: question.id, value: 'blue'}];
  test.each([
    {run: pausedRun(), status: 'in_progress', job: resume('a')},
    {run: waitingRun(), status: 'waiting_user', job: resume('a', {answers})},
  ] as const)('leaves the run $run.state, and it can be tried again', async ({run, status, job}) => {
    const {engine, agents, runs, plans} = openRun(run, status);
    agents.play = (each) => each.fails({kind, message: 'not now'});
    expect(await startJob(engine, job)).toMatchObject({output: {outcome: run.state}});
    expect(runs.records('a')).toMatchObject([{state: run.state, resumable: true, failure: {kind}}]);
    expect(runs.records('a')[0]?.pause_reason).toBe(run.state === 'paused' ? reason : undefined);
    expect(plans.statuses()).toEqual({a: status, z: 'todo'});
    agents.play = (each) => each.succeeds();
    expect(await startJob(engine, job)).toMatchObject({output: {outcome: 'succeeded'}});
    expect(runs.records('a')).toHaveLength(1);
  });
});

test('every pause is kept, and a refused resume ends none', async () => {
  const {startHanging, agents, runs} = openRun(pausedRun(pausedSince(begun, 'user_interrupt')));
  const {finished} = await startHanging(resume('a'));
  const pause = {paused_at: begun, pause_reason: 'user_interrupt'};
  expect(runs.records('a')).toMatchObject([
    {state: 'running', ...pause, pauses: [{...pause, resumed_at: now}]},
  ]);
  agents.agent.fails({kind: 'resume_rejected'});
  await finished;
  const [refused] = runs.records('a');
  expect(refused).toMatchObject({state: 'paused', ...pause});
  expect(refused?.pauses).toEqual([pause]);
  expect(refused).not.toHaveProperty('stood');

  const again = await startHanging(resume('a'));
  agents.agent.fails({kind: 'outage'});
  await again.finished;
  const held = {paused_at: now, pause_reason: 'provider_unavailable'};
  expect(runs.records('a')[0]).toMatchObject(held);
  expect(runs.records('a')[0]?.pauses).toEqual([{...pause, resumed_at: now}, held]);
});

describe('answering a waiting task', () => {
  const answers = [{id: question.id, value: 'blue'}];

  test('delivers the answers in the session, in the same run', async () => {
    const {engine, agents, runs, plans} = openRun(waitingRun(), 'waiting_user');
    expect(await startJob(engine, resume('a', {answers}))).toMatchObject({output: {outcome: 'succeeded'}});
    expect(agents.agent.request).toMatchObject({
      kind: 'resume',
      sessionRef,
      prompt: answersPrompt([question], answers),
    });
    expect(runs.records('a')).toMatchObject([
      {run_id: 'a-1', state: 'succeeded', answers, segments: [{}, {}]},
    ]);
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
  });

  test.each([
    {name: 'that were delivered are removed', said: {answers}, isKept: false},
    {name: 'that the record contains are removed', said: {answers}, fails: true, isKept: false},
    {
      name: 'stay when another terminal gave other answers',
      said: {answers: [{id: question.id, value: 'red'}]},
      isKept: true,
    },
    {name: 'stay with feedback', said: {feedback: 'no'}, isKept: true},
    {name: 'stay with feedback that was not delivered', said: {feedback: 'no'}, fails: true, isKept: true},
  ])('drafts of answers $name', async ({said, fails, isKept}) => {
    const {engine, agents, drafts} = openRun(waitingRun(), 'waiting_user');
    const draft = answersDraft({texts: [{id: question.id, prompt: question.prompt, text: 'blue'}]});
    await drafts.save(draft);
    if (fails) agents.play = (each) => each.fails({kind: 'rate_limit', message: 'not now'});
    await startJob(engine, resume('a', said));
    expect(drafts.list()).toEqual(isKept ? [draft] : []);
  });

  test('without a session relaunches the task with its questions and answers', async () => {
    const {engine, agents, runs} = openRun(
      waitingRun({provider_session_ref: '', resumable: false}),
      'waiting_user',
    );
    expect(await startJob(engine, resume('a', {answers}))).toMatchObject({output: {outcome: 'succeeded'}});
    const {kind, prompt, sessionRef: ref} = agents.agent.request;
    expect({kind, ref}).toEqual({kind: 'start', ref: null});
    expect(prompt.startsWith('# Task\na: Task a')).toBe(true);
    expect(prompt.endsWith(answersPrompt([question], answers))).toBe(true);
    expect(runs.records('a')).toMatchObject([{run_id: 'a-1', answers, provider_session_ref: 'session-1'}]);
  });

  test('without a session also includes the answers of an earlier round, each with its question', async () => {
    const earlier = [{id: question.id, value: 'M', prompt: 'Which size?'}];
    const {engine, agents} = openRun(
      waitingRun({provider_session_ref: '', resumable: false, answers: earlier}),
      'waiting_user',
    );
    await startJob(engine, resume('a', {answers}));
    expect(agents.agent.request.prompt).toContain(
      '# Answers to your questions\n- Which size?\n  M\n- Which color?\n  blue\n\n# Next',
    );
  });

  test('without a session is refused in another folder, and nothing is touched', async () => {
    const run = waitingRun({provider_session_ref: '', resumable: false, repo_root: '/elsewhere'});
    const {engine, log} = openRun(run, 'waiting_user');
    expect(await startJob(engine, resume('a', {answers}))).toMatchObject({
      output: {
        outcome: 'error',
        error: {
          code: 'E_RESUME_REFUSED',
          message: 'cannot resume a: it belongs to another working folder: /elsewhere (this is /project)',
        },
      },
    });
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('without a session first checks whether the agent is installed', async () => {
    const run = waitingRun({provider_session_ref: '', resumable: false});
    const {engine, agents, log} = openRun(run, 'waiting_user');
    agents.failCheck(new AppError('E_AGENT_NOT_FOUND', 'no claude'));
    expect(await startJob(engine, resume('a', {answers}))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_AGENT_NOT_FOUND'}},
    });
    expect(log).toEqual(['lock', 'unlock']);
  });

  test.each([
    {name: 'no answer', given: []},
    {name: 'an empty answer', given: [{id: question.id, value: ' '}]},
    {name: 'an answer to another question', given: [{id: 'size', value: 'large'}]},
  ])('with $name is refused and names the question', async ({given}) => {
    const {engine, log} = openRun(waitingRun(), 'waiting_user');
    expect(await startJob(engine, resume('a', {answers: given}))).toMatchObject({
      output: {
        outcome: 'error',
        error: {
          code: 'E_NO_INPUT',
          message: 'a waits for answers: color',
          details: [['color', 'Which color? (red | blue)']],
          next: [{command: "blackbird resume a --answer 'color=…'"}],
        },
      },
    });
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('with feedback skips the questions', async () => {
    const {engine, agents, runs} = openRun(waitingRun(), 'waiting_user');
    expect(await startJob(engine, resume('a', {feedback: 'never mind'}))).toMatchObject({
      output: {outcome: 'succeeded', run: {run_id: 'a-1'}},
    });
    expect(agents.agent.request).toMatchObject({kind: 'resume', prompt: feedbackPrompt('never mind', [])});
    expect(runs.records('a')).toHaveLength(1);
  });

  test('with feedback that was not delivered sends it with the answers, once', async () => {
    const {engine, agents, runs} = openRun(waitingRun(), 'waiting_user');
    agents.play = (each) => each.fails({kind: 'outage'});
    await startJob(engine, resume('a', {feedback: 'use tabs'}));
    expect(runs.records('a')).toMatchObject([
      {state: 'waiting', feedback: 'use tabs', feedback_undelivered: true},
    ]);
    agents.play = (each) => each.succeeds();
    await startJob(engine, resume('a', {answers}));
    expect(agents.agent.request.prompt).toBe(answersPrompt([question], answers, 'use tabs'));
    expect(runs.records('a')[0]).not.toHaveProperty('feedback_undelivered');
  });

  test('with feedback also sends the answers that were not delivered', async () => {
    const {engine, agents} = openRun(waitingRun(), 'waiting_user');
    agents.play = (each) => each.fails({kind: 'outage'});
    await startJob(engine, resume('a', {answers}));
    agents.play = (each) => each.succeeds();
    await startJob(engine, resume('a', {feedback: 'use tabs'}));
    expect(agents.agent.request.prompt).toBe(feedbackPrompt('use tabs', [], [question], answers));
  });

  test('with feedback needs a session', async () => {
    const {engine, log} = openRun(waitingRun({provider_session_ref: '', resumable: false}), 'waiting_user');
    expect(await startJob(engine, resume('a', {feedback: 'never mind'}))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_RESUME_REFUSED'}},
    });
    expect(log).toEqual(['lock', 'unlock']);
  });
});

describe('a resume without feedback of a failed task', () => {
  const failedRun = restingRun({
    state: 'failed',
    provider_session_ref: sessionRef,
    resumable: true,
    segments: [endedSegment()],
    failure: {kind: 'agent_error', message: 'no idea'},
  });

  test('continues in its session, as a linked run', async () => {
    const {engine, agents, runs, plans} = openRun(failedRun, 'failed');
    agents.play = (each) => each.succeeds();
    expect(await startJob(engine, resume('a'))).toMatchObject({output: {outcome: 'succeeded'}});
    expect(agents.agent.request).toMatchObject({
      kind: 'resume',
      sessionRef,
      prompt: expect.stringContaining('continue where it stopped'),
    });
    expect(runs.records('a')).toMatchObject([
      failedRun,
      {state: 'succeeded', resumed_from_run_id: failedRun.run_id, provider_session_ref: sessionRef},
    ]);
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
  });

  test('that meets an outage rests, and is told again', async () => {
    const {engine, agents, runs} = openRun(failedRun, 'failed');
    agents.play = (each) => each.fails({kind: 'outage'});
    await startJob(engine, resume('a', {feedback: 'use tabs'}));
    expect(runs.records('a').at(-1)).toMatchObject({
      state: 'paused',
      pause_reason: 'provider_unavailable',
      resumable: true,
      feedback: 'use tabs',
    });
    agents.play = (each) => each.succeeds();
    expect(await startJob(engine, resume('a'))).toMatchObject({output: {outcome: 'succeeded'}});
    expect(agents.agent.request.prompt).toContain('use tabs');
    expect(runs.records('a')).toHaveLength(2);
  });

  test('repeats what was not delivered when the agent refused it', async () => {
    const {engine, agents} = openRun(failedRun, 'failed');
    agents.play = (each) => each.fails({kind: 'resume_rejected'});
    await startJob(engine, resume('a', {feedback: 'use tabs'}));
    agents.play = (each) => each.succeeds();
    expect(await startJob(engine, resume('a'))).toMatchObject({output: {outcome: 'succeeded'}});
    expect(agents.agent.request.prompt).toContain('use tabs');
  });

  test('is refused without a session', async () => {
    const {engine} = openRun({...failedRun, provider_session_ref: '', resumable: false}, 'failed');
    expect(await startJob(engine, resume('a'))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_RESUME_REFUSED'}},
    });
  });
});

describe('feedback on a task that ended', () => {
  const ended = restingRun({
    state: 'succeeded',
    provider_session_ref: sessionRef,
    resumable: true,
    result: 'v1',
  });

  test('starts a new run in the same session, linked to the old one, which stays as it is', async () => {
    const {engine, agents, runs, plans} = openRun(ended, 'done');
    expect(await startJob(engine, resume('a', {feedback: 'use tabs'}))).toMatchObject({
      output: {outcome: 'succeeded', run: {run_id: 'a-2'}},
    });
    expect(agents.agent.request).toMatchObject({
      kind: 'resume',
      sessionRef,
      prompt: feedbackPrompt('use tabs', []),
    });
    const [old, fresh] = runs.records('a');
    expect(old).toEqual(ended);
    expect(fresh).toMatchObject({
      run_id: 'a-2',
      attempt: 2,
      resumed_from_run_id: 'a-1',
      provider_session_ref: sessionRef,
      state: 'succeeded',
    });
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
  });

  test('that cannot be written to the plan is canceled, and no agent runs', async () => {
    const {engine, agents, plans, runs} = openRun(ended, 'done');
    plans.failNextUpdate(new Error('the disk is full'));
    expect(await startJob(engine, resume('a', {feedback: 'use tabs'}))).toEqual({
      type: 'task',
      output: {outcome: 'error', error: new Error('the disk is full')},
    });
    expect(runs.records('a').map(({state}) => state)).toEqual(['succeeded', 'canceled']);
    expect(agents.agents).toEqual([]);
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
  });

  test('can be paused before the agent runs, and resumed', async () => {
    const {engine, agents, lock, runs} = openRun(ended, 'done');
    const release = lock.hold();
    const finished = startJob(engine, resume('a', {feedback: 'use tabs'}));
    engine.pause('user_interrupt');
    release();
    expect(await finished).toEqual({reason: 'paused'});
    expect(await startJob(engine, resume('a', {feedback: 'use tabs'}))).toMatchObject({
      output: {outcome: 'succeeded', run: {run_id: 'a-2'}},
    });
    expect(agents.agent.request.sessionRef).toBe(sessionRef);
    expect(runs.records('a')).toHaveLength(2);
  });

  test('is refused when the session cannot be resumed', async () => {
    const {engine, log} = openRun({...ended, resumable: false}, 'done');
    expect(await startJob(engine, resume('a', {feedback: 'use tabs'}))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_RESUME_REFUSED'}},
    });
    expect(log).toEqual(['lock', 'unlock']);
  });

  test.each(['resume_rejected', 'spawn_failed'] as const)(
    'that ends in %s leaves the task and its parents as they were',
    async (kind) => {
      const {engine, agents, runs, plans} = openProject({
        plan: planOf(family(task('p', {status: 'done'}), task('a', {status: 'done'}))),
        runs: [ended],
      });
      if (kind === 'spawn_failed') agents.failLaunch(new Error('no'));
      else agents.play = (each) => each.fails({kind, message: 'no'});
      const result = await startJob(engine, resume('a', {feedback: 'use tabs'}));
      expect(result).toMatchObject({output: {outcome: 'refused', reason: 'no', run: {run_id: 'a-2'}}});
      expect(runs.records('a')).toMatchObject([ended, {state: 'failed', failure: {kind}}]);
      expect(plans.statuses()).toEqual({p: 'done', a: 'done'});
    },
  );

  test('that is refused twice leaves the task as its last delivered run says', async () => {
    const {engine, agents, runs, plans} = openRun(ended, 'done');
    agents.play = (each) => each.fails({kind: 'resume_rejected'});
    await startJob(engine, resume('a', {feedback: 'use tabs'}));
    await startJob(engine, resume('a', {feedback: 'use tabs'}));
    expect(runs.records('a')).toHaveLength(3);
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
  });

  test('that cannot be written to the plan never started, and the task keeps its status', async () => {
    const {engine, runs, plans, gone} = openRun(ended, 'done');
    const error = new AppError('E_STORE_WRITE', 'the disk is full');
    plans.failNextUpdate(error);
    expect(await startJob(engine, resume('a', {feedback: 'use tabs'}))).toMatchObject({
      output: {outcome: 'error', error},
    });
    expect(runs.records('a').map(({state}) => state)).toEqual(['succeeded', 'canceled']);
    expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
    expect(gone()).toEqual([]);
  });

  test('is repeated after a pause, with what is added to it', async () => {
    const {engine, agents, startHanging, runs} = openRun(ended, 'done');
    for (const feedback of ['use tabs', null, 'and no semicolons']) {
      const {finished} = await startHanging(resume('a', {feedback}));
      engine.pause('user_interrupt');
      await finished;
    }
    expect(agents.agents.map(({request}) => request.prompt)).toEqual([
      feedbackPrompt('use tabs', []),
      continuePrompt([], [], 'use tabs'),
      feedbackPrompt('use tabs\n\nand no semicolons', []),
    ]);
    expect(agents.agents[1]?.request.prompt).toContain('# Requested changes\nuse tabs');
    expect(runs.records('a').at(-1)).toMatchObject({feedback: 'use tabs\n\nand no semicolons'});
  });

  test('is what an ended run needs: without it there is nothing to resume', async () => {
    const {engine, log} = openRun(ended, 'done');
    expect(await startJob(engine, resume('a'))).toMatchObject({
      output: {
        outcome: 'error',
        error: {code: 'E_NOTHING_TO_RESUME', message: 'nothing to resume for a: its latest run succeeded'},
      },
    });
    expect(log).toEqual(['lock', 'unlock']);
  });
});

describe('restarting', () => {
  test.each([
    {name: 'paused', run: pausedRun(), status: 'in_progress'},
    {name: 'waiting', run: waitingRun(), status: 'waiting_user'},
    {name: 'failed', run: restingRun({state: 'failed'}), status: 'failed'},
    {name: 'succeeded', run: restingRun({state: 'succeeded'}), status: 'done'},
  ] as const)(
    'a $name task starts a new run in a new session; both are linked and the old one is kept',
    async ({run, status}) => {
      const {engine, agents, runs, plans, violations} = openRun(run, status);
      agents.choosesSession = true;
      expect(await startJob(engine, restart('a'))).toMatchObject({
        output: {outcome: 'succeeded', run: {run_id: 'a-2'}},
      });
      const fresh = '00000000-0000-4000-8000-000000000001';
      expect(agents.agent.request).toMatchObject({kind: 'start', sessionRef: fresh});
      expect(agents.agent.request.prompt).toContain('# Task\na: Task a');
      const [old, restarted] = runs.records('a');
      expect(old).toEqual({...run, updated_at: now, superseded_by_run_id: 'a-2'});
      expect(restarted).toMatchObject({
        attempt: 2,
        restart_of_run_id: 'a-1',
        provider_session_ref: fresh,
        state: 'succeeded',
      });
      expect(plans.statuses()).toEqual({a: 'done', z: 'todo'});
      expect(violations).toEqual([]);
    },
  );

  test('uses the provider that is chosen now', async () => {
    const {engine, runs} = openRun(pausedRun());
    await startJob(engine, restart('a', {saved: 'codex'}));
    expect(runs.records('a').map(({provider}) => provider)).toEqual(['claude', 'codex']);
  });

  test('a superseded run cannot be resumed through the new one', async () => {
    const {engine, agents} = openRun(pausedRun());
    agents.play = (each) => each.fails();
    await startJob(engine, restart('a'));
    expect(await startJob(engine, resume('a'))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_RESUME_REFUSED'}},
    });
  });

  test('that was withdrawn by a Blackbird that died before it recorded so replaces nothing', async () => {
    const {engine, runs} = openRun(pausedRun({superseded_by_run_id: 'a-2'}));
    const {phase: _, ...canceled} = runRecord({run_id: 'a-2', attempt: 2, restart_of_run_id: 'a-1'});
    await runs.insert({...canceled, state: 'canceled'});
    expect(await startJob(engine, resume('a'))).toMatchObject({
      output: {outcome: 'succeeded', run: {run_id: 'a-1'}},
    });
    expect(runs.records('a')[0]).not.toHaveProperty('superseded_by_run_id');
  });

  test('stays the replacement when it is resumed and paused before its agent is released', async () => {
    const {engine, agents, runs} = openProject({
      plan: planOf(task('a', {status: 'in_progress'})),
      runs: [
        waitingRun({superseded_by_run_id: 'a-2'}),
        pausedRun({run_id: 'a-2', attempt: 2, restart_of_run_id: 'a-1'}),
      ],
    });
    const release = agents.holdLaunch();
    const finished = startJob(engine, resume('a'));
    await settle();
    engine.pause('user_interrupt');
    release();
    await finished;
    expect(runs.records('a')).toMatchObject([
      {run_id: 'a-1', superseded_by_run_id: 'a-2'},
      {run_id: 'a-2', state: 'paused', restart_of_run_id: 'a-1'},
    ]);
  });

  test('that fails leaves the session that can be resumed; the attempt still counts', async () => {
    const {engine, plans, runs} = openRun(waitingRun(), 'waiting_user');
    plans.failNextUpdate(new AppError('E_STORE_WRITE', 'the disk is full'));
    expect(await startJob(engine, restart('a'))).toMatchObject({output: {error: {code: 'E_STORE_WRITE'}}});
    expect(runs.records('a')).toMatchObject([waitingRun(), {run_id: 'a-2', state: 'canceled'}]);
    const answers = [{id: question.id, value: 'blue'}];
    expect(await startJob(engine, resume('a', {answers}))).toMatchObject({
      output: {outcome: 'succeeded', run: {run_id: 'a-1'}},
    });
    expect(await startJob(engine, restart('a'))).toMatchObject({output: {run: {run_id: 'a-3', attempt: 3}}});
  });

  test('that never started replaced nothing', async () => {
    const {engine, runs, plans} = openProject({
      plan: planOf(task('a', {status: 'in_progress'})),
      runs: [
        waitingRun({superseded_by_run_id: 'a-2'}),
        runRecord({run_id: 'a-2', attempt: 2, restart_of_run_id: 'a-1'}),
      ],
    });
    await startJob(engine, execute({maxTasks: 0}));
    expect(plans.statuses()).toEqual({a: 'waiting_user'});
    expect(runs.records('a')).toEqual([
      waitingRun({updated_at: now}),
      expect.objectContaining({state: 'canceled'}),
    ]);
  });

  test('a task that never ran is refused', async () => {
    const {engine, log} = openProject({plan: planOf(task('a'))});
    expect(await startJob(engine, restart('a'))).toMatchObject({
      output: {outcome: 'error', error: {code: 'E_RESTART_REFUSED', message: 'a has no run to restart'}},
    });
    expect(log).toEqual(['lock', 'unlock']);
  });
});

describe('a single task', () => {
  test.each([
    {job: resume('p'), code: 'E_TASK_NOT_READY'},
    {job: restart('p'), code: 'E_TASK_NOT_READY'},
    {job: resume('x'), code: 'E_TASK_NOT_FOUND'},
    {job: resume('__proto__'), code: 'E_TASK_NOT_FOUND'},
    {job: resume('c'), code: 'E_NOTHING_TO_RESUME'},
  ])('is refused with $code', async ({job, code}) => {
    const {engine, log} = openProject({plan: planOf(family(task('p'), task('c')))});
    expect(await startJob(engine, job)).toMatchObject({output: {outcome: 'error', error: {code}}});
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('quotes its commands for a shell', async () => {
    const id = "it's; rm -rf";
    const {engine} = openProject({plan: planOf(task(id))});
    expect(await startJob(engine, resume(id))).toMatchObject({
      output: {error: {next: [{command: String.raw`blackbird execute 'it'\''s; rm -rf'`}]}},
    });
  });
});

describe('recovery', () => {
  /** Repairs without executing anything. */
  const repair = execute({maxTasks: 0});
  const lost = runRecord({
    phase: 'active',
    provider_session_ref: sessionRef,
    resumable: true,
    segments: [openSegment()],
  });
  const resumed = {argv: ['claude', '-p', '--resume', sessionRef]};

  test.each([
    {name: 'whose session was stored', run: lost, isStored: true, resumable: true},
    {name: 'whose session was not stored yet', run: lost, isStored: false, resumable: false},
    {
      name: 'that captured no session',
      run: {...lost, provider_session_ref: '', resumable: false},
      isStored: true,
      resumable: false,
    },
    {
      name: 'that was resumed in a stored session',
      run: {...lost, segments: [endedSegment(), openSegment(2, resumed)]},
      isStored: false,
      resumable: true,
    },
    {
      name: 'that took over the session of another run',
      run: {...lost, resumed_from_run_id: 'a-0', segments: [openSegment(1, resumed)]},
      isStored: false,
      resumable: true,
    },
    {
      name: 'that opened its own session in a later segment',
      run: {...lost, segments: [endedSegment(), openSegment(2)]},
      isStored: false,
      resumable: false,
    },
    {
      name: 'whose resume was recorded but not started',
      run: {...lost, phase: 'launching' as const, segments: [endedSegment()]},
      isStored: false,
      resumable: true,
    },
  ])('a run $name is paused and resumable = $resumable', async ({run, isStored, resumable}) => {
    const {engine, runs, plans, log, storedSessions} = openRun(run);
    if (isStored) storedSessions.add('a-1');
    await startJob(engine, repair);
    const {phase: _, ...rest} = run;
    expect(runs.records('a')).toEqual([
      {
        ...rest,
        state: 'paused',
        ...pausedSince(now, 'process_lost'),
        updated_at: now,
        resumable,
        review_summary: noSummary,
      },
    ]);
    expect(plans.statuses()).toEqual({a: 'in_progress', z: 'todo'});
    expect(log).toEqual([
      'lock',
      'sweep a-1',
      resumable ? 'record a-1 paused session-1' : 'record a-1 paused',
      'unlock',
    ]);
  });

  test('ends what the lost Blackbird left before it says paused', async () => {
    const fake = createFakeServices({plan: planOf(task('a'))});
    const first = crashable(fake);
    void createEngine(first.services).start(execute());
    await settle();
    first.die({hasGuardian: false});
    expect(fake.agents.alive()).toHaveLength(1);

    await createEngine(fake.services).start(repair);
    expect(fake.log.slice(-5)).toEqual(['lock', 'sweep a-1', 'exit a-1', 'record a-1 paused', 'unlock']);
    expect(fake.violations).toEqual([]);
  });

  test('a run that never started is canceled, and its task is ready again', async () => {
    const {engine, agents, runs, plans} = openRun(runRecord());
    await startJob(engine, repair);
    const {phase: _, ...rest} = runRecord();
    expect(runs.records('a')).toEqual([
      {
        ...rest,
        state: 'canceled',
        updated_at: now,
        failure: {kind: 'stopped', message: 'Blackbird ended before the agent was started'},
      },
    ]);
    expect(plans.statuses()).toEqual({a: 'todo', z: 'todo'});
    await startJob(engine, execute({taskIds: ['a']}));
    expect(runs.records('a').map(({attempt, state}) => [attempt, state])).toEqual([
      [1, 'canceled'],
      [2, 'succeeded'],
    ]);
    expect(agents.agents).toHaveLength(1);
  });

  test('feedback that never started leaves the task as the previous run did', async () => {
    const done = restingRun({state: 'succeeded', provider_session_ref: sessionRef, resumable: true});
    const {engine, runs, plans} = openProject({
      plan: planOf(task('a', {status: 'in_progress'})),
      runs: [
        done,
        runRecord({
          run_id: 'a-2',
          attempt: 2,
          resumed_from_run_id: 'a-1',
          provider_session_ref: sessionRef,
          resumable: true,
        }),
      ],
    });
    await startJob(engine, repair);
    expect(runs.records('a').map(({state}) => state)).toEqual(['succeeded', 'canceled']);
    expect(plans.statuses()).toEqual({a: 'done'});
  });

  test.each([
    {state: 'succeeded', status: 'done'},
    {state: 'failed', status: 'failed'},
    {state: 'waiting', status: 'waiting_user'},
    {state: 'canceled', status: 'todo'},
    {state: 'paused', status: 'in_progress'},
  ] as const)('a run that $state before the plan was written is $status', async ({state, status}) => {
    const {engine, plans, runs} = openRun(restingRun({state, updated_at: now}));
    await startJob(engine, repair);
    expect(plans.statuses()).toEqual({a: status, z: 'todo'});
    expect(runs.records('a')).toEqual([restingRun({state, updated_at: now})]);
  });

  test.each([
    {name: 'after', updatedAt: '2026-02-02T01:00:00.001Z', status: 'in_progress'},
    {name: 'at the time of', updatedAt: begun, status: 'done'},
    {name: 'before', updatedAt: made, status: 'done'},
  ] as const)('a task that was changed $name its run is $status', async ({updatedAt, status}) => {
    const {engine, plans} = openProject({
      plan: planOf(task('a', {status: 'in_progress', updatedAt})),
      runs: [restingRun({state: 'succeeded'})],
    });
    await startJob(engine, repair);
    expect(plans.statuses()).toEqual({a: status});
  });

  test.each(['done', 'todo', 'skipped', 'failed'] as const)(
    'a task that the user set to %s is left alone',
    async (status) => {
      const run = restingRun({state: 'paused'});
      const {engine, plans, log} = openProject({plan: planOf(task('a', {status})), runs: [run]});
      await startJob(engine, repair);
      expect(plans.statuses()).toEqual({a: status});
      expect(log).toEqual(['lock', 'unlock']);
    },
  );

  test('is idempotent', async () => {
    const {engine, log, storedSessions} = openProject({
      plan: planOf(
        task('a', {status: 'in_progress'}),
        task('b', {status: 'in_progress'}),
        task('c', {status: 'in_progress'}),
      ),
      runs: [
        lost,
        runRecord({task_id: 'b', run_id: 'b-1'}),
        restingRun({state: 'succeeded', task_id: 'c', run_id: 'c-1'}),
      ],
    });
    storedSessions.add('a-1');
    await startJob(engine, repair);
    expect(log).toContain('plan c done');
    log.length = 0;
    await startJob(engine, repair);
    expect(log).toEqual(['lock', 'unlock']);
  });

  test('processes that cannot be ended are named, and nothing is started', async () => {
    const {engine, agents, runs, log} = openRun(lost);
    agents.remaining = [7, 8];
    expect(await startJob(engine, execute())).toEqual({
      reason: 'error',
      error: new AppError('E_PROCESS_ALIVE', 'processes 7, 8 of run a-1 are alive and cannot be ended', {
        details: [
          ['run', 'a-1'],
          ['pids', '7, 8'],
        ],
      }),
    });
    expect(runs.records('a')).toEqual([lost]);
    expect(log).toEqual(['lock', 'sweep a-1', 'unlock']);
  });

  test.each([
    {name: 'set to done', plan: planOf(task('a', {status: 'done'})), statuses: {a: 'done'}},
    {name: 'set to todo', plan: planOf(task('a'), task('z')), statuses: {a: 'todo', z: 'todo'}},
    {name: 'deleted', plan: planOf(task('z')), statuses: {z: 'todo'}},
  ])('ends what is left of a task that was $name, and leaves the plan alone', async ({plan, statuses}) => {
    const {engine, runs, plans, log} = openProject({plan, runs: [lost]});
    await startJob(engine, repair);
    expect(log).toContain('sweep a-1');
    expect(runs.records('a')).toMatchObject([{state: 'paused', pause_reason: 'process_lost'}]);
    expect(plans.statuses()).toEqual(statuses);
  });

  describe('of a run that another process launched', () => {
    const other = {pid: 77, start_time: '7', boot_id: 'boot', pid_namespace: 'pid:[1]'};
    const asSelf = {pid: 77, startTime: '7', bootId: 'boot', pidNamespace: 'pid:[1]'};
    const owned = {...lost, owner: other};

    test('is refused while that process lives, and nothing is touched', async () => {
      const fake = createFakeServices({plan: planOf(task('a', {status: 'in_progress'})), runs: [owned]});
      const engine = createEngine({...fake.services, livenessOf: () => 'alive'});
      expect(await startJob(engine, repair)).toMatchObject({
        reason: 'error',
        error: {code: 'E_REPO_LOCKED', message: 'process 77 is already executing this plan'},
      });
      expect(fake.runs.records('a')).toEqual([owned]);
      expect(fake.log).toEqual(['lock', 'unlock']);
    });

    test.each([
      {name: 'is gone', self: null, liveness: 'dead'},
      {name: 'cannot be seen from here', self: null, liveness: 'unknown'},
      {name: 'is this one', self: asSelf, liveness: 'alive'},
    ] as const)('continues when that process $name', async ({self, liveness}) => {
      const fake = createFakeServices({plan: planOf(task('a', {status: 'in_progress'})), runs: [owned]});
      await createEngine({...fake.services, self, livenessOf: () => liveness}).start(repair);
      expect(fake.runs.records('a')).toMatchObject([{state: 'paused'}]);
    });

    test('knows it by the record, from the launch on and from every resume', async () => {
      const fake = createFakeServices({
        plan: planOf(task('a', {status: 'in_progress'}), task('b')),
        runs: [pausedRun()],
      });
      fake.agents.play = (each) => each.succeeds();
      const engine = createEngine({...fake.services, self: asSelf});
      await startJob(engine, resume('a'));
      await startJob(engine, execute());
      expect(fake.runs.records('a')).toMatchObject([{owner: other}]);
      expect(fake.runs.records('b')).toMatchObject([{owner: other}]);
    });
  });

  test('of a run that the plan does not know happens when its task is executed', async () => {
    const {engine, runs} = openProject({plan: planOf(task('a')), runs: [runRecord()]});
    await startJob(engine, execute());
    expect(runs.records('a').map(({attempt, state}) => [attempt, state])).toEqual([
      [1, 'canceled'],
      [2, 'succeeded'],
    ]);
  });
});

describe('a project of the Go program', () => {
  const goRecord = (fields: Record<string, unknown>) =>
    `${JSON.stringify({id: 'feed', taskId: 'a', provider: 'claude', provider_session_ref: sessionRef, startedAt: begun, ...fields}, null, 2)}\n`;

  function openGoProject(status: 'waiting_user' | 'in_progress' | 'done', text: string) {
    const project = openProject({plan: planOf(task('a', {status}))});
    project.runs.texts.set('a', new Map([['feed.json', text]]));
    return {...project, goText: () => project.runs.texts.get('a')?.get('feed.json')};
  }

  test('has its waiting task answered by a new run, linked to the old record, which is not rewritten', async () => {
    const text = goRecord({status: 'waiting_user'});
    const {engine, agents, runs, goText} = openGoProject('waiting_user', text);
    expect(await startJob(engine, resume('a'))).toMatchObject({
      output: {outcome: 'succeeded', run: {run_id: 'a-2'}},
    });
    expect(agents.agent.request).toMatchObject({kind: 'resume', sessionRef});
    expect(runs.records('a').at(-1)).toMatchObject({
      attempt: 2,
      resumed_from_run_id: 'feed',
      state: 'succeeded',
    });
    expect(goText()).toBe(text);
  });

  test('has its task restarted, and the old record is not rewritten', async () => {
    const text = goRecord({status: 'success'});
    const {engine, runs, goText} = openGoProject('done', text);
    await startJob(engine, restart('a'));
    expect(runs.records('a').at(-1)).toMatchObject({attempt: 2, restart_of_run_id: 'feed'});
    expect(goText()).toBe(text);
  });

  test('with a running record has lost that run: it can be resumed, and is not rewritten', async () => {
    const text = goRecord({status: 'running'});
    const {engine, runs, goText, log} = openGoProject('in_progress', text);
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'completed', attempted: []}});
    expect(log).toEqual(['lock', 'unlock']);
    expect(await startJob(engine, resume('a'))).toMatchObject({
      output: {outcome: 'succeeded', run: {run_id: 'a-2'}},
    });
    expect(runs.records('a').at(-1)).toMatchObject({resumed_from_run_id: 'feed'});
    expect(goText()).toBe(text);
  });
});

describe('the views', () => {
  test('are notified of what happens, in order', async () => {
    const {engine, agents, facts, runs} = openProject({plan: planOf(task('a'))});
    agents.play = (each) => {
      each.opensSession();
      each.says({type: 'activity', activity: {kind: 'command', text: '$ ls'}});
      each.succeeds();
    };
    await startJob(engine, execute());
    expect(facts.map(({type}) => type)).toEqual([
      'task.started',
      'run.updated',
      'run.updated',
      'agent.news',
      'run.updated',
      'task.settled',
    ]);
    expect(facts.at(0)).toMatchObject({
      prepared: {task: {id: 'a', title: 'Task a'}, run: {phase: 'launching'}},
    });
    expect(facts.at(-1)).toEqual({type: 'task.settled', run: runs.records('a')[0]});
  });

  test('are not notified once they unsubscribed', async () => {
    const {engine} = openProject({plan: planOf(task('a'))});
    const facts: EngineFact[] = [];
    engine.subscribe((fact) => facts.push(fact))();
    await startJob(engine, execute());
    expect(facts).toEqual([]);
  });

  test('that fail neither stop the run nor each other', async () => {
    const {engine, agents, facts, runs, plans} = openProject({plan: planOf(task('a'))});
    const seen: string[] = [];
    engine.subscribe(() => {
      throw new Error('a view broke');
    });
    engine.subscribe(({type}) => seen.push(type));
    agents.play = (each) => {
      each.opensSession();
      each.says({type: 'activity', activity: {kind: 'command', text: '$ ls'}});
      each.succeeds();
    };
    expect(await startJob(engine, execute())).toMatchObject({output: {reason: 'completed'}});
    expect(runs.records('a')).toMatchObject([{state: 'succeeded'}]);
    expect(plans.statuses()).toEqual({a: 'done'});
    expect(seen).toEqual(facts.map(({type}) => type));
  });

  test('that fail do not keep a pause from the agent', async () => {
    const {engine, startHanging} = openProject({plan: planOf(task('a'))});
    engine.subscribe(({type}) => {
      if (type === 'engine.pausing') throw new Error('a view broke');
    });
    const {finished} = await startHanging(execute());
    engine.pause('user_interrupt');
    expect(await finished).toMatchObject({output: {reason: 'paused'}});
  });
});

describe('Ctrl+Z', () => {
  test('stops and continues the live agent, and nothing when there is none', async () => {
    const {engine, agents, startHanging, log} = openProject({plan: planOf(task('a'))});
    engine.suspend();
    engine.wake();
    expect(log).toEqual([]);
    const {finished} = await startHanging(execute());
    engine.suspend();
    engine.wake();
    expect(log.slice(-2)).toEqual(['suspend a-1', 'wake a-1']);
    agents.agent.succeeds();
    await finished;
    log.length = 0;
    engine.suspend();
    expect(log).toEqual([]);
  });
});

test('to stop after the task lets it end and starts no other', async () => {
  const {engine, agents, startHanging, gone} = openProject({plan: planOf(task('a'), task('b'))});
  const {finished} = await startHanging(execute());
  engine.stopAfterTask();
  agents.agent.succeeds();
  expect(await finished).toMatchObject({output: {reason: 'completed', attempted: [{taskId: 'a'}]}});
  expect(gone()).toEqual(['go a-1']);
});
