import {describe, expect, test} from 'vitest';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {
  completionOf,
  completionSignature,
} from '../../../src/machines/policies/review/completion-signature.ts';
import {
  completeParents,
  cyclesOf,
  dueParentOf,
  dueParents,
  dueReviews,
  isReviewDue,
  leaveForReview,
  parentsBefore,
  reviewedTasks,
  reviewNeed,
} from '../../../src/machines/policies/review/parent-review.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {taskStatuses} from '../../../src/services/contracts/task-status.ts';
import {sentBackFeedback} from '../../fakes/memory-feedback-store.ts';
import {endedSegment, restingRun} from '../../fakes/runs.ts';
import {family, made, now, planOf, statuses, task, taskIn, withStatus} from '../../helpers/plans.ts';

const done = {status: 'done'} as const;
const idsOf = (tasks: ReadonlyArray<{id: string}>) => tasks.map(({id}) => id);

/** g > p > a, b; g > c; x stands alone. */
const plan = planOf(
  family(task('g'), family(task('p'), task('a', done), task('b', done)), task('c', done)),
  task('x', done),
);

test('the reviews that sent tasks back are counted since the last one that passed', () => {
  const review = (parent_review_passed?: boolean) =>
    restingRun({
      state: 'succeeded',
      run_type: 'review',
      ...(parent_review_passed !== undefined && {parent_review_passed}),
    });
  expect(cyclesOf([])).toBe(0);
  expect(cyclesOf([review(false), review(), review(false)])).toBe(2);
  expect(cyclesOf([review(false), review(true), review(false)])).toBe(1);
  expect(cyclesOf([review(false), review(true)])).toBe(0);
});

test('the next execution reviews a parent below which agents worked and no feedback is pending', () => {
  const facts = (run: RunRecord | null, sentBack: readonly string[] = []) => {
    const due = dueReviews(plan, ({id}) => ({run, isSentBack: sentBack.includes(id)}));
    return idsOf(due);
  };
  const run = restingRun({state: 'succeeded'});
  expect(facts(run)).toEqual(['p']);
  expect(facts(run, ['b'])).toEqual([]);
  expect(facts(run, ['c'])).toEqual(['p']);
  expect(facts(null)).toEqual([]);
});

describe('a parent is due', () => {
  test.each(taskStatuses)('when it is %s and its children are done, unless it is done itself', (status) => {
    const own = planOf(family(task('p', {status}), task('a', done)));
    expect(isReviewDue(own, taskIn(own, 'p'))).toBe(status !== 'done');
  });

  test.each(taskStatuses)('only when every child is done, not %s', (status) => {
    const own = planOf(family(task('p'), task('a', done), task('b', {status})));
    expect(isReviewDue(own, taskIn(own, 'p'))).toBe(status === 'done');
  });

  test('never without children', () => {
    expect(isReviewDue(plan, taskIn(plan, 'x'))).toBe(false);
  });

  test('from the bottom up', () => {
    expect(idsOf(dueParents(plan))).toEqual(['p']);
    expect(idsOf(dueParents(withStatus(plan, 'p', 'done')))).toEqual(['g']);
    expect(dueParents(withStatus(plan, 'a', 'failed'))).toEqual([]);
  });

  test.each([
    {after: 'a', from: plan, due: 'p'},
    {after: 'c', from: plan, due: undefined},
    {after: 'x', from: plan, due: undefined},
    {after: 'nobody', from: plan, due: undefined},
    {after: 'a', from: withStatus(plan, 'p', 'done'), due: 'g'},
    {after: 'a', from: withStatus(plan, 'b', 'todo'), due: undefined},
    {after: 'a', from: withStatus(withStatus(plan, 'p', 'done'), 'g', 'done'), due: undefined},
  ])('after $after: $due', ({after, from, due}) => {
    expect(dueParentOf(from, after)?.id).toBe(due);
  });
});

test('the leaves below a parent are reviewed', () => {
  expect(idsOf(reviewedTasks(plan, taskIn(plan, 'g')))).toEqual(['a', 'b', 'c']);
  expect(idsOf(reviewedTasks(plan, taskIn(plan, 'p')))).toEqual(['a', 'b']);
});

describe('the signature', () => {
  test('names the parent, the tasks below it and when they were done, in the order of their ids', () => {
    const completions = [
      {taskId: 'b', completedAt: now, hasRun: true},
      {taskId: 'a', completedAt: made, hasRun: false},
    ];
    expect(completionSignature('p', completions, (text) => `<${text}>`)).toBe(
      `parent-review:v1:<${JSON.stringify({
        version: 1,
        parentTaskId: 'p',
        children: [
          {childId: 'a', completedAt: made},
          {childId: 'b', completedAt: now},
        ],
      })}>`,
    );
  });

  const ended = (at: string) => [endedSegment(1, {ended_at: at})];
  test.each<{name: string; runs: RunRecord[]; completedAt: string; hasRun?: false}>([
    {name: 'by hand', runs: [], completedAt: made, hasRun: false},
    {
      name: 'by its run',
      runs: [restingRun({state: 'succeeded', segments: ended('T1'), updated_at: 'later'})],
      completedAt: 'T1',
    },
    {
      name: 'by its latest run',
      runs: [
        restingRun({state: 'succeeded', segments: ended('T1')}),
        restingRun({run_id: 'a-2', attempt: 2, state: 'succeeded', segments: ended('T2')}),
      ],
      completedAt: 'T2',
    },
    {
      name: 'by the run before feedback that was not delivered',
      runs: [
        restingRun({state: 'succeeded', segments: ended('T1')}),
        restingRun({
          run_id: 'a-2',
          attempt: 2,
          state: 'failed',
          segments: ended('T2'),
          resumed_from_run_id: 'a-1',
          feedback: 'x',
          failure: {kind: 'resume_rejected', message: 'x'},
        }),
      ],
      completedAt: 'T1',
    },
    {name: 'by hand, after a run that failed', runs: [restingRun({state: 'failed'})], completedAt: made},
    {
      name: 'by a run of the Go program',
      runs: [restingRun({state: 'succeeded', segments: [], updated_at: 'T3'})],
      completedAt: 'T3',
    },
  ])('a task was done $name', ({runs, completedAt, hasRun = true}) => {
    expect(completionOf(task('a', done), runs)).toEqual({taskId: 'a', completedAt, hasRun});
  });
});

