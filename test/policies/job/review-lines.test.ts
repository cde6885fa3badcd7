import {describe, expect, test} from 'vitest';
import {
  brokenReviewLines,
  sentBackLines,
  undecidedLines,
} from '../../../src/machines/policies/job/review-lines.ts';
import type {PendingFeedback} from '../../../src/services/contracts/feedback.ts';
import {now} from '../../helpers/plans.ts';

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
const last = 'all of it, and how to overrule it: blackbird feedback list';

describe('what was sent back', () => {
  test('is listed by parent, with the next command', () => {
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

  test('with different feedback is listed task by task', () => {
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

  test('contains no control sequence for the terminal', () => {
    const text = sentBackLines([pending('a\u001b[31m', {feedback: '\u001b]0;x\u0007'})]).join('');
    expect(text).not.toMatch(/[\u001b\u0007]/);
  });
});

describe('a review without a verdict', () => {
  test('is named with the next command; a review with a verdict is not', () => {
    expect(
      brokenReviewLines([
        {parentId: 'p', verdict: 'broken'},
        {parentId: 'q', verdict: 'passed'},
      ]),
    ).toEqual([
      'not reviewed: p',
      'next step: blackbird execute (reviews again; "blackbird config set execution.parentReviewEnabled false" turns reviews off)',
    ]);
    expect(brokenReviewLines([{parentId: 'q', verdict: 'sentBack'}])).toEqual([]);
  });
});

describe('a parent that needs your decision', () => {
  test('is shown with the possible commands', () => {
    expect(undecidedLines({parentId: 'it is', cycles: 19})).toEqual([
      'it is needs your decision: its reviews sent tasks back 19 times, as often as execution.maxReviewCycles allows',
      "see what they said: blackbird runs 'it is' --verbose",
      "next step: blackbird set-status 'it is' done (the work is accepted as it is)",
      '  or: blackbird config set execution.maxReviewCycles 20, then blackbird execute (one more review)',
    ]);
  });

  test('suggests no setting that would be refused', () => {
    expect(undecidedLines({parentId: 'p', cycles: 20}).join()).not.toContain('config set');
  });
});
