import {expect, test} from 'vitest';
import type {ParentReviewOutput} from '../../../src/machines/parent-review.machine.ts';
import {
  isHopeless,
  type StopReason,
  stopReasonAfter,
  stopReasonAfterReview,
} from '../../../src/machines/policies/job/stop-reason.ts';
import type {TaskOutput} from '../../../src/machines/policies/run/task-outcome.ts';
import {failureKinds} from '../../../src/services/contracts/agent.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {restingRun} from '../../fakes/runs.ts';

test('only a failure that the next task would repeat stops the plan', () => {
  const hopeless = failureKinds.filter((kind) =>
    isHopeless(restingRun({state: 'failed', failure: {kind, message: 'no'}})),
  );
  expect(hopeless).toEqual([
    ...['auth', 'billing', 'rate_limit', 'outage', 'stalled', 'bad_model', 'spawn_failed'],
  ]);
});

test('a run without a failure does not', () => {
  expect(isHopeless(restingRun({state: 'failed'}))).toBe(false);
});

const run = (fields: Partial<RunRecord> & Pick<RunRecord, 'state'>) => restingRun(fields);
const auth = {kind: 'auth', message: 'log in'} as const;
const full = {kind: 'context_full', message: 'too long'} as const;
const unstarted = {kind: 'spawn_failed', message: 'no'} as const;

test.each<{output: TaskOutput; reason: StopReason | null; onFailure?: StopReason | null}>([
  {output: {outcome: 'succeeded', run: run({state: 'succeeded'})}, reason: null},
  {output: {outcome: 'canceled', run: run({state: 'canceled'})}, reason: 'paused'},
  {output: {outcome: 'failed', run: run({state: 'failed'})}, reason: null, onFailure: 'failed'},
  {output: {outcome: 'failed', run: run({state: 'failed', failure: unstarted})}, reason: 'failed'},
  {output: {outcome: 'paused', run: run({state: 'paused'})}, reason: 'paused'},
  {output: {outcome: 'paused', run: run({state: 'paused', failure: auth})}, reason: 'paused'},
  {output: {outcome: 'paused', run: run({state: 'paused', failure: full})}, reason: null},
  {output: {outcome: 'waiting', run: run({state: 'waiting'})}, reason: 'waiting_user'},
  {output: {outcome: 'decision_required', run: run({state: 'succeeded'})}, reason: 'decision_required'},
  {
    output: {outcome: 'succeeded', run: run({state: 'succeeded', decision_state: 'approved_continue'})},
    reason: null,
  },
  {
    output: {outcome: 'succeeded', run: run({state: 'succeeded', decision_state: 'approved_quit'})},
    reason: 'completed',
  },
  {output: {outcome: 'failed', run: run({state: 'failed', decision_state: 'rejected'})}, reason: 'failed'},
  {output: {outcome: 'refused', run: run({state: 'paused'}), reason: 'no'}, reason: 'error'},
  {output: {outcome: 'error', error: 'no'}, reason: 'error'},
])('after $output.outcome ($output.run.decision_state) the plan stops for $reason', (each) => {
  const {output, reason, onFailure = reason} = each;
  expect(stopReasonAfter(output, {stopOnFailure: false})).toBe(reason);
  expect(stopReasonAfter(output, {stopOnFailure: true})).toBe(onFailure);
});

test.each<{review: Partial<ParentReviewOutput>; reason: StopReason | null; onFailure?: StopReason | null}>([
  {review: {}, reason: null},
  {review: {reviews: [{parentId: 'p', verdict: 'passed'}]}, reason: null},
  {review: {reviews: [{parentId: 'p', verdict: 'broken'}]}, reason: null, onFailure: 'failed'},
  {review: {outcome: 'required'}, reason: 'parent_review_required'},
  {review: {outcome: 'paused'}, reason: 'paused'},
  {review: {outcome: 'failed'}, reason: 'failed'},
  {review: {outcome: 'error'}, reason: 'error'},
])('after the review $review the plan stops for $reason', ({review, reason, onFailure = reason}) => {
  const output: ParentReviewOutput = {outcome: 'settled', reviews: [], pending: [], ...review};
  expect(stopReasonAfterReview(output, {stopOnFailure: false})).toBe(reason);
  expect(stopReasonAfterReview(output, {stopOnFailure: true})).toBe(onFailure);
});
