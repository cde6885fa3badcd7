import {expect, test} from 'vitest';
import {createEngine, type EngineFact} from '../../src/machines/engine.ts';
import type {Job} from '../../src/machines/policies/job/job-steps.ts';
import type {Decision} from '../../src/machines/policies/review/decisions.ts';
import {lineComment} from '../fakes/memory-comment-store.ts';
import {answersDraft} from '../fakes/memory-draft-store.ts';
import {restingRun, sessionRef} from '../fakes/runs.ts';
import {createFakeServices} from '../fakes/services.ts';
import {startJob, taskJob} from '../helpers/jobs.ts';
import {planOf, task} from '../helpers/plans.ts';

// What the user wrote at a checkpoint and did not send with the decision.

const approve: Decision = {state: 'approved_continue'};
const quit: Decision = {state: 'approved_quit'};
const changes: Decision = {state: 'changes_requested', feedback: 'use tabs'};

const review = (decision: Decision): Job => taskJob('a', {type: 'review', decision}, {isAttended: false});

/** The run of a is at its checkpoint; b waits for a. */
function atCheckpoint() {
  const run = restingRun({
    state: 'succeeded',
    provider_session_ref: sessionRef,
    resumable: true,
    decision_required: true,
    decision_state: 'pending',
  });
  const plan = planOf(task('a', {status: 'in_progress'}), task('b', {deps: ['a']}));
  const fake = createFakeServices({plan, runs: [run]});
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.agents.play = (agent) => {
    agent.opensSession();
    agent.succeeds();
  };
  const engine = createEngine(fake.services);
  const facts: EngineFact[] = [];
  engine.subscribe((fact) => facts.push(fact));
  return {...fake, engine, facts};
}

/** What was written at the checkpoint of a-1. */
const wordsDraft = (kind: 'feedback' | 'rejection', text: string) =>
  answersDraft({kind, texts: [{id: kind, prompt: '', text}]});

test.each([
  {decision: approve, isTold: true},
  {decision: {state: 'rejected', why: 'no'}, isTold: true},
  {decision: changes, isTold: false},
] as const)(
  'comments that $decision.state leaves unsent are reported, and stay',
  async ({decision, isTold}) => {
    const {engine, services, facts} = atCheckpoint();
    await services.comments.save(lineComment());
    await startJob(engine, review(decision));
    const told = facts.flatMap((fact) => (fact.type === 'engine.warning' ? [fact.message] : []));
    expect(told).toEqual(isTold ? [expect.stringMatching(/^1 comment on a was not sent and is kept: /)] : []);
    expect(await services.comments.list({task_id: 'a', run_id: 'a-1'})).toHaveLength(1);
  },
);

test('comments that were not delivered before a restart go with the next request for changes', async () => {
  const {engine, services, runs} = atCheckpoint();
  await services.comments.save(lineComment());
  await startJob(engine, taskJob('a', {type: 'restart'}, {isReviewed: true, isAttended: false}));
  const [, restarted] = runs.records('a');
  expect(restarted).toMatchObject({decision_state: 'pending', restart_of_run_id: 'a-1'});
  await startJob(engine, review(changes));
  expect(runs.records('a').at(-1)).toMatchObject({
    comment_ids: [lineComment().id],
    feedback: expect.stringContaining(lineComment().text),
  });
});

test("feedback of a parent review is not shown as the checkpoint's", async () => {
  const {engine, facts, drafts} = atCheckpoint();
  const edited = answersDraft({kind: 'feedback', texts: [{id: 'parent p-1', prompt: '', text: 'use tabs'}]});
  await drafts.save(edited);
  await startJob(engine, review(quit));
  expect(facts.filter(({type}) => type === 'engine.warning')).toEqual([]);
  expect(drafts.list()).toEqual([edited]);
});

test('unreadable comments do not prevent a decision', async () => {
  const {engine, services, facts, plans} = atCheckpoint();
  services.comments.list = async () => Promise.reject(new Error('the comment is damaged'));
  await startJob(engine, review(quit));
  expect(plans.statuses()).toEqual({a: 'done', b: 'todo'});
  expect(facts).toContainEqual({type: 'engine.warning', message: 'the comment is damaged'});
});

test.each<{name: string; decision: Decision; kept: readonly string[]}>([
  {name: 'approved', decision: approve, kept: ['use tabs', 'too big']},
  {
    name: 'rejected with another text',
    decision: {state: 'rejected', why: 'no'},
    kept: ['use tabs', 'too big'],
  },
  {name: 'rejected with it', decision: {state: 'rejected', why: 'too big'}, kept: ['use tabs']},
  {name: 'sent back with it', decision: changes, kept: ['too big']},
])('text that was not sent stays after the run is $name', async ({decision, kept}) => {
  const {engine, drafts, agents} = atCheckpoint();
  agents.play = (agent) => agent.succeeds();
  await drafts.save(wordsDraft('feedback', 'use tabs'));
  await drafts.save(wordsDraft('rejection', 'too big'));
  await startJob(engine, taskJob('a', {type: 'review', decision}, {isReviewed: false, isAttended: false}));
  if (decision === changes) await startJob(engine, review(approve));
  expect(drafts.list().flatMap(({texts}) => texts.map(({text}) => text))).toEqual(kept);
});
