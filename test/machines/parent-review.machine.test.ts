import {describe, expect, test} from 'vitest';
import {createActor, SimulatedClock, toPromise} from 'xstate';
import {type ParentReviewInput, parentReviewMachine} from '../../src/machines/parent-review.machine.ts';
import {completionOf, completionSignature} from '../../src/machines/policies/review/completion-signature.ts';
import {reviewedTasks} from '../../src/machines/policies/review/parent-review.ts';
import type {FailureKind} from '../../src/services/contracts/agent.ts';
import type {PendingFeedback} from '../../src/services/contracts/feedback.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import {reviewAnswerSchema} from '../../src/services/contracts/review-answer.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {defineEffects} from '../fakes/machines.ts';
import {pausedRun, restingRun, runRecord} from '../fakes/runs.ts';
import {createFakeServices, settle} from '../fakes/services.ts';
import {eventually} from '../helpers/eventually.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {family, now, planOf, task, taskIn, withStatus} from '../helpers/plans.ts';

const input: ParentReviewInput = {
  taskIds: ['a'],
  isEnabled: true,
  maxCycles: 3,
  minutes: 30,
  patience: {limitMilliseconds: 3_600_000, outageMilliseconds: 3_600_000, beganAt: now},
  provider: 'claude',
  graceMilliseconds: 10_000,
};
const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;
const stop = {type: 'executor.stopAfterTask'} as const;
const done = {status: 'done'} as const;

/** g > p > a, b; late waits for g. */
const plan = planOf(
  family(task('g'), family(task('p'), task('a', done), task('b', done))),
  task('late', {deps: ['g']}),
);
/** p > a. */
const single = planOf(family(task('p'), task('a', done)));
const worked = restingRun({state: 'succeeded', result: 'Done.'});
const signatureOf = (of: Plan) =>
  completionSignature(
    'p',
    reviewedTasks(of, taskIn(of, 'p')).map((each) => completionOf(each, each.id === 'a' ? [worked] : [])),
    (text) => text,
  );
const pass = '{"passed":true}';
const back = (...ids: string[]) =>
  JSON.stringify({passed: false, resumeTaskIds: ids, feedbackForResume: 'Test it.'});
const pending = (childTaskId: string, fields: Partial<PendingFeedback> = {}): PendingFeedback => ({
  schemaVersion: 1,
  childTaskId,
  parentTaskId: 'p',
  reviewRunId: 'p-1',
  feedback: 'Test it.',
  createdAt: now,
  updatedAt: now,
  ...fields,
});

function createReview(
  fields: Partial<ParentReviewInput> = {},
  given: Plan = plan,
  runs: readonly RunRecord[] = [worked],
) {
  const fake = createFakeServices({plan: given, runs});
  fake.agents.obeys.interrupt = true;
  // Signatures that tell children apart.
  const services = {...fake.services, digest: (text: string) => text};
  const clock = new SimulatedClock();
  const actor = createActor(parentReviewMachine.provide({actors: defineEffects(services).parentReview}), {
    clock,
    input: {...input, ...fields},
  });
  return {...fake, clock, actor, finished: toPromise(actor), reviews: (id = 'p') => fake.runs.records(id)};
}

/** Answers every reviewer in turn; the last answer is used for all that follow. */
function answering(fake: ReturnType<typeof createReview>, ...answers: readonly string[]) {
  const left = [...answers];
  fake.agents.play = (agent) => agent.succeeds(left.length > 1 ? left.shift() : left[0]);
}

async function review(answer: string, ...args: Parameters<typeof createReview>) {
  const fake = createReview(...args);
  answering(fake, answer);
  fake.actor.start();
  return {...fake, output: await fake.finished};
}

test('a limit longer than the allowed wait is not waited for: no review starts', async () => {
  const fake = createReview({}, single);
  const until = new Date(Date.parse(now) + 2 * 3_600_000).toISOString();
  fake.limits.limits.set('claude', {until, source: 'reported', seenAt: now});
  fake.actor.start();
  expect(await fake.finished).toMatchObject({outcome: 'held', reviews: [], wait: {until, isTooLong: true}});
  expect(fake.agents.agents).toEqual([]);
});

