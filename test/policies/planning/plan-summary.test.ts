import {expect, test} from 'vitest';
import type {JobResult} from '../../../src/machines/policies/job/job-steps.ts';
import type {Wait} from '../../../src/machines/policies/job/waiting.ts';
import type {DraftHead} from '../../../src/machines/policies/planning/plan-draft.ts';
import type {PlanOutput} from '../../../src/machines/policies/planning/plan-steps.ts';
import {planSummary} from '../../../src/machines/policies/planning/plan-summary.ts';
import {nearTime} from '../../../src/machines/policies/text/durations.ts';
import {pausedRun, restingRun} from '../../fakes/runs.ts';

const rounds = {questions: 0, corrections: 0, refinements: 0};
const draft: DraftHead = {
  draftId: 'd',
  kind: 'generate',
  phase: 'generating',
  questions: [],
  rounds,
  isEdited: false,
};

const summary = (output: Partial<PlanOutput>, isPauseAsked = false) => {
  const plan: PlanOutput = {outcome: 'saved', draft, run: null, reading: null, ...output};
  const result: JobResult = {
    reason: 'paused',
    left: [],
    isStopAsked: false,
    isPauseAsked,
    steps: [{type: 'plan', output: plan}],
  };
  return planSummary(result);
};

const limited = pausedRun({
  failure: {kind: 'rate_limit', message: 'limit'},
  retry_at: '2026-01-05T18:00:00Z',
});
const until = '2026-01-05T19:00:00Z';
const wait: Wait = {
  taskId: 'plan:d',
  runId: null,
  until,
  foundAt: until,
  isTooLong: true,
  provider: 'claude',
  reason: 'usage_limit',
};

test.each<[string, Partial<PlanOutput>, boolean, string]>([
  ['saved', {outcome: 'saved'}, false, 'done'],
  ['dropped', {outcome: 'dropped'}, false, 'done'],
  ['with open questions', {outcome: 'unanswered'}, false, 'personNeeded'],
  ['paused at its questions', {outcome: 'unanswered'}, true, 'paused'],
  ['waiting for a decision', {outcome: 'undecided'}, false, 'personNeeded'],
  ['paused at the decision', {outcome: 'undecided'}, true, 'paused'],
  ['paused while the planner works', {outcome: 'paused', run: pausedRun()}, true, 'paused'],
  ['at a limit', {outcome: 'paused', run: limited, wait}, false, 'timeNeeded'],
  ['paused while it waited for a limit', {outcome: 'paused', run: limited, wait}, true, 'paused'],
  [
    'without a login',
    {outcome: 'paused', run: pausedRun({failure: {kind: 'auth', message: 'no'}})},
    false,
    'personNeeded',
  ],
  ['stopped before it started by a known limit', {outcome: 'paused', wait}, false, 'timeNeeded'],
  ['failed', {outcome: 'failed', run: restingRun({state: 'failed'})}, false, 'failed'],
  ['unusable', {outcome: 'unusable'}, false, 'failed'],
])('a plan that is %s', (_, output, isPauseAsked, standing) => {
  expect(summary(output, isPauseAsked)?.standing).toBe(standing);
});

test('a plan with open questions lists them, with the ids to answer them', () => {
  const questions = [{id: 'db', prompt: 'Which\u001b[2J database?', options: ['pg', 'sqlite']}];
  expect(summary({outcome: 'unanswered', draft: {...draft, phase: 'asking', questions}})).toMatchObject({
    lines: [
      'The planner waits for your answers.',
      '  db: Which database? (pg, sqlite)',
      "Answer with: blackbird plan drafts open d --answer 'db=…'",
    ],
    plan: {outcome: 'unanswered', draft_id: 'd', questions},
  });
});

test('a plan that cannot continue says until when, why, and how to continue', () => {
  expect(summary({outcome: 'paused', wait})).toMatchObject({
    lines: [
      `The planner cannot continue before ${nearTime(until, until)}: the usage limit is reached (claude).`,
      'Continue after that time with: blackbird plan drafts open d',
    ],
    retryAt: until,
  });
  expect(summary({outcome: 'paused', run: limited, wait})).toMatchObject({
    retryAt: limited.retry_at,
    lines: [
      'The planner is paused: the usage limit is reached.',
      expect.stringContaining('plan drafts open d'),
    ],
  });
});

test('a saved plan names the command that shows what would run', () => {
  expect(summary({outcome: 'saved'})?.lines).toEqual([
    'The plan is saved.',
    'See what would run with: blackbird execute --dry-run',
  ]);
});
