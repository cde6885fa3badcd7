import {expect, test} from 'vitest';
import {createEngine, type Engine} from '../../src/machines/engine.ts';
import type {Job} from '../../src/machines/policies/job/job-steps.ts';
import type {FakeAgent} from '../fakes/fake-agent-runner.ts';
import {crashable, createFakeServices, type FakeServices, settle} from '../fakes/services.ts';
import {executeJob, startJob, taskJob} from '../helpers/jobs.ts';
import {family, planOf, task} from '../helpers/plans.ts';

// Blackbird dies after each of its writes, from the first task to the parent that passed its second review.

const execute = executeJob();
const resume = (taskId: string): Job => taskJob(taskId, {type: 'resume', answers: [], feedback: null});
const restart = (taskId: string): Job => taskJob(taskId, {type: 'restart'});

const told = ({request}: FakeAgent) => request.prompt.includes('canary');
const marked = ({runs}: FakeServices) =>
  runs.records('a').filter((run) => run.context?.parentReviewFeedback && run.segments.length > 0);

/** A project whose reviewer sends `a` back until its agent was told why, and ended with it. */
function setUp() {
  const fake = createFakeServices({
    plan: planOf(family(task('p'), task('a'), task('b')), task('late', {deps: ['p']})),
  });
  const back = JSON.stringify({passed: false, resumeTaskIds: ['a'], feedbackForResume: 'canary'});
  fake.agents.play = (each) => {
    each.opensSession(each.request.sessionRef ?? undefined);
    const isReview = each.request.access === 'read-only';
    const isFixed = marked(fake).some(({state}) => state === 'succeeded');
    each.succeeds(isReview ? (isFixed ? '{"passed":true}' : back) : 'Done.');
  };
  // Every session of these tests was stored when its Blackbird died.
  fake.storedSessions.add = () => fake.storedSessions;
  fake.storedSessions.has = () => true;
  return fake;
}

/** A user who follows Blackbird's messages: execute, and the commands it names. */
async function goOn(engine: Engine, fake: FakeServices): Promise<void> {
  for (let turn = 0; turn < 8 && fake.plans.statuses().late !== 'done'; turn++) {
    await startJob(engine, execute);
    for (const id of ['a', 'b', 'late']) {
      const latest = fake.runs.records(id).at(-1);
      if (latest?.state === 'paused') await startJob(engine, latest.resumable ? resume(id) : restart(id));
    }
    for (const id of fake.feedback.entries.keys()) await startJob(engine, resume(id));
  }
}

async function stepsOfALife(): Promise<readonly string[]> {
  const fake = setUp();
  await goOn(createEngine(fake.services), fake);
  expect(fake.plans.statuses()).toEqual({p: 'done', a: 'done', b: 'done', late: 'done'});
  return [...fake.log];
}

test('a crash after any write neither loses the feedback of a review nor repeats it', async () => {
  const steps = await stepsOfALife();
  expect(steps).toContain('feedback a');
  expect(steps).toContain('feedback a cleared');
  for (const [index, step] of steps.entries()) {
    const fake = setUp();
    const life = crashable(fake);
    const push = fake.log.push.bind(fake.log);
    fake.log.push = (...entries) => {
      const length = push(...entries);
      if (length === index + 1) life.die({hasGuardian: true});
      return length;
    };
    void goOn(createEngine(life.services), fake);
    for (let turn = 0; turn < 40; turn++) await settle();
    // A Blackbird that dies during a launch has released the lock before that is known.
    fake.violations.length = 0;

    await goOn(createEngine(fake.services), fake);
    const after = `killed after "${step}" (${index})`;
    expect({after, statuses: fake.plans.statuses()}).toEqual({
      after,
      statuses: {p: 'done', a: 'done', b: 'done', late: 'done'},
    });
    // One run delivered it, to its end; the file is gone, and no other agent received it.
    expect({after, states: marked(fake).map(({state}) => state)}).toEqual({after, states: ['succeeded']});
    const heard = fake.agents.agents.filter((each) => each.hasGone && told(each)).map(({runId}) => runId);
    expect({after, heard: new Set(heard).size}).toEqual({after, heard: 1});
    expect({after, pending: fake.feedback.entries.size}).toEqual({after, pending: 0});
    expect({after, violations: fake.violations}).toEqual({after, violations: []});
  }
});

test('a restart of a run that never ended with it is told again', async () => {
  const fake = setUp();
  const engine = createEngine(fake.services);
  await startJob(engine, execute);
  fake.agents.play = (each) => each.opensSession(each.request.sessionRef ?? undefined);
  fake.agents.obeys.interrupt = true;
  const paused = startJob(engine, resume('a'));
  for (let turn = 0; turn < 10; turn++) await settle();
  engine.pause('user_interrupt');
  await paused;
  expect(fake.feedback.entries.size).toBe(0);
  expect(fake.runs.records('a').at(-1)).toMatchObject({state: 'paused', attempt: 2});

  fake.agents.play = (each) => each.succeeds(each.request.access === 'edit' ? 'Done.' : '{"passed":true}');
  await startJob(engine, restart('a'));
  const [restarted] = fake.agents.agents.filter(({runId}) => runId === 'a-3');
  expect(restarted?.request).toMatchObject({kind: 'start', prompt: expect.stringContaining('canary')});
  expect(fake.runs.records('a').at(-1)).toMatchObject({
    restart_of_run_id: 'a-2',
    state: 'succeeded',
    context: {parentReviewFeedback: {parentTaskId: 'p', reviewRunId: 'p-1'}},
  });
  expect(fake.plans.statuses()).toMatchObject({p: 'done', a: 'done'});
});
