import {describe, expect, test} from 'vitest';
import {createEngine} from '../../src/machines/engine.ts';
import type {Decision} from '../../src/machines/policies/review/decisions.ts';
import {endedSegment, restingRun} from '../fakes/runs.ts';
import {crashable, createFakeServices, type FakeServices} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {planOf, task} from '../helpers/plans.ts';

const sha = 'c0ffee0000000000000000000000000000000000';

/** A project with files, whose agents change them and succeed. */
function project(
  settings: Readonly<Record<string, unknown>> = {commit: 'task'},
  plan = planOf(task('a')),
): FakeServices {
  const fake = createFakeServices({plan, settings});
  fake.changes.tree = 'before';
  fake.agents.play = (agent) => {
    fake.changes.tree = 'after';
    agent.succeeds();
  };
  const {commit} = fake.changes;
  fake.changes.commit = (change, request) => {
    fake.log.push('commit');
    return commit(change, request);
  };
  return fake;
}

const execute = (fake: FakeServices) => startJob(createEngine(fake.services), executeJob());

describe('the commit of a task', () => {
  test('is made and recorded before the plan says done', async () => {
    const fake = project();
    await execute(fake);
    expect(fake.changes.commits).toEqual(['before-after a-1']);
    expect(fake.runs.records('a')[0]?.commit).toEqual({sha, branch: 'main'});
    const end = fake.log.slice(fake.log.indexOf('commit'));
    expect(end).toEqual(['commit', 'record a-1 succeeded', 'plan a done', 'unlock']);
  });

  test('is not made unless it is requested', async () => {
    const fake = project({});
    await execute(fake);
    expect(fake.changes.commits).toEqual([]);
    expect(fake.runs.records('a')[0]).not.toHaveProperty('commit');
  });

  test('that cannot be made says why; the task is still done', async () => {
    const fake = project();
    fake.changes.commitOutcome = {skipped: 'a merge is in progress'};
    await execute(fake);
    expect(fake.runs.records('a')[0]?.commit).toEqual({skipped: 'a merge is in progress'});
    expect(fake.plans.statuses()).toEqual({a: 'done'});
  });

  test('that cannot be recorded is an error, and the plan does not say done', async () => {
    const fake = project();
    fake.runs.failOn(({commit}) => commit !== undefined);
    expect(await execute(fake)).toMatchObject({
      output: {reason: 'error', error: {message: 'the disk is full'}},
    });
    expect(fake.plans.statuses()).toEqual({a: 'in_progress'});
  });

  test('does not exist without git', async () => {
    const fake = project();
    fake.changes.tree = null;
    fake.agents.play = (agent) => agent.succeeds();
    await execute(fake);
    expect(fake.runs.records('a')[0]?.commit).toEqual({skipped: 'there is no git repository'});
  });

  test('is not made for a failed task', async () => {
    const fake = project();
    fake.agents.play = (agent) => agent.fails();
    await execute(fake);
    expect(fake.changes.commits).toEqual([]);
  });

  test.each([
    [{state: 'approved_continue'}, ['before-after a-1']],
    [{state: 'approved_quit'}, ['before-after a-1']],
    [{state: 'rejected'}, []],
  ] satisfies ReadonlyArray<readonly [Decision, readonly string[]]>)(
    'comes after the decision %j',
    async (decision, commits) => {
      const fake = project({commit: 'task', stopAfterEachTask: true});
      await execute(fake);
      expect(fake.changes.commits).toEqual([]);
      await startJob(createEngine(fake.services), taskJob('a', {type: 'review', decision}));
      expect(fake.changes.commits).toEqual(commits);
    },
  );

  test('of a run that continues a committed one contains only what is new', async () => {
    const fake = project();
    await execute(fake);
    fake.agents.play = (agent) => {
      fake.changes.tree = 'later';
      agent.succeeds();
    };
    const [first] = fake.runs.records('a');
    await fake.services.runs.update('a', 'a-1', (run) => ({
      ...run,
      provider_session_ref: 'session-1',
      resumable: true,
    }));
    expect(first?.commit?.sha).toBe(sha);
    await startJob(
      createEngine(fake.services),
      taskJob('a', {type: 'resume', answers: [], feedback: 'use tabs'}),
    );
    expect(fake.changes.commits).toEqual(['before-after a-1', 'after-later a-2']);
  });
});

describe('a Blackbird that dies', () => {
  test('between the commit and its record: the next job commits again, and records the commit it finds', async () => {
    const fake = project();
    const {services, die} = crashable(fake);
    const commit: typeof services.changes.commit = async (change, request) => {
      await services.changes.commit(change, request);
      return new Promise(() => {});
    };
    void createEngine({...services, changes: {...services.changes, commit}}).start(executeJob());
    await eventually(() => expect(fake.changes.commits).toEqual(['before-after a-1']));
    die({hasGuardian: true});
    expect(fake.runs.records('a')[0]).not.toHaveProperty('commit');
    await execute(fake);
    expect(fake.changes.commits).toEqual(['before-after a-1', 'before-after a-1']);
    expect(fake.runs.records('a')[0]?.commit).toEqual({sha, branch: 'main'});
    expect(fake.plans.statuses()).toEqual({a: 'done'});
  });

  test('between the end of the run and the commit: the next job commits before the task is done', async () => {
    const segments = [{...endedSegment(), baseline_tree: 'before', result_tree: 'after'}];
    const run = restingRun({state: 'succeeded', baseline_tree: 'before', result_tree: 'after', segments});
    const plan = planOf(task('a', {status: 'in_progress', updatedAt: run.created_at}));
    const fake = createFakeServices({plan, runs: [run], settings: {commit: 'task'}});
    await execute(fake);
    expect(fake.changes.commits).toEqual(['before-after a-1']);
    expect(fake.plans.statuses()).toEqual({a: 'done'});
  });
});
