import {describe, expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import {undoStep} from '../../src/machines/policies/job/job-steps.ts';
import {undoMachine} from '../../src/machines/undo.machine.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {endedSegment, restingRun, runRecord} from '../fakes/runs.ts';
import {crashable, createFakeServices, type FakeServices} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {jobOf, startJob} from '../helpers/jobs.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {family, now, planOf, task} from '../helpers/plans.ts';

const worked = (fields: Partial<RunRecord> = {}) =>
  restingRun({
    state: 'succeeded',
    baseline_tree: 'before',
    result_tree: 'after',
    segments: [{...endedSegment(), baseline_tree: 'before', result_tree: 'after'}],
    ...fields,
  });

function project({
  runs = [worked()],
  plan = planOf(task('a', {status: 'done'})),
  tree = 'after',
} = {}): FakeServices {
  const fake = createFakeServices({plan, runs});
  fake.changes.tree = tree;
  return fake;
}

const undo = (fake: FakeServices, options: Parameters<typeof undoStep>[1] = {}, taskId = 'a') =>
  startJob(createEngine(fake.services), jobOf([undoStep(taskId, options)]));

const errorOf = async (outcome: ReturnType<typeof undo>) => {
  const {output} = (await outcome) as {output: {error: unknown}};
  return output.error;
};

describe('an undo', () => {
  const changed = (key: string, before: unknown, after: unknown) => ({
    kind: 'settings' as const,
    text: 'it was changed',
    path: '.blackbird/config.json',
    settings: [{key, before, after}],
  });

  test('restores the settings that the agent changed, before the plan is written', async () => {
    const side_effects = [changed('execution.pauseGraceSeconds', 5, 60)];
    const fake = project({runs: [worked({side_effects})]});
    await undo(fake);
    expect(fake.log.filter((entry) => /^(setting|plan)/.test(entry))).toEqual([
      'setting execution.pauseGraceSeconds 60 → 5',
      'plan a todo',
    ]);
    expect(fake.runs.records('a').at(-1)).toMatchObject({
      settings_taken_back: {taken: ['execution.pauseGraceSeconds'], left: []},
    });
  });

  test('names the settings that cannot be restored, and still succeeds', async () => {
    const side_effects = [changed('execution.pauseGraceSeconds', 5, 60)];
    const fake = project({runs: [worked({side_effects})]});
    const writeSetting = async () => {
      throw new AppError('E_CONFLICT', 'somebody else set it');
    };
    await undo({...fake, services: {...fake.services, writeSetting}});
    expect(fake.runs.records('a').at(-1)).toMatchObject({
      state: 'succeeded',
      settings_taken_back: {
        taken: [],
        left: [
          {
            key: 'execution.pauseGraceSeconds',
            command: 'blackbird config set execution.pauseGraceSeconds 5',
          },
        ],
      },
    });
  });

  test('is recorded, then writes, then makes its task ready; the run records what replaced it', async () => {
    const fake = project();
    const outcome = await undo(fake);
    expect(fake.log).toEqual([
      'lock',
      'record a-2 running',
      'record a-1 succeeded',
      'plan a todo',
      'record a-2 succeeded',
      'unlock',
    ]);
    expect(fake.changes.tree).toBe('before');
    const [undone, record] = fake.runs.records('a');
    expect(undone).toMatchObject({run_id: 'a-1', superseded_by_run_id: 'a-2'});
    expect(record).toEqual({
      schema_version: 1,
      run_id: 'a-2',
      task_id: 'a',
      run_type: 'undo',
      job_id: '20260202-020202-000001',
      attempt: 2,
      state: 'succeeded',
      provider: 'claude',
      provider_session_ref: '',
      resumable: false,
      repo_root: '/project',
      created_at: now,
      updated_at: now,
      segments: [],
      stdout: '',
      stderr: '',
      exit_code: null,
      baseline_tree: 'after',
      result_tree: 'before',
      review_summary: {files: ['after-before'], diffstat: '', snippets: []},
      undo: {run_ids: ['a-1'], is_redo: false, task_status: 'done'},
    });
    expect(outcome).toMatchObject({type: 'undo', output: {outcome: 'undone', run: record}});
  });

  test('is undone by naming it: files, status and run are as before', async () => {
    const fake = project();
    await undo(fake);
    await undo(fake, {runId: 'a-2'});
    expect(fake.changes.tree).toBe('after');
    expect(fake.plans.statuses().a).toBe('done');
    const [run, , redo] = fake.runs.records('a');
    expect(run?.superseded_by_run_id).toBeUndefined();
    expect(redo).toMatchObject({
      run_type: 'undo',
      state: 'succeeded',
      undo: {run_ids: ['a-2'], is_redo: true},
    });
    // And once more.
    await undo(fake, {runId: 'a-3'});
    expect(fake.changes.tree).toBe('before');
    expect(fake.plans.statuses().a).toBe('todo');
    expect(fake.runs.records('a')[0]?.superseded_by_run_id).toBe('a-4');
  });

  test('of an earlier undo leaves the run that came since as it is', async () => {
    const replaced = worked({superseded_by_run_id: 'a-2'});
    const earlier = worked({
      run_id: 'a-2',
      run_type: 'undo',
      attempt: 2,
      baseline_tree: 'after',
      result_tree: 'before',
      segments: [],
      undo: {run_ids: ['a-1'], is_redo: false, task_status: 'done'},
    });
    const fake = project({runs: [replaced, earlier, worked({run_id: 'a-3', attempt: 3})], tree: 'before'});
    expect(await undo(fake, {runId: 'a-2'})).toMatchObject({output: {outcome: 'undone'}});
    expect(fake.runs.records('a').map((run) => [run.run_id, run.superseded_by_run_id])).toEqual([
      ['a-1', 'a-2'],
      ['a-2', undefined],
      ['a-3', undefined],
      ['a-4', undefined],
    ]);
  });

  test('covers the whole chain of runs, or the named one', async () => {
    const chain = () => [
      worked({
        run_id: 'a-1',
        result_tree: 'mid',
        segments: [{...endedSegment(), baseline_tree: 'before', result_tree: 'mid'}],
      }),
      worked({
        run_id: 'a-2',
        attempt: 2,
        resumed_from_run_id: 'a-1',
        segments: [{...endedSegment(), baseline_tree: 'mid', result_tree: 'after'}],
      }),
    ];
    const whole = project({runs: chain(), tree: 'mid+after'});
    await undo(whole);
    expect(whole.runs.records('a').at(-1)?.undo?.run_ids).toEqual(['a-1', 'a-2']);
    const one = project({runs: chain()});
    await undo(one, {runId: 'a-2'});
    expect(one.changes.tree).toBe('mid');
    expect(one.runs.records('a').map((run) => run.superseded_by_run_id)).toEqual([
      undefined,
      'a-3',
      undefined,
    ]);
  });

  test('leaves a task that the next execute starts over, with its own change', async () => {
    const fake = project();
    await undo(fake);
    fake.agents.play = (agent) => agent.succeeds();
    await startJob(createEngine(fake.services), jobOf([{type: 'execute', taskIds: []}]));
    const {restart_of_run_id, resumed_from_run_id, attempt, run_type} = fake.runs.records('a').at(-1) ?? {};
    expect({restart_of_run_id, resumed_from_run_id, attempt, run_type}).toEqual({
      attempt: 3,
      run_type: 'execute',
    });
  });
});

describe('an undo is refused, and nothing is touched,', () => {
  const refused = async (fake: FakeServices, options: Parameters<typeof undo>[1] = {}, taskId = 'a') => {
    const before = {runs: fake.runs.records('a'), tree: fake.changes.tree};
    const error = await errorOf(undo(fake, options, taskId));
    expect({runs: fake.runs.records('a'), tree: fake.changes.tree}).toEqual(before);
    return error;
  };

  test('when files changed since', async () => {
    expect(await refused(project({tree: 'later'}))).toMatchObject({
      code: 'E_UNDO_CONFLICT',
      message: 'cannot undo a: a file has changed since; nothing was touched',
      details: [['before-after', 'edited since']],
    });
  });

  test('when a file was too large to be recorded: it did not change since, and force leaves it as it is', async () => {
    const fake = project();
    const planUndo = fake.changes.planUndo.bind(fake.changes);
    fake.changes.planUndo = async (change, options) => ({
      ...(await planUndo(change, options)),
      conflicts: [{path: 'big', reason: 'too large to have been recorded', isForceable: false}],
    });
    expect(await refused(fake)).toMatchObject({
      code: 'E_UNDO_CONFLICT',
      message: 'cannot undo a: a file cannot simply be restored; nothing was touched',
      details: [['big', 'too large to have been recorded']],
      next: [
        {command: 'blackbird undo a --dry-run'},
        {command: 'blackbird undo a --force', why: 'undo the rest; 1 file stays as it is'},
      ],
    });
  });

  test('when done tasks were built on it, also indirectly', async () => {
    const plan = planOf(
      task('a', {status: 'done'}),
      task('b', {status: 'done', deps: ['a']}),
      task('c', {deps: ['b']}),
      task('d', {status: 'in_progress', deps: ['c']}),
    );
    const told = {
      code: 'E_UNDO_REFUSED',
      message: 'cannot undo a: b, d built on it',
      next: [
        {command: 'blackbird undo d'},
        {command: 'blackbird undo b'},
        {command: 'blackbird undo a --dry-run'},
        {command: 'blackbird undo a --force'},
      ],
    };
    expect(await refused(project({plan}))).toMatchObject(told);
    // Their work is what conflicts.
    expect(await refused(project({plan, tree: 'later'}))).toMatchObject({
      ...told,
      details: [['before-after', 'edited since']],
    });
  });

  test.each([
    ['it never ran', [], 'todo', 'E_UNDO_REFUSED'],
    ['it waits for a decision', [worked({decision_state: 'pending'})], 'in_progress', 'E_DECISION_PENDING'],
    ['its files were not recorded', [runRecord({state: 'succeeded'})], 'done', 'E_DIFF_UNAVAILABLE'],
    ['it was already undone', [worked({superseded_by_run_id: 'a-2'})], 'todo', 'E_UNDO_REFUSED'],
  ] as const)('when %s', async (_, runs, status, code) => {
    const plan = planOf(task('a', {status}));
    expect(await refused(project({runs: [...runs], plan}))).toMatchObject({code});
  });

  test('of a parent, and names only the tasks below it that ran', async () => {
    const below = [task('a', {status: 'done'}), task('set', {status: 'done'})];
    const plan = planOf(family(task('p'), ...below));
    expect(await refused(project({plan}), {}, 'p')).toMatchObject({
      message: 'p has children; each of them is undone by itself',
      next: [{command: 'blackbird undo a'}],
    });
  });

  test('when the named run is not its own', async () => {
    expect(await refused(project(), {runId: 'b-1'})).toMatchObject({code: 'E_RUN_NOT_FOUND'});
  });
});

test('force overwrites what changed since, and says which files', async () => {
  const fake = project({tree: 'later'});
  await undo(fake, {isForced: true});
  expect(fake.changes.tree).toBe('before');
  expect(fake.runs.records('a').at(-1)).toMatchObject({
    baseline_tree: 'later',
    undo: {forced: ['before-after']},
  });
});

describe('an undo that dies', () => {
  test('in the middle of its files is found by the next job, and the same undo does the rest', async () => {
    const fake = project();
    const {services, die} = crashable(fake);
    const stuck = {...services, changes: {...services.changes, applyUndo: () => new Promise<void>(() => {})}};
    void createEngine(stuck).start(jobOf([undoStep('a')]));
    await eventually(() => expect(fake.log).toContain('record a-2 running'));
    die({hasGuardian: true});
    await undo(fake);
    expect(fake.runs.records('a').map(({run_id, state}) => [run_id, state])).toEqual([
      ['a-1', 'succeeded'],
      ['a-2', 'failed'],
      ['a-3', 'succeeded'],
    ]);
    expect(fake.runs.records('a')[1]).toMatchObject({
      result_tree: 'after',
      failure: {kind: 'stopped', message: 'Blackbird ended in the middle of it; undo the task again'},
    });
    expect(fake.plans.statuses().a).toBe('todo');
  });

  test('before the plan is written leaves the run it replaced to be undone again', async () => {
    const fake = project();
    const {services, die} = crashable(fake);
    const stuck = {...services, plans: {...services.plans, update: () => new Promise<never>(() => {})}};
    void createEngine(stuck).start(jobOf([undoStep('a')]));
    await eventually(() => expect(fake.runs.records('a')[0]?.superseded_by_run_id).toBe('a-2'));
    die({hasGuardian: true});
    expect(await undo(fake)).toMatchObject({output: {outcome: 'undone'}});
    expect(fake.runs.records('a').map(({run_id, state}) => [run_id, state])).toEqual([
      ['a-1', 'succeeded'],
      ['a-2', 'failed'],
      ['a-3', 'succeeded'],
    ]);
    expect(fake.runs.records('a')[0]?.superseded_by_run_id).toBe('a-3');
    expect(fake.plans.statuses().a).toBe('todo');
  });

  test('of an error records it, and its task stays as it was', async () => {
    const fake = project();
    fake.changes.applyUndo = async () => {
      throw new Error('disk full');
    };
    expect(await errorOf(undo(fake))).toEqual(new Error('disk full'));
    expect(fake.runs.records('a').at(-1)).toMatchObject({state: 'failed', failure: {message: 'disk full'}});
    expect(fake.plans.statuses().a).toBe('done');
  });
});

test('an undo whose run cannot be marked as replaced has failed: its task stays as it was', async () => {
  const fake = project();
  const error = new AppError('E_STORE_WRITE', 'the disk is full');
  fake.runs.failOn((run) => run.superseded_by_run_id !== undefined, error);
  expect(await errorOf(undo(fake))).toBe(error);
  expect(fake.runs.records('a').map(({state}) => state)).toEqual(['succeeded', 'failed']);
  expect(fake.plans.statuses().a).toBe('done');
});

test('an undo whose task cannot be set to ready has failed, and says so in its record', async () => {
  const fake = project();
  const error = new AppError('E_STORE_WRITE', 'the disk is full');
  fake.plans.failNextUpdate(error);
  expect(await errorOf(undo(fake))).toBe(error);
  expect(fake.runs.records('a').at(-1)).toMatchObject({
    state: 'failed',
    failure: {message: 'the disk is full'},
  });
  expect(fake.plans.statuses().a).toBe('done');
});

test('after a rejection the job continues with the undo; after any other end it does not', async () => {
  const plan = () => planOf(task('a', {status: 'in_progress'}));
  const gated = project({plan: plan(), runs: [worked({decision_required: true, decision_state: 'pending'})]});
  const rejecting = {
    type: 'task',
    taskId: 'a',
    mode: {type: 'review', decision: {state: 'rejected'}},
  } as const;
  const result = await createEngine(gated.services).start(jobOf([rejecting, undoStep('a')]));
  expect([result.reason, result.steps.map(({type}) => type)]).toEqual(['failed', ['task', 'undo']]);
  expect(gated.changes.tree).toBe('before');
  expect(gated.plans.statuses().a).toBe('todo');

  const other = project({plan: plan(), runs: [worked({decision_required: true, decision_state: 'pending'})]});
  const asking = {type: 'task', taskId: 'a', mode: {type: 'review', decision: null}} as const;
  const open = await createEngine(other.services).start(jobOf([asking, undoStep('a')]));
  expect([open.reason, other.changes.tree]).toEqual(['decision_required', 'after']);
});

test('every transition of the chart is reached', () => {
  const run = worked();
  const proposal = (isRedo: boolean) => ({
    request: {taskId: 'a', runId: null, isForced: false},
    task: {id: 'a', title: '', status: 'done'},
    run,
    undoes: [run],
    isRedo,
    files: {from: 'after', to: 'before', files: [], conflicts: []},
    dependents: [],
  });
  const done = (id: string, output: unknown) => ({type: `xstate.done.actor.${id}`, output});
  expect(
    unreachedTransitions(undoMachine, {
      inputs: [{taskId: 'a', runId: null, isForced: false}],
      payloads: [
        done('proposeUndo', proposal(false)),
        done('proposeUndo', proposal(true)),
        done('recordUndo', run),
        done('settleUndo', run),
        done('undone', {outcome: 'succeeded', run}),
        done('undone', {outcome: 'refused', run, obstacle: 'noSession'}),
      ],
      key: ({context}) => context.proposal?.isRedo,
    }),
  ).toEqual([]);
});
