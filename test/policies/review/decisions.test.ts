import {describe, expect, test} from 'vitest';
import {openDecision} from '../../../src/machines/policies/review/decisions.ts';
import {applyRunStep} from '../../../src/machines/policies/run/run-record.ts';
import {statusOf} from '../../../src/machines/policies/run/task-runs.ts';
import type {Failure} from '../../../src/services/contracts/agent.ts';
import {decisionStates, type RunRecord} from '../../../src/services/contracts/run.ts';
import {pausedRun, restingRun, runRecord} from '../../fakes/runs.ts';
import {now, task} from '../../helpers/plans.ts';

const atWork = task('a', {status: 'in_progress'});
const ended = (fields: Partial<RunRecord> = {}) => restingRun({state: 'succeeded', ...fields});
const pending = ended({decision_required: true, decision_state: 'pending'});
const requested = ended({
  decision_required: true,
  decision_state: 'changes_requested',
  decision_feedback: 'use tabs',
  decision_resolved_at: '2026-02-02T03:00:00.000Z',
});
/** A run with that feedback, which its provider refused. */
const refused = (created_at: string) =>
  restingRun({
    state: 'failed',
    run_id: 'a-2',
    attempt: 2,
    created_at,
    resumed_from_run_id: 'a-1',
    feedback: 'use tabs',
    failure: {kind: 'resume_rejected', message: 'gone'},
  });
const second = {run_id: 'a-2', attempt: 2};

describe('the checkpoint of a task', () => {
  test.each<{name: string; runs: readonly RunRecord[]; open: ReturnType<typeof openDecision>}>([
    {name: 'is none without a run', runs: [], open: null},
    {name: 'is none after a run without one', runs: [ended()], open: null},
    {name: 'is none while the run continues', runs: [runRecord({decision_required: true})], open: null},
    {name: 'is that of a pending decision', runs: [pending], open: {run: pending, undelivered: null}},
    {
      name: 'is that of changes that no run has received',
      runs: [requested],
      open: {run: requested, undelivered: 'use tabs'},
    },
    {
      name: 'is that of changes whose run never started',
      runs: [requested, restingRun({state: 'canceled', segments: [], ...second})],
      open: {run: requested, undelivered: 'use tabs'},
    },
    {
      name: 'is passed by the run that makes the changes',
      runs: [requested, runRecord(second)],
      open: null,
    },
    {name: 'is passed by it when it pauses', runs: [requested, pausedRun(second)], open: null},
    {
      name: 'is pending again when the provider refused the changes',
      runs: [requested, refused('2026-02-02T03:00:00.000Z')],
      open: {run: requested, undelivered: null},
    },
    {
      name: 'is not that of a refusal from before the changes were requested again',
      runs: [requested, refused('2026-02-02T02:59:59.999Z')],
      open: {run: requested, undelivered: 'use tabs'},
    },
    {name: 'is that of the latest run only', runs: [pending, ended(second)], open: null},
    {name: 'is none for a run of the Go program', runs: [{...pending, repo_root: ''}], open: null},
    {name: 'is none for a review', runs: [{...pending, run_type: 'review'}], open: null},
  ])('$name', ({runs, open}) => {
    expect(openDecision(atWork, runs)).toEqual(open);
  });

  test.each(['approved_continue', 'approved_quit', 'rejected'] as const)(
    'is passed once it is %s',
    (state) => {
      expect(openDecision(atWork, [ended({decision_state: state})])).toBe(null);
    },
  );

  test('is passed by a status set by hand, and is none for a parent', () => {
    for (const status of ['todo', 'done', 'failed', 'skipped'] as const)
      expect(openDecision(task('a', {status}), [pending])).toBe(null);
    expect(openDecision(task('a', {status: 'in_progress', childIds: ['b']}), [pending])).toBe(null);
  });
});

test('a task is in progress until its checkpoint is passed, and then follows its run', () => {
  const statuses = decisionStates.map((decision_state) => [
    decision_state,
    statusOf(ended({decision_state})),
    statusOf(ended({decision_state, state: 'failed'})),
  ]);
  expect(statuses).toEqual([
    ['pending', 'in_progress', 'in_progress'],
    ['approved_continue', 'done', 'failed'],
    ['approved_quit', 'done', 'failed'],
    ['changes_requested', 'in_progress', 'in_progress'],
    ['rejected', 'done', 'failed'],
  ]);
  expect(statusOf(ended())).toBe('done');
});

describe('the end of a run', () => {
  const end = {exitCode: 0, signal: null, stdout: '', stderr: ''};
  const failure = {kind: 'agent_error', message: 'no'} as const;
  const asked = {decision_state: 'pending', decision_requested_at: now};
  const reviewed = runRecord({phase: 'active', decision_required: true});
  const without = {decision_state: undefined, decision_requested_at: undefined};

  const succeeded = {type: 'ended', verdict: {outcome: 'succeeded'}, isContinued: false} as const;
  const failedWith = (why: Failure) =>
    ({type: 'ended', verdict: {outcome: 'failed', failure: why}, isContinued: false}) as const;

  const decisionOf = ({decision_state, decision_requested_at}: RunRecord) => ({
    decision_state,
    decision_requested_at,
  });

  test.each([
    {name: 'a success stops at the checkpoint', run: reviewed, step: succeeded, expected: asked},
    {name: 'a failure stops at the checkpoint', run: reviewed, step: failedWith(failure), expected: asked},
    {
      name: 'without a checkpoint nothing stops',
      run: runRecord({phase: 'active'}),
      step: succeeded,
      expected: without,
    },
    {
      name: 'a pause does not stop there',
      run: reviewed,
      step: {type: 'paused', reason: 'user_interrupt', resumable: true},
      expected: without,
    },
    {
      name: 'a question of the agent does not stop there',
      run: reviewed,
      step: {type: 'ended', verdict: {outcome: 'waiting', questions: []}, isContinued: false},
      expected: without,
    },
    {
      name: 'a run that never started does not stop there',
      run: reviewed,
      step: {type: 'neverStarted'},
      expected: without,
    },
    {
      name: 'feedback that was never delivered does not stop there',
      run: {...reviewed, resumed_from_run_id: 'a-0', feedback: 'use tabs'},
      step: failedWith({kind: 'resume_rejected', message: 'gone'}),
      expected: without,
    },
  ] as const)('$name', ({run, step, expected}) => {
    expect(decisionOf(applyRunStep(run, step, now, {end, result: ''}))).toEqual(expected);
  });

  test.each([
    {isReviewed: true, before: undefined, expected: true},
    {isReviewed: false, before: true, expected: false},
    {isReviewed: undefined, before: true, expected: true},
    {isReviewed: undefined, before: undefined, expected: undefined},
  ])('a run that continues with $isReviewed after $before is reviewed: $expected', (each) => {
    const {isReviewed, before, expected} = each;
    const run = pausedRun(before === undefined ? {} : {decision_required: before});
    const step = {type: 'relaunched', ...(isReviewed === undefined ? {} : {isReviewed})} as const;
    expect(applyRunStep(run, step, now).decision_required).toBe(expected);
  });

  test('a second decision replaces the first, including its text', () => {
    const decided = applyRunStep(requested, {type: 'decided', decision: {state: 'approved_quit'}}, now);
    expect(decided).toMatchObject({decision_state: 'approved_quit', decision_resolved_at: now});
    expect(decided).not.toHaveProperty('decision_feedback');
  });
});