describe('a review that passes', () => {
  test('is recorded before its agent starts and judged before the plan changes; from the bottom up', async () => {
    const {output, log, violations, plans, reviews} = await review(pass);
    expect(output).toEqual({
      outcome: 'settled',
      reviews: [
        {parentId: 'p', verdict: 'passed'},
        {parentId: 'g', verdict: 'passed'},
      ],
      pending: [],
    });
    const steps = (id: string) => [
      `record ${id}-1 running/launching`,
      `launch ${id}-1`,
      `record ${id}-1 running/active`,
      `go ${id}-1`,
      `exit ${id}-1`,
      `end ${id}-1`,
      `record ${id}-1 succeeded`,
      `record ${id}-1 succeeded`,
      `plan ${id} done`,
    ];
    expect(log).toEqual([...steps('p'), ...steps('g')]);
    expect(violations).toEqual([]);
    expect(plans.statuses()).toEqual({g: 'done', p: 'done', a: 'done', b: 'done', late: 'todo'});
    expect(reviews()).toEqual([
      expect.objectContaining({
        run_id: 'p-1',
        task_id: 'p',
        run_type: 'review',
        attempt: 1,
        state: 'succeeded',
        result: pass,
        parent_review_completion_signature: signatureOf(plan),
        parent_review_passed: true,
        parent_review_resume_task_ids: [],
        parent_review_feedback: '',
        parent_review_results: {},
      }),
    ]);
    expect(reviews()[0]).not.toHaveProperty('review_summary');
  });

  test('with remarks keeps them on its record, and sends nothing back', async () => {
    const remark = JSON.stringify({
      passed: true,
      feedbackForResume: 'Nice.',
      reviewResults: [{taskId: 'a', status: 'passed', feedback: 'Short.'}],
    });
    const {output, plans, feedback, reviews} = await review(remark, {}, single);
    expect(output).toEqual({
      outcome: 'settled',
      reviews: [{parentId: 'p', verdict: 'passed', hasRemarks: true}],
      pending: [],
    });
    expect(reviews()).toMatchObject([
      {state: 'succeeded', parent_review_passed: true, parent_review_feedback: 'Nice.'},
    ]);
    expect(feedback.entries.size).toBe(0);
    expect(plans.statuses()).toMatchObject({p: 'done'});
  });

  test('was made by a read-only agent with an answer schema', async () => {
    const {agents} = await review(pass);
    const [{request} = agents.agent] = agents.agents;
    expect(request).toMatchObject({
      kind: 'start',
      access: 'read-only',
      answerSchema: reviewAnswerSchema,
      isGitRepository: true,
    });
    expect(request.prompt).toContain('# Review\np: Task p');
    expect(request.prompt).toContain("the agent's summary:\n> Done.");
    expect(request.prompt).toContain('## b: Task b\ndone by a person, without an agent');
  });

  test('applies to the children it saw: those done again since are reviewed again', async () => {
    const fake = createReview();
    const answers = [pass, back('b')];
    fake.agents.play = (agent) => {
      fake.plans.plan = withStatus(fake.plans.plan, 'b', 'done', '2026-03-03T03:03:03.000Z');
      agent.succeeds(answers.shift());
    };
    fake.actor.start();
    expect((await fake.finished).reviews).toEqual([
      {parentId: 'p', verdict: 'passed'},
      {parentId: 'p', verdict: 'sentBack'},
    ]);
    expect(fake.plans.statuses()).toMatchObject({p: 'todo', g: 'todo'});
  });
});

describe('the reviewer sees', () => {
  test('the changes of every run that did the task', async () => {
    const first = restingRun({
      state: 'succeeded',
      baseline_tree: 't0',
      result_tree: 't1',
      review_summary: {files: ['x.ts'], diffstat: '', snippets: []},
    });
    const second = restingRun({
      run_id: 'a-2',
      attempt: 2,
      state: 'succeeded',
      resumed_from_run_id: 'a-1',
      baseline_tree: 't3',
      result_tree: 't4',
      review_summary: {files: ['x.ts', 'y.ts'], diffstat: '', snippets: []},
    });
    const unrelated = restingRun({run_id: 'a-0', attempt: 3, state: 'canceled', segments: []});
    const {agents} = await review(back('a'), {}, plan, [first, second, unrelated]);
    expect(agents.agent.request.prompt).toContain(
      'changed files:\n> - x.ts\n> - y.ts\nchanges:\n> t0+t3 t1+t4',
    );
  });
});

