import {describe, expect, test} from 'vitest';
import {brokenReviewLines, reviewReport, sentBackLines} from '../../src/cli/job/review-report.ts';
import type {PendingFeedback} from '../../src/services/contracts/feedback.ts';
import {now} from '../helpers/plans.ts';

const pending = (childTaskId: string, fields: Partial<PendingFeedback> = {}): PendingFeedback => ({
  ...{schemaVersion: 1, childTaskId, parentTaskId: 'p', reviewRunId: 'p-1', feedback: 'Test it.'},
  ...{createdAt: now, updatedAt: now},
  ...fields,
});
const last = 'all of it, and how to overrule it: blackbird feedback list';
const nothing = {reviews: [], pending: []};

describe('what was sent back', () => {
  test('is told by parent, with what to do next', () => {
    expect(sentBackLines([pending('a'), pending('it is', {parentTaskId: 'q'}), pending('b')])).toEqual([
      'parent review failed for p',
      'resume tasks: a, b',
      'feedback: Test it.',
      'next step: blackbird resume a',
      'next step: blackbird resume b',
      'parent review failed for q',
      'resume tasks: it is',
      'feedback: Test it.',
      "next step: blackbird resume 'it is'",
      last,
    ]);
  });

  test('differently is told of each', () => {
    const lines = sentBackLines([pending('a'), pending('b', {feedback: 'Document it.'})]);
    expect(lines.slice(2, 4)).toEqual(['feedback for a: Test it.', 'feedback for b: Document it.']);
  });

  test.each([
    {feedback: 'x'.repeat(200), shown: 'x'.repeat(200)},
    {feedback: 'x'.repeat(201), shown: `${'x'.repeat(197)}...`},
    {feedback: ' a\n\n\tb ', shown: 'a b'},
  ])('is one line of at most 200 characters', ({feedback, shown}) => {
    expect(sentBackLines([pending('a', {feedback})])[2]).toBe(`feedback: ${shown}`);
  });

  test('shows nothing that a terminal would obey', () => {
    const text = sentBackLines([pending('a\u001b[31m', {feedback: '\u001b]0;x\u0007'})]).join('');
    expect(text).not.toMatch(/[\u001b\u0007]/);
  });
});

describe('a task whose parent was looked at', () => {
  test.each([
    {review: {...nothing, outcome: 'settled'}, report: null},
    {
      review: {...nothing, outcome: 'required', pending: [pending('a')]},
      report: {reason: 'parent_review_required', exitCode: 4},
    },
    {review: {...nothing, outcome: 'paused'}, report: {reason: 'paused', exitCode: 130}},
    {
      review: {...nothing, outcome: 'settled', reviews: [{parentId: 'p', verdict: 'broken'}]},
      report: {reason: 'failed', exitCode: 3},
    },
    {
      review: {...nothing, outcome: 'failed', reviews: [{parentId: 'p', verdict: 'broken'}]},
      report: {reason: 'failed', exitCode: 3},
    },
    {review: {...nothing, outcome: 'settled', reviews: [{parentId: 'p', verdict: 'passed'}]}, report: null},
  ] as const)('$review.outcome is $report', ({review, report}) => {
    if (report === null) expect(reviewReport(review)).toBeNull();
    else expect(reviewReport(review)).toMatchObject(report);
  });

  test('and that went wrong is the error', () => {
    const error = new Error('the disk is full');
    expect(() => reviewReport({...nothing, outcome: 'error', error})).toThrow(error);
  });
});

test('only reviews that came to nothing are made again', () => {
  expect(brokenReviewLines([{parentId: 'p', verdict: 'passed'}])).toEqual([]);
  expect(
    brokenReviewLines([
      {parentId: 'p', verdict: 'passed'},
      {parentId: 'q', verdict: 'broken'},
    ])[0],
  ).toBe('not reviewed: q');
});
