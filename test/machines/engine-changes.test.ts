import {describe, expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import type {Job} from '../../src/machines/policies/job/job-steps.ts';
import {feedbackPrompt} from '../../src/machines/policies/run/agent-prompt.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {noSummary} from '../fakes/fake-changes.ts';
import {pausedRun, question, restingRun, sessionRef} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {planOf, task} from '../helpers/plans.ts';

const execute = executeJob();
const resume = (feedback: string | null = null): Job => taskJob('a', {type: 'resume', answers: [], feedback});
const changed = {files: ['before-after'], diffstat: '', snippets: []};

function openProject(options: Parameters<typeof createFakeServices>[0] = {}) {
  const fake = createFakeServices({plan: planOf(task('a')), ...options});
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.changes.tree = 'before';
  const plays = (act: (agent: FakeAgent) => void) => {
    fake.agents.play = (agent) => {
      fake.changes.tree = 'after';
      agent.opensSession();
      act(agent);
    };
  };
  return {...fake, plays, engine: createEngine(fake.services)};
}

describe('the files of a run', () => {
  test.each([
    {state: 'succeeded', act: (agent: FakeAgent) => agent.succeeds()},
    {state: 'failed', act: (agent: FakeAgent) => agent.fails()},
    {
      state: 'waiting',
      act: (agent: FakeAgent) => agent.succeeds(JSON.stringify({blackbird: {questions: [question]}})),
    },
  ])('are recorded before its agent starts and in the write that says $state', async ({state, act}) => {
    const {engine, plays, runs, log} = openProject();
    plays(act);
    await startJob(engine, execute);
    expect(runs.records('a')).toMatchObject([
      {state, baseline_tree: 'before', result_tree: 'after', review_summary: changed},
    ]);
    expect(log.filter((entry) => entry.startsWith(`record a-1 ${state}`))).toHaveLength(1);
  });

  test('are recorded before and after every segment; changes in between are not its work', async () => {
    const {engine, plays, runs, changes} = openProject();
    plays(() => {});
    const finished = startJob(engine, execute);
    await settle();
    engine.pause('user_interrupt');
    await finished;
    expect(runs.records('a')).toMatchObject([
      {state: 'paused', baseline_tree: 'before', result_tree: 'after', review_summary: changed},
    ]);
    changes.tree = 'mine';
    plays((agent) => {
      changes.tree = 'end';
      agent.succeeds();
    });
    await startJob(engine, resume());
    expect(runs.records('a')).toMatchObject([
      {
        baseline_tree: 'before',
        result_tree: 'end',
        review_summary: {files: ['before+mine-after+end']},
        segments: [
          {baseline_tree: 'before', result_tree: 'after'},
          {baseline_tree: 'mine', result_tree: 'end'},
        ],
      },
    ]);
  });

  test('include what a check wrote when its agent continues after it', async () => {
    const {engine, plays, runs, changes, checks} = openProject({plan: planOf(task('a', {verify: ['test']}))});
    plays((agent) => agent.succeeds());
    checks.play = (check) => {
      changes.tree = 'checked';
      plays((agent) => {
        changes.tree = 'mended';
        agent.succeeds();
        checks.play = (again) => again.passes();
      });
      check.fails();
    };
    await startJob(engine, execute);
    expect(runs.records('a')).toMatchObject([
      {
        state: 'succeeded',
        verifications: [
          {tree: 'after', result_tree: 'checked'},
          {tree: 'mended', result_tree: 'mended'},
        ],
        review_summary: {files: ['before+after+checked-after+checked+mended']},
      },
    ]);
  });

  test.each([
    {name: 'requested changes', job: resume('use tabs'), first: 'succeeds'},
    {name: 'a restart of a paused run', job: taskJob('a', {type: 'restart'}), first: 'pauses'},
  ])('of the previous run are part of the summary after $name', async ({job, first}) => {
    const {engine, plays, runs, changes} = openProject();
    plays((agent) => {
      if (first === 'succeeds') agent.succeeds();
    });
    const finished = startJob(engine, execute);
    await settle();
    if (first === 'pauses') engine.pause('user_interrupt');
    await finished;
    changes.tree = 'mine';
    plays((agent) => {
      changes.tree = 'end';
      agent.succeeds();
    });
    await startJob(engine, job);
    expect(runs.records('a')).toMatchObject([
      {review_summary: {files: ['before-after']}},
      {baseline_tree: 'mine', result_tree: 'end', review_summary: {files: ['before+mine-after+end']}},
    ]);
  });

  test('of an agent that could not be started leave the previous segment as it was', async () => {
    const {engine, plays, runs, changes, agents} = openProject();
    plays(() => {});
    const finished = startJob(engine, execute);
    await settle();
    engine.pause('user_interrupt');
    await finished;
    changes.tree = 'mine';
    agents.failLaunch(new Error('out of memory'));
    await startJob(engine, resume());
    expect(runs.records('a')).toMatchObject([
      {
        segments: [{baseline_tree: 'before', result_tree: 'after'}],
        review_summary: {files: ['before-after']},
      },
    ]);
  });

  test('that git cannot list leave a note, and the run still ends', async () => {
    const {engine, plays, runs, changes} = openProject();
    plays((agent) => {
      changes.tree = null;
      agent.succeeds();
    });
    expect(await startJob(engine, execute)).toMatchObject({output: {reason: 'completed'}});
    const [run] = runs.records('a');
    expect(run).toMatchObject({state: 'succeeded', baseline_tree: 'before', review_summary: noSummary});
    expect(run).not.toHaveProperty('result_tree');
  });

  test('are not compared at the end when they could not be recorded at the start', async () => {
    const {engine, plays, runs, changes} = openProject();
    changes.tree = null;
    plays((agent) => agent.succeeds());
    await startJob(engine, execute);
    const [run] = runs.records('a');
    expect(run).not.toHaveProperty('baseline_tree');
    expect(run).not.toHaveProperty('result_tree');
    expect(run?.review_summary).toEqual(noSummary);
  });

  test('of an older run without a first tree are not compared', async () => {
    const {engine, plays, runs} = openProject({
      plan: planOf(task('a', {status: 'in_progress'})),
      runs: [pausedRun()],
    });
    plays((agent) => agent.succeeds());
    await startJob(engine, resume());
    expect(runs.records('a')[0]).toMatchObject({state: 'succeeded', review_summary: noSummary});
  });

  test('are named to dependents, and with feedback to the agent that changed them', async () => {
    const done = restingRun({
      state: 'succeeded',
      resumable: true,
      provider_session_ref: sessionRef,
      review_summary: {files: ['src/a.ts'], diffstat: '', snippets: []},
    });
    const {engine, plays, agents} = openProject({
      plan: planOf(task('a', {status: 'done'}), task('b', {deps: ['a']})),
      runs: [done],
    });
    plays((agent) => agent.succeeds());
    await startJob(engine, execute);
    expect(agents.agent.request.prompt).toContain('- a: Task a\n  files: src/a.ts');
    await startJob(engine, resume('use tabs'));
    expect(agents.agent.request.prompt).toBe(feedbackPrompt('use tabs', ['src/a.ts']));
  });

  test('are those of all runs in the chain that were delivered', async () => {
    const of = (attempt: number, file: string) => ({
      run_id: `a-${attempt}`,
      attempt,
      resumable: true,
      provider_session_ref: sessionRef,
      review_summary: {files: [file], diffstat: '', snippets: []},
    });
    const undelivered = {kind: 'resume_rejected', message: 'not now'} as const;
    const {engine, plays, agents} = openProject({
      plan: planOf(task('a', {status: 'done'}), task('b', {deps: ['a']})),
      runs: [
        restingRun({...of(1, 'src/1.ts'), state: 'succeeded', result: 'first'}),
        restingRun({...of(2, 'src/2.ts'), state: 'succeeded', result: 'second', resumed_from_run_id: 'a-1'}),
        restingRun({
          ...of(3, 'src/3.ts'),
          state: 'failed',
          failure: undelivered,
          resumed_from_run_id: 'a-2',
          feedback: 'use tabs',
        }),
      ],
    });
    plays((agent) => agent.succeeds());
    await startJob(engine, execute);
    expect(agents.agent.request.prompt).toContain('- a: Task a\n  second\n  files: src/1.ts, src/2.ts\n');
  });

  test('are compared before and after every run', async () => {
    const {engine, plays, changes, runs} = openProject({plan: planOf(task('a'), task('b'))});
    plays((agent) => agent.succeeds());
    await startJob(engine, execute);
    expect(changes.looks).toBe(4);
    expect(runs.records('b')).toMatchObject([{baseline_tree: 'after', result_tree: 'after'}]);
  });
});

describe('a task that was made ready again', () => {
  const failed = restingRun({
    state: 'failed',
    baseline_tree: 'before',
    result_tree: 'left',
    failure: {kind: 'agent_error', message: 'no'},
  });
  const undo = restingRun({state: 'succeeded', run_type: 'undo', run_id: 'a-2', attempt: 2, segments: []});

  test.each([
    {name: 'after a failure: what the failed run left is part of its change', runs: [failed], isLinked: true},
    {name: 'after a failure that was undone: it starts over', runs: [failed, undo], isLinked: false},
    {
      name: 'after a success: what was done before is not its change',
      runs: [restingRun({state: 'succeeded'})],
      isLinked: false,
    },
  ])('$name', async ({runs: before, isLinked}) => {
    const {engine, plays, runs} = openProject({runs: before});
    plays((agent) => agent.succeeds());
    await startJob(engine, execute);
    const [first, run] = [runs.records('a')[0], runs.records('a').at(-1)];
    expect([first?.superseded_by_run_id, run?.restart_of_run_id]).toEqual(
      isLinked ? [run?.run_id, 'a-1'] : [undefined, undefined],
    );
    expect(run?.review_summary?.files).toEqual([isLinked ? 'before+before-left+after' : 'before-after']);
  });
});

describe('records that the agent must not write', () => {
  const pending = restingRun({
    state: 'succeeded',
    task_id: 'b',
    run_id: 'b-1',
    decision_required: true,
    decision_state: 'pending',
    decision_requested_at: '2026-02-02T00:00:00.000Z',
  });

  test('an open decision about another task is restored, named, and stops the task', async () => {
    const plan = planOf(task('a', {status: 'in_progress'}), task('b', {status: 'in_progress'}));
    const {engine, plays, runs} = openProject({plan, runs: [pausedRun(), pending]});
    plays((agent) => {
      const approved = {...pending, decision_state: 'approved_quit'};
      runs.texts.get('b')?.set('b-1.json', JSON.stringify(approved));
      agent.succeeds();
    });
    await startJob(engine, resume());
    expect(runs.records('b')).toEqual([pending]);
    expect(runs.records('a').at(-1)).toMatchObject({
      state: 'succeeded',
      decision_state: 'pending',
      decision_forced: true,
      side_effects: [{kind: 'records', text: 'the open decision about b was changed; Blackbird restored it'}],
    });
  });

  test('what a dead Blackbird saw when its agent was released is compared with what the next one finds', async () => {
    const {engine, plays, runs, surroundings} = openProject();
    const look = (settings: Array<[string, string]>) => ({settings: new Map(settings), repository: null});
    surroundings.now = look([['config', '1']]);
    plays(() => {});
    const finished = startJob(engine, execute);
    await settle();
    const [left] = runs.records('a');
    expect(left?.segments[0]?.surroundings).toEqual({
      plan: 'memory',
      settings: {config: '1'},
      repository: null,
    });
    engine.pause('user_interrupt');
    await finished;
    expect(runs.records('a')[0]?.segments[0]).not.toHaveProperty('surroundings');

    const later = openProject({
      plan: planOf(task('a', {status: 'in_progress'})),
      runs: left ? [left] : [],
    });
    later.surroundings.now = look([['config', '2']]);
    await startJob(later.engine, execute);
    expect(later.runs.records('a')).toMatchObject([
      {state: 'paused', pause_reason: 'process_lost', side_effects: [{kind: 'settings'}]},
    ]);
  });
});