test('the reviewer is told why a change cannot be shown', async () => {
  const run = restingRun({state: 'succeeded', baseline_tree: 't0', result_tree: 't1'});
  const fake = createReview({}, plan, [run]);
  fake.changes.diff = async () => Promise.reject(new Error('an object was forged'));
  answering(fake, back('a'));
  fake.actor.start();
  await fake.finished;
  expect(fake.agents.agent.request.prompt).toContain(
    'changes:\n> the change cannot be shown: an object was forged',
  );
});

describe('a second reviewer sees', () => {
  const at = (minute: number) => `2026-02-02T10:0${minute}:00.000Z`;
  const work = (minute: number, fields: Partial<RunRecord>) =>
    restingRun({state: 'succeeded', created_at: at(minute), ...fields});
  const first = work(1, {
    baseline_tree: 't0',
    result_tree: 't1',
    review_summary: {files: ['x.ts'], diffstat: '', snippets: []},
  });
  const again = work(3, {
    run_id: 'a-2',
    attempt: 2,
    resumed_from_run_id: 'a-1',
    baseline_tree: 't1',
    result_tree: 't2',
    review_summary: {files: ['x.test.ts'], diffstat: '', snippets: []},
  });
  const sentBack = work(2, {
    run_id: 'p-1',
    task_id: 'p',
    run_type: 'review',
    parent_review_passed: false,
    parent_review_resume_task_ids: ['a', 'b'],
    parent_review_feedback: 'Test it.',
    parent_review_results: {a: {task_id: 'a', status: 'failed', feedback: 'With dates.'}},
    parent_review_dismissed: [{task_id: 'b', dismissed_at: at(2), dismissed_by: 'ada'}],
  });
  const promptOf = async (...runs: readonly RunRecord[]) =>
    (await review(back('a'), {}, plan, runs)).agents.agent.request.prompt;

  test("the first one's feedback, what changed since, and what the user dismissed", async () => {
    const prompt = await promptOf(first, again, sentBack);
    expect(prompt).toContain('# Earlier reviews\nThis work was reviewed before. It was sent back once.');
    expect(prompt).toContain(
      [
        'the last review asked for:\n> Test it.\n> \n> With dates.',
        'files changed since that review:\n> - x.test.ts',
        'changes since that review:\n> t1 t2\n',
      ].join('\n'),
    );
    expect(prompt).toContain('the user answered the review:\n> Leave it as it is.');
  });

  test('nothing of a review without a verdict', async () => {
    const {parent_review_passed: _, ...broken} = sentBack;
    expect(await promptOf(first, again, {...broken, state: 'failed'})).not.toContain('reviewed before');
  });
});