describe('a parent that is due needs', () => {
  const pending = sentBackFeedback();
  const review = (fields: Partial<RunRecord>) =>
    restingRun({
      task_id: 'p',
      run_type: 'review',
      state: 'succeeded',
      parent_review_completion_signature: 's',
      ...fields,
    });
  const facts = {parentId: 'p', signature: 's', reviews: [], pending: [], hasRuns: true};

  test.each([
    {name: 'a review', given: {}, need: 'review'},
    {name: 'no review of work done by hand', given: {hasRuns: false}, need: 'nothing'},
    {name: 'an answer to its feedback', given: {pending: [pending]}, need: 'answer'},
    {
      name: 'no answer to the feedback of others',
      given: {pending: [{...pending, parentTaskId: 'q'}]},
      need: 'review',
    },
    {
      name: 'nothing once it passed',
      given: {reviews: [review({parent_review_passed: true})]},
      need: 'nothing',
    },
    {
      name: 'nothing once all feedback was dismissed',
      given: {reviews: [review({parent_review_passed: false})]},
      need: 'nothing',
    },
    {
      name: 'an answer first of all',
      given: {reviews: [review({parent_review_passed: false})], pending: [pending]},
      need: 'answer',
    },
    {
      name: 'a review after one without a verdict',
      given: {reviews: [review({state: 'failed'})]},
      need: 'review',
    },
    {
      name: 'a review of work done again',
      given: {reviews: [review({parent_review_passed: true})], signature: 't'},
      need: 'review',
    },
    {
      name: 'no second review after a late failure',
      given: {reviews: [review({parent_review_passed: true}), review({state: 'failed'})]},
      need: 'nothing',
    },
    {
      name: 'a review, whatever it did as a task',
      given: {reviews: [review({parent_review_passed: true, run_type: 'execute'})]},
      need: 'review',
    },
  ] as const)('$name', ({given, need}) => {
    expect(reviewNeed({...facts, ...given})).toBe(need);
  });
});

describe('completing parents', () => {
  test('marks them done and leaves those above them', () => {
    const after = completeParents(withStatus(plan, 'c', 'todo'), ['p'], now);
    expect(statuses(after)).toMatchObject({p: 'done', g: 'todo'});
    expect(statuses(completeParents(plan, ['p'], now))).toMatchObject({p: 'done', g: 'todo'});
    expect(statuses(completeParents(plan, ['p', 'g'], now))).toMatchObject({p: 'done', g: 'done'});
  });

  test('skips parents that are no longer due', () => {
    const open = withStatus(plan, 'a', 'in_progress');
    expect(completeParents(open, ['p', 'nobody', 'x'], now)).toBe(open);
  });
});

test('a run that did nothing marks the parents it reopened done again, and no others', () => {
  const completes = parentsBefore({created_at: now});
  expect(
    [made, now, '2026-02-02T02:02:02.001Z'].map((updatedAt) => completes(task('p', {updatedAt}))),
  ).toEqual([false, true, true]);
});

describe('a change made by hand', () => {
  const before = withStatus(plan, 'a', 'todo');
  const after = setStatus(before, 'a', 'done', now);

  test('completes parents below which no agent worked', () => {
    expect(leaveForReview(before, after, {hasRuns: () => false})).toBe(after);
    expect(statuses(after)).toMatchObject({p: 'done', g: 'done'});
  });

  test.each([
    {worked: 'b', expected: {p: 'todo', g: 'todo', a: 'done'}},
    {worked: 'c', expected: {p: 'done', g: 'todo', a: 'done'}},
    {worked: 'x', expected: {p: 'done', g: 'done', a: 'done'}},
  ])('leaves the parents of $worked, which an agent worked on', ({worked, expected}) => {
    const left = leaveForReview(before, after, {hasRuns: (id) => id === worked});
    expect(statuses(left)).toMatchObject(expected);
    for (const id of ['p', 'g']) {
      const isOpen = expected[id as 'p' | 'g'] === 'todo';
      expect(taskIn(left, id)).toEqual(taskIn(isOpen ? before : after, id));
    }
  });

  test('to the parent itself counts', () => {
    const said = setStatus(plan, 'p', 'done', now);
    const left = leaveForReview(plan, said, {named: 'p', hasRuns: () => true});
    expect(statuses(left)).toMatchObject({p: 'done', g: 'todo'});
  });
});
