import {describe, expect, test} from 'vitest';
import {dismissFeedback, editFeedback} from '../../src/machines/actors/overrule-feedback.ts';
import {pendingOf} from '../../src/machines/actors/pending-feedback.ts';
import {createEngine} from '../../src/machines/engine.ts';
import {completionSignature} from '../../src/machines/policies/review/completion-signature.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {sentBackFeedback} from '../fakes/memory-feedback-store.ts';
import {restingRun} from '../fakes/runs.ts';
import {crashable, createFakeServices, type FakeServices, settle} from '../fakes/services.ts';
import {executeJob} from '../helpers/jobs.ts';
import {family, now, planOf, task, taskIn} from '../helpers/plans.ts';

const done = {status: 'done'} as const;
const plan = planOf(family(task('p'), task('a', done), task('b', done)), task('late', {deps: ['p']}));
const later = '2026-02-02T02:02:03.000Z';

/** The review of p sent a and b back. */
function setUp(given: readonly RunRecord[] = []): FakeServices {
  const {services} = createFakeServices();
  const review = restingRun({
    run_id: 'p-1',
    task_id: 'p',
    run_type: 'review',
    state: 'succeeded',
    parent_review_passed: false,
    parent_review_completion_signature: completionSignature(
      'p',
      [
        {taskId: 'a', completedAt: now, hasRun: true},
        {taskId: 'b', completedAt: taskIn(plan, 'b').updatedAt, hasRun: false},
      ],
      services.digest,
    ),
  });
  const fake = createFakeServices({plan, runs: [restingRun({state: 'succeeded'}), review, ...given]});
  for (const childTaskId of ['a', 'b'])
    fake.feedback.entries.set(childTaskId, sentBackFeedback({childTaskId}));
  fake.agents.play = (each) => each.succeeds('Done.');
  return fake;
}

const dismissAll = ({services}: Pick<FakeServices, 'services'>) =>
  dismissFeedback(services, ['a', 'b'], 'ada');
const dismissals = ({runs}: FakeServices) =>
  runs.records('p')[0]?.parent_review_dismissed?.map(({task_id}) => task_id);

/** A project as a Blackbird leaves it that died after this write. */
async function killedAfter(writes: number, act: (fake: Pick<FakeServices, 'services'>) => Promise<unknown>) {
  const fake = setUp();
  const life = crashable(fake);
  const push = fake.log.push.bind(fake.log);
  fake.log.push = (...entries) => {
    const length = push(...entries);
    if (length === writes) life.die({hasGuardian: true});
    return length;
  };
  void act(life);
  await settle();
  return fake;
}

describe('dismissing feedback', () => {
  test('is one step under the project lock: recorded, written to the plan, and then removed', async () => {
    const fake = setUp();
    expect(await dismissAll(fake)).toEqual({
      dismissed: ['a', 'b'].map((childTaskId) => sentBackFeedback({childTaskId})),
      completed: ['p'],
    });
    expect(fake.log).toEqual([
      'lock',
      'record p-1 succeeded',
      'record p-1 succeeded',
      'plan p done',
      'feedback a cleared',
      'feedback b cleared',
      'unlock',
    ]);
    expect(dismissals(fake)).toEqual(['a', 'b']);
  });

  test('is refused while a job runs, and changes nothing', async () => {
    const fake = setUp();
    fake.lock.holder = '42';
    await expect(dismissAll(fake)).rejects.toMatchObject({code: 'E_REPO_LOCKED'});
    expect({log: fake.log, said: dismissals(fake)}).toEqual({log: [], said: undefined});
  });

  test('releases the lock when the record cannot be written', async () => {
    const fake = setUp();
    fake.runs.failOn(({run_id}) => run_id === 'p-1', new Error('no space left'));
    await expect(dismissAll(fake)).rejects.toThrow('no space left');
    expect({isHeld: fake.lock.isHeld, pending: fake.feedback.entries.size}).toEqual({
      isHeld: false,
      pending: 2,
    });
  });

  const whole = 7;

  test.each(Array.from({length: whole}, (_, index) => index + 1))(
    'killed after write %i, the same command does the rest',
    async (writes) => {
      const fake = await killedAfter(writes, dismissAll);
      await dismissAll(fake);
      expect({
        said: dismissals(fake),
        pending: [...fake.feedback.entries.keys()],
        parent: fake.plans.statuses().p,
      }).toEqual({said: ['a', 'b'], pending: [], parent: 'done'});
    },
  );

  test.each(Array.from({length: whole - 2}, (_, index) => index + 3))(
    'killed after write %i, no agent receives it, and the next job does the rest',
    async (writes) => {
      const fake = await killedAfter(writes, dismissAll);
      expect(await pendingOf(fake.services, 'a')).toBeNull();
      const {reason} = await createEngine(fake.services).start(executeJob());
      expect({reason, statuses: fake.plans.statuses(), pending: fake.feedback.entries.size}).toEqual({
        reason: 'completed',
        statuses: {p: 'done', a: 'done', b: 'done', late: 'done'},
        pending: 0,
      });
      expect(fake.agents.agents.map(({runId}) => runId)).toEqual(['late-1']);
    },
  );

  test('leaves feedback that a run has taken to that run', async () => {
    const {parentTaskId, reviewRunId, feedback} = sentBackFeedback();
    const taken = restingRun({
      run_id: 'a-2',
      attempt: 2,
      state: 'paused',
      context: {digest: 'd', bytes: 1, parentReviewFeedback: {parentTaskId, reviewRunId, feedback}},
    });
    const fake = setUp([taken]);
    expect(await dismissFeedback(fake.services, ['a'], 'ada')).toEqual({dismissed: [], completed: []});
    expect(dismissals(fake)).toBeUndefined();
  });

  test('leaves the parent open next to unreadable feedback', async () => {
    const fake = setUp();
    fake.feedback.broken.push({file: 'c.json', reason: 'not JSON'});
    expect((await dismissAll(fake)).completed).toEqual([]);
    expect(fake.plans.statuses().p).toBe('todo');
  });
});

describe('editing feedback', () => {
  const edit = ({services}: Pick<FakeServices, 'services'>) =>
    editFeedback({...services, now: () => later}, 'a', ' Dates only. ', 'ada');

  test('killed after the record, the task is told what the record says', async () => {
    const fake = await killedAfter(2, edit);
    expect(fake.feedback.entries.get('a')).toEqual(sentBackFeedback());
    expect(await pendingOf(fake.services, 'a')).toEqual(
      sentBackFeedback({feedback: 'Dates only.', updatedAt: later}),
    );
  });

  test('is refused while a job runs', async () => {
    const fake = setUp();
    fake.lock.holder = '42';
    await expect(edit(fake)).rejects.toMatchObject({code: 'E_REPO_LOCKED'});
  });
});