describe('a review that sends tasks back', () => {
  test('writes their feedback, then the record, and the parent stays open', async () => {
    const {output, log, plans, feedback, reviews} = await review(back('a', 'b'));
    expect(output).toEqual({
      outcome: 'required',
      reviews: [{parentId: 'p', verdict: 'sentBack'}],
      pending: [pending('a'), pending('b')],
    });
    expect(log.slice(-4)).toEqual([
      'record p-1 succeeded',
      'feedback a',
      'feedback b',
      'record p-1 succeeded',
    ]);
    expect([...feedback.entries.values()]).toEqual([pending('a'), pending('b')]);
    expect(reviews()[0]).toMatchObject({
      parent_review_passed: false,
      parent_review_resume_task_ids: ['a', 'b'],
      parent_review_feedback: 'Test it.',
    });
    expect(plans.statuses()).toMatchObject({g: 'todo', p: 'todo', a: 'done', b: 'done'});
  });

  test('is not repeated while its feedback is pending', async () => {
    const fake = createReview();
    fake.feedback.entries.set('b', pending('b'));
    fake.actor.start();
    expect(await fake.finished).toEqual({outcome: 'required', reviews: [], pending: [pending('b')]});
    expect(fake.log).toEqual([]);
  });

  test('holds up the whole plan, whatever else is due', async () => {
    const fake = createReview(
      {taskIds: null},
      planOf([...plan.items.values()], family(task('q'), task('c', done))),
    );
    fake.feedback.entries.set('c', pending('c', {parentTaskId: 'q'}));
    fake.feedback.entries.set('gone', pending('gone'));
    fake.actor.start();
    expect(await fake.finished).toMatchObject({outcome: 'required', pending: [{childTaskId: 'c'}]});
  });

  test('does not keep a task of another parent from being reviewed', async () => {
    const fake = createReview({}, planOf([...plan.items.values()], family(task('q'), task('c', done))));
    fake.feedback.entries.set('c', pending('c', {parentTaskId: 'q'}));
    answering(fake, pass);
    fake.actor.start();
    expect(await fake.finished).toMatchObject({
      outcome: 'settled',
      reviews: [{parentId: 'p'}, {parentId: 'g'}],
    });
  });

  test('whose feedback was all dismissed leaves the parent done by the user', async () => {
    const sentBack = restingRun({
      run_id: 'p-1',
      task_id: 'p',
      run_type: 'review',
      state: 'succeeded',
      parent_review_passed: false,
      parent_review_completion_signature: signatureOf(single),
    });
    const {output, plans} = await review(pass, {}, single, [worked, sentBack]);
    expect(output).toEqual({outcome: 'settled', reviews: [], pending: []});
    expect(plans.statuses()).toEqual({p: 'done', a: 'done'});
  });

  test('finds feedback that a run has taken, and clears it', async () => {
    const resumed = restingRun({
      run_id: 'a-2',
      attempt: 2,
      state: 'succeeded',
      context: {
        digest: 'd',
        bytes: 1,
        parentReviewFeedback: {parentTaskId: 'p', reviewRunId: 'p-1', feedback: 'Test it.'},
      },
    });
    const fake = createReview({taskIds: null}, plan, [worked, resumed]);
    fake.feedback.entries.set('a', pending('a'));
    answering(fake, pass);
    fake.actor.start();
    expect(await fake.finished).toMatchObject({
      outcome: 'settled',
      reviews: [{parentId: 'p'}, {parentId: 'g'}],
    });
    expect(fake.log[0]).toBe('feedback a cleared');
    expect(fake.feedback.entries.size).toBe(0);
  });
});

describe('a review without a verdict', () => {
  test.each([
    {name: 'prose', answer: 'Looks good!', problem: 'it contains no JSON object with "passed"'},
    {name: 'an unknown task', answer: back('late'), problem: '"late" is not one of the reviewed tasks'},
    {
      name: 'a question',
      answer: '{"blackbird":{"questions":[{"id":"q","prompt":"Why?"}]}}',
      problem: 'it contains no JSON object with "passed"',
    },
  ])('($name) is a failed run; nothing else changes, and it is not repeated', async ({answer, problem}) => {
    const {output, plans, feedback, reviews, agents} = await review(answer);
    const failure = {
      kind: 'agent_error',
      message: `the answer of the review cannot be used: ${problem}`,
    };
    expect(output).toEqual({
      outcome: 'settled',
      reviews: [{parentId: 'p', verdict: 'broken', failure}],
      pending: [],
    });
    expect(reviews()).toMatchObject([{state: 'failed', failure}]);
    expect(reviews()[0]).not.toHaveProperty('parent_review_passed');
    expect(plans.plan).toBe(plan);
    expect(feedback.entries.size).toBe(0);
    expect(agents.agents).toHaveLength(1);
  });

  test('does not keep others from being reviewed', async () => {
    const two = planOf([...plan.items.values()], family(task('q'), task('c', done)));
    const fake = createReview({taskIds: null}, two, [
      worked,
      restingRun({task_id: 'c', run_id: 'c-1', state: 'succeeded'}),
    ]);
    answering(fake, 'nonsense', pass);
    fake.actor.start();
    expect((await fake.finished).reviews).toMatchObject([
      {parentId: 'p', verdict: 'broken'},
      {parentId: 'q', verdict: 'passed'},
    ]);
    expect(fake.plans.statuses()).toMatchObject({p: 'todo', g: 'todo', q: 'done'});
  });

  test('is repeated by the next job, as a new run', async () => {
    const broken = restingRun({run_id: 'p-1', task_id: 'p', run_type: 'review', state: 'failed'});
    const {output, reviews} = await review(pass, {}, plan, [worked, broken]);
    expect(output.reviews[0]).toEqual({parentId: 'p', verdict: 'passed'});
    expect(reviews()).toMatchObject([
      {state: 'failed'},
      {run_id: 'p-2', attempt: 2, parent_review_passed: true},
    ]);
  });

  test.each<{kind: FailureKind; outcome: string}>([
    {kind: 'agent_error', outcome: 'settled'},
    {kind: 'auth', outcome: 'failed'},
  ])('for $kind: $outcome', async ({kind, outcome}) => {
    const fake = createReview();
    fake.agents.play = (agent) => agent.fails({kind});
    fake.actor.start();
    expect(await fake.finished).toMatchObject({outcome, reviews: [{verdict: 'broken', failure: {kind}}]});
  });
});

