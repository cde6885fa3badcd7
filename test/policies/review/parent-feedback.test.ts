import {describe, expect, test} from 'vitest';
import {
  asEdited,
  asksFirst,
  feedbackMark,
  feedbackOf,
  isConsumed,
  parentFeedbackText,
  pendingFeedback,
} from '../../../src/machines/policies/review/parent-feedback.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {sentBackFeedback} from '../../fakes/memory-feedback-store.ts';
import {openSegment, restingRun} from '../../fakes/runs.ts';
import {now} from '../../helpers/plans.ts';

const pending = sentBackFeedback();

test('a review makes one entry for each task it sends back', () => {
  const answer = {
    passed: false,
    resumeTaskIds: ['a', 'b'],
    feedback: 'Test it.',
    results: [{task_id: 'b', status: 'failed' as const, feedback: 'With dates.'}],
  };
  expect(pendingFeedback(answer, {run_id: 'p-1', task_id: 'p'}, now)).toEqual([
    pending,
    {...pending, childTaskId: 'b', feedback: 'Test it.\n\nWith dates.'},
  ]);
});

test('the last edit of the feedback to this task counts, once it is newer than the file', () => {
  const later = '2099-01-01T00:00:00.000Z';
  const edit = (task_id: string, feedback: string, edited_at: string) => ({
    task_id,
    feedback,
    edited_at,
    edited_by: 'user',
  });
  const review = (...edits: Array<ReturnType<typeof edit>>) =>
    restingRun({state: 'succeeded', run_type: 'review', parent_review_edited: edits});
  const edited = {...pending, feedback: 'With dates.', updatedAt: later};
  const own = edit('a', 'With dates.', later);
  expect(asEdited(pending, review(own, edit('b', 'Other.', later)))).toEqual(edited);
  expect(asEdited(pending, review(edit('a', 'First.', later), own))).toEqual(edited);
  expect(asEdited(edited, review(own))).toBe(edited);
  expect(asEdited(pending, review(edit('b', 'Other.', later)))).toBe(pending);
  expect(asEdited(pending, null)).toBe(pending);
});

describe('feedback is consumed by a run that carries its mark', () => {
  const marked = (fields: Partial<RunRecord> & Pick<RunRecord, 'state'>, reviewRunId = 'p-1') =>
    restingRun({
      segments: [openSegment()],
      context: {digest: 'd', bytes: 1, ...feedbackMark({...pending, reviewRunId})},
      ...fields,
    });
  const failure = (kind: 'agent_error' | 'auth' | 'rate_limit' | 'resume_rejected' | 'spawn_failed') =>
    ({state: 'failed', failure: {kind, message: 'x'}}) as const;

  test.each([
    {name: 'that succeeded', run: marked({state: 'succeeded'}), consumed: true},
    {name: 'that is running', run: marked({state: 'running'}), consumed: true},
    {name: 'that is paused', run: marked({state: 'paused'}), consumed: true},
    {name: 'that is waiting', run: marked({state: 'waiting'}), consumed: true},
    {name: 'that failed on its own', run: marked(failure('agent_error')), consumed: true},
    {name: 'unless it never started', run: marked({state: 'canceled', segments: []}), consumed: false},
    {name: 'unless it is about to start', run: marked({state: 'running', segments: []}), consumed: false},
    {name: 'unless its session was gone', run: marked(failure('resume_rejected')), consumed: false},
    {name: 'unless it could not be started', run: marked(failure('spawn_failed')), consumed: false},
    {name: 'unless there was no login', run: marked(failure('auth')), consumed: false},
    {name: 'unless there was no quota', run: marked(failure('rate_limit')), consumed: false},
    {name: 'and no other mark', run: marked({state: 'succeeded'}, 'p-2'), consumed: false},
    {
      name: 'and not by a run without a mark',
      run: restingRun({segments: [openSegment()], state: 'succeeded'}),
      consumed: false,
    },
  ])('$name', ({run, consumed}) => {
    expect(isConsumed(pending, [restingRun({state: 'succeeded'}), run])).toBe(consumed);
  });
});

test('a run returns the feedback it carries', () => {
  const context = {digest: 'd', bytes: 1, ...feedbackMark(pending)};
  const run = restingRun({state: 'paused', created_at: now, updated_at: now, context});
  expect(feedbackOf(run)).toEqual(pending);
  expect(feedbackOf(restingRun({state: 'paused'}))).toBeNull();
});

test('the agent is told which review sent it back, and the feedback', () => {
  expect(parentFeedbackText(pending)).toBe(
    'A review of p, which this task is part of, sent it back:\n\nTest it.',
  );
});

type Asked = Pick<RunRecord, 'state'> & {
  readonly name: string;
  readonly isAsked: boolean;
  readonly feedback?: string | null;
  readonly answers?: readonly unknown[];
  readonly isSentBack?: boolean;
};

test.each<Asked>([
  {name: 'the questions of a waiting run are asked', state: 'waiting', isAsked: true},
  {name: 'not those of a paused run', state: 'paused', isAsked: false},
  {name: 'not when the user gives feedback', state: 'waiting', feedback: 'go on', isAsked: false},
  {name: 'not when a review sent it back', state: 'waiting', isSentBack: true, isAsked: false},
  {
    name: 'but when the user has started to answer',
    state: 'waiting',
    isSentBack: true,
    isAsked: true,
    answers: [{id: 'q', value: 'x'}],
  },
])(
  'questions come last: $name',
  ({state, isAsked, feedback = null, answers = [], isSentBack = false}: Asked) => {
    expect(asksFirst({state}, {answers, feedback}, isSentBack)).toBe(isAsked);
  },
);