describe('nothing is reviewed', () => {
  test('when nothing is due', async () => {
    const {output, log} = await review(pass, {taskIds: ['late']});
    expect(output).toEqual({outcome: 'settled', reviews: [], pending: []});
    expect(log).toEqual([]);
  });

  test('when no agent has worked: the parent is done', async () => {
    const {output, log} = await review(pass, {}, plan, []);
    expect(output).toEqual({outcome: 'settled', reviews: [], pending: []});
    expect(log).toEqual(['plan p done', 'plan g done']);
  });

  test.each([['a'], null])(
    'when reviews are off (%s): parents that are due are done, and those that become due',
    async (taskIds) => {
      const fake = createReview({isEnabled: false, taskIds});
      fake.feedback.entries.set('a', pending('a'));
      fake.actor.start();
      expect(await fake.finished).toEqual({outcome: 'settled', reviews: [], pending: []});
      expect(fake.log).toEqual(['plan g done', 'plan p done']);
    },
  );

  test('that was changed while it was prepared', async () => {
    const fake = createReview();
    fake.actor.start();
    const release = fake.plans.holdNextRead();
    await settle();
    fake.plans.plan = withStatus(fake.plans.plan, 'b', 'todo');
    release();
    expect(await fake.finished).toEqual({outcome: 'settled', reviews: [], pending: []});
    expect(fake.agents.agents).toEqual([]);
  });

  test('after it passed, when only the plan missed it', async () => {
    const passed = restingRun({
      run_id: 'p-1',
      task_id: 'p',
      run_type: 'review',
      state: 'succeeded',
      parent_review_passed: true,
      parent_review_completion_signature: signatureOf(single),
    });
    const {log} = await review(pass, {}, single, [worked, passed]);
    expect(log).toEqual(['plan p done']);
  });
});

describe('reviews that sent tasks back', () => {
  /** Reviews of p, oldest first, of work that was done again since. */
  const judged = (...verdicts: readonly boolean[]) =>
    verdicts.map((parent_review_passed, index) =>
      restingRun({
        run_id: `p-${index + 1}`,
        task_id: 'p',
        attempt: index + 1,
        run_type: 'review',
        state: 'succeeded',
        parent_review_passed,
        parent_review_completion_signature: 'earlier',
      }),
    );

  test.each([
    {name: 'as often as allowed', verdicts: [false, false, false], cycles: 3, maxCycles: 3},
    {name: 'more often, before the limit was lowered', verdicts: [false, false], cycles: 2, maxCycles: 1},
    {name: 'as often as allowed since one passed', verdicts: [false, true, false], cycles: 1, maxCycles: 1},
  ])('$name leave the next decision to the user', async ({verdicts, cycles, maxCycles}) => {
    const {output, log, plans} = await review(pass, {maxCycles}, single, [worked, ...judged(...verdicts)]);
    expect(output).toEqual({
      outcome: 'undecided',
      reviews: [],
      pending: [],
      undecided: {parentId: 'p', cycles},
    });
    expect(log).toEqual([]);
    expect(plans.statuses()).toMatchObject({p: 'todo'});
  });

  test.each([
    {name: 'once less than allowed', verdicts: [false, false]},
    {name: 'before one passed', verdicts: [false, false, false, true]},
  ])('$name are followed by another', async ({verdicts}) => {
    const {output} = await review(pass, {}, single, [worked, ...judged(...verdicts)]);
    expect(output.reviews).toEqual([{parentId: 'p', verdict: 'passed'}]);
  });
});

describe('a pause', () => {
  test('goes to the reviewer; the review is paused, and the next one replaces it', async () => {
    const fake = createReview();
    fake.actor.start();
    await settle();
    fake.actor.send(pause);
    expect(await fake.finished).toEqual({
      outcome: 'paused',
      reviews: [],
      pending: [],
      interruptedReview: 'p',
    });
    expect(fake.reviews()).toMatchObject([{state: 'paused', pause_reason: 'user_interrupt'}]);
    expect(fake.plans.plan).toBe(plan);

    const paused = pausedRun({run_id: 'p-1', task_id: 'p', run_type: 'review'});
    const {reviews} = await review(pass, {}, plan, [worked, paused]);
    expect(reviews()).toMatchObject([
      {run_id: 'p-1', state: 'paused', superseded_by_run_id: 'p-2'},
      {run_id: 'p-2', state: 'succeeded', restart_of_run_id: 'p-1', parent_review_passed: true},
    ]);
  });

  test('requested before starts no reviewer', async () => {
    const fake = createReview();
    fake.actor.start();
    fake.actor.send(pause);
    expect(await fake.finished).toEqual({
      outcome: 'paused',
      reviews: [],
      pending: [],
      interruptedReview: 'p',
    });
    expect(fake.log).toEqual([]);
  });

  test('requested before the agent is released: the previous review is not replaced', async () => {
    const paused = pausedRun({run_id: 'p-1', task_id: 'p', run_type: 'review'});
    const fake = createReview({}, plan, [worked, paused]);
    const release = fake.runs.holdOn(({run_id, phase}) => run_id === 'p-2' && phase === 'active');
    fake.actor.start();
    await settle();
    await settle();
    expect(fake.reviews()).toMatchObject([{superseded_by_run_id: 'p-2'}, {phase: 'launching'}]);
    fake.actor.send(pause);
    release();
    expect((await fake.finished).outcome).toBe('paused');
    expect(fake.log).not.toContain('go p-2');
    expect(fake.reviews()).toMatchObject([{state: 'paused'}, {state: 'canceled'}]);
    expect(fake.reviews()[0]).not.toHaveProperty('superseded_by_run_id');
  });

  test('requested while it is judged keeps the verdict, and starts no other', async () => {
    const fake = createReview();
    answering(fake, pass);
    const release = fake.plans.holdNextUpdate();
    fake.actor.start();
    await settle();
    await settle();
    expect(fake.actor.getSnapshot().value).toMatchObject({reviewing: {work: 'judging'}});
    fake.actor.send(pause);
    release();
    expect(await fake.finished).toMatchObject({
      outcome: 'paused',
      reviews: [{parentId: 'p', verdict: 'passed'}],
    });
    expect(fake.plans.statuses()).toMatchObject({p: 'done', g: 'todo'});
  });
});

test.each([
  {wish: 'a pause', command: pause, outcome: 'paused'},
  {wish: 'a stop after the task', command: stop, outcome: 'settled'},
])('$wish while a review is prepared keeps its agent from running', async ({command, outcome}) => {
  const fake = createReview();
  fake.actor.start();
  const release = fake.plans.holdNextRead();
  await settle();
  expect(fake.actor.getSnapshot().value).toMatchObject({reviewing: {work: 'preparing'}});
  fake.actor.send(command);
  release();
  expect((await fake.finished).outcome).toBe(outcome);
  expect(fake.log).not.toContain('go p-1');
  expect(fake.reviews()).toMatchObject([{state: 'canceled'}]);
});

describe('to stop after the task', () => {
  test('requested before starts no reviewer; parents that need none are completed', async () => {
    const due = createReview();
    due.actor.start();
    due.actor.send(stop);
    expect(await due.finished).toEqual({outcome: 'settled', reviews: [], pending: []});
    expect(due.log).toEqual([]);

    const off = createReview({isEnabled: false});
    off.actor.start();
    off.actor.send(stop);
    expect(await off.finished).toEqual({outcome: 'settled', reviews: [], pending: []});
    expect(off.plans.statuses()).toMatchObject({p: 'done', g: 'done'});
  });

  test('lets the working reviewer end, and starts no other', async () => {
    const fake = createReview();
    fake.actor.start();
    await eventually(() => expect(fake.log).toContain('go p-1'));
    fake.actor.send(stop);
    fake.agents.agent.succeeds(pass);
    expect(await fake.finished).toMatchObject({
      outcome: 'settled',
      reviews: [{parentId: 'p', verdict: 'passed'}],
    });
    expect(fake.plans.statuses()).toMatchObject({p: 'done', g: 'todo'});
  });
});

describe('an error', () => {
  const error = new Error('the disk is full');
  type Fake = ReturnType<typeof createReview>;

  test.each<{where: string; args?: Parameters<typeof createReview>; fail: (fake: Fake) => void}>([
    {where: 'of the plan', fail: ({plans}) => plans.failNextRead(error)},
    {where: 'of a completion', args: [{}, plan, []], fail: ({plans}) => plans.failNextUpdate(error)},
    {where: 'of the agent', fail: ({agents}) => agents.failCheck(error)},
    {where: 'of the record', fail: ({runs}) => runs.failOn(({phase}) => phase === 'launching', error)},
    {where: 'of the run', fail: ({runs}) => runs.failOn(({phase}) => phase === 'active', error)},
    {
      where: 'of the verdict',
      fail: ({runs}) => runs.failOn(({parent_review_passed}) => parent_review_passed === true, error),
    },
  ])('$where is reported, and no agent is left', async ({args = [], fail}) => {
    const fake = createReview(...args);
    answering(fake, pass);
    fail(fake);
    fake.actor.start();
    expect(await fake.finished).toMatchObject({outcome: 'error', error});
    expect(fake.agents.alive()).toEqual([]);
    expect(fake.violations).toEqual([]);
  });

  test('of feedback that cannot be written: the review has no verdict', async () => {
    const fake = createReview();
    answering(fake, back('a'));
    fake.feedback.failNextSave(error);
    fake.actor.start();
    expect(await fake.finished).toMatchObject({outcome: 'error', error});
    expect(fake.reviews()[0]).not.toHaveProperty('parent_review_passed');
  });

  test('of feedback that cannot be read: nothing continues', async () => {
    const fake = createReview({taskIds: null});
    fake.feedback.broken.push({file: '/feedback/a.json', reason: 'it is empty'});
    fake.actor.start();
    expect(await fake.finished).toMatchObject({outcome: 'error', error: {code: 'E_STORE_CORRUPT'}});
    expect(fake.log).toEqual([]);
  });
});

describe('refuses to run without', () => {
  test.each([
    {missing: 'selectReview', names: 'selectReview', args: []},
    {missing: 'completeParents', names: 'completeParents', args: [{}, plan, []]},
    {missing: 'prepareReview', names: 'prepareReview', args: []},
    {missing: 'run', names: 'agent', args: []},
    {missing: 'settleReview', names: 'settleReview', args: []},
  ] as const)('the actor $missing', async ({missing, names, args}) => {
    const [, given = plan, runs = [worked]] = args;
    const {services, agents} = createFakeServices({plan: given, runs});
    agents.play = (agent) => agent.succeeds(pass);
    const {[missing]: _, ...actors} = defineEffects(services).parentReview;
    const actor = createActor(parentReviewMachine.provide({actors}), {input});
    const finished = toPromise(actor);
    actor.start();
    expect(await finished).toMatchObject({
      outcome: 'error',
      error: new Error(`Actor "${names}" was not provided`),
    });
  });
});

describe('a slow review', () => {
  const working = async (minutes: number, interrupt = true) => {
    const fake = createReview({minutes}, single);
    fake.agents.obeys = {interrupt, kill: true};
    fake.agents.play = (agent) => agent.opensSession();
    fake.actor.start();
    await settle();
    return fake;
  };

  test('is left alone until its minutes are over', async () => {
    const {clock, agents, actor, finished} = await working(2);
    clock.increment(119_999);
    await settle();
    expect(agents.agent.hasGone).toBe(true);
    expect(actor.getSnapshot().status).toBe('active');
    agents.agent.succeeds(pass);
    expect(await finished).toMatchObject({outcome: 'settled', reviews: [{verdict: 'passed'}]});
  });

  test('is stopped then, has no verdict and says why; it is not repeated in the same job', async () => {
    const {clock, finished, reviews, agents, plans} = await working(2);
    clock.increment(120_000);
    const message = 'the review took longer than 2 minutes (execution.reviewMinutes)';
    expect(await finished).toMatchObject({
      outcome: 'settled',
      reviews: [{parentId: 'p', verdict: 'broken', failure: {kind: 'agent_error', message}}],
    });
    expect(reviews()).toMatchObject([{state: 'failed', failure: {message}}]);
    expect(agents.agents).toHaveLength(1);
    expect(plans.statuses().p).not.toBe('done');
  });

  test('says nothing about the next one', async () => {
    const parents = planOf(family(task('p'), task('a', done)), family(task('q'), task('b', done)));
    const fake = createReview({minutes: 2, taskIds: null}, parents, [
      worked,
      restingRun({...worked, task_id: 'b', run_id: 'b-1'}),
    ]);
    fake.agents.play = (agent) => {
      agent.opensSession();
      if (agent.taskId === 'q') agent.succeeds(pass);
    };
    fake.actor.start();
    await settle();
    fake.clock.increment(120_000);
    const {reviews} = await fake.finished;
    expect(reviews).toMatchObject([
      {parentId: 'p', failure: {message: 'the review took longer than 2 minutes (execution.reviewMinutes)'}},
      {parentId: 'q', verdict: 'passed'},
    ]);
  });

  test('that the user pauses in the meantime is paused', async () => {
    const {clock, finished, actor} = await working(2, false);
    clock.increment(120_000);
    await settle();
    actor.send(pause);
    clock.increment(10_000);
    expect(await finished).toMatchObject({outcome: 'paused', interruptedReview: 'p'});
  });
});

test('every transition is reached', () => {
  const run = restingRun({state: 'succeeded', task_id: 'p'});
  const prepared = {task: task('p'), run: runRecord(), order: {type: 'run.restart'}};
  const hopeless = restingRun({state: 'failed', failure: {kind: 'auth', message: 'no'}});
  const wait = {taskId: 'p', runId: null, provider: 'claude', reason: 'usage_limit', until: now};
  const doneAs = (actor: string, output: unknown) => ({type: `xstate.done.actor.${actor}`, output});
  const actors = ['selectReview', 'completeParents', 'prepareReview', 'run', 'settleReview', 'retryWait'];
  const errors = actors.map((actor) => ({
    type: `xstate.error.actor.${actor}`,
    error: 'no',
  }));
  expect(
    unreachedTransitions(parentReviewMachine, {
      inputs: [input],
      payloads: [
        pause,
        doneAs('selectReview', {type: 'none'}),
        doneAs('selectReview', {type: 'answer', pending: [pending('a')]}),
        doneAs('selectReview', {type: 'complete', parentIds: ['p']}),
        doneAs('selectReview', {type: 'decide', parentId: 'p', cycles: 3}),
        doneAs('selectReview', {type: 'review', parentId: 'p'}),
        doneAs('selectReview', {type: 'held', wait: {...wait, isTooLong: false}}),
        doneAs('selectReview', {type: 'held', wait: {...wait, isTooLong: true}}),
        {type: 'executor.stopAfterTask'},
        doneAs('retryWait', undefined),
        doneAs('prepareReview', null),
        doneAs('prepareReview', prepared),
        doneAs('run', {outcome: 'succeeded', run}),
        doneAs('run', {outcome: 'paused', run}),
        doneAs('run', {outcome: 'error', run, error: 'no'}),
        doneAs('settleReview', {type: 'passed', run}),
        doneAs('settleReview', {type: 'broken', run: hopeless}),
        doneAs('settleReview', {type: 'sentBack', run, pending: []}),
        ...errors,
      ],
      key: ({context}) => context.pauseReason,
    }),
  ).toEqual([]);
});
