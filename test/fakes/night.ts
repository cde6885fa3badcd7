import {type Report, type ReportFacts, reportOf} from '../../src/machines/policies/report/report.ts';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import type {Verification} from '../../src/services/contracts/verification.ts';
import {planOf, task} from '../helpers/plans.ts';
import {factsIn} from '../helpers/task-facts.ts';
import {endedJob} from './jobs.ts';
import {endedSegment, openSegment, question, restingRun} from './runs.ts';

/** A minute of the night, which starts at ten local time. */
export const nightTime = (minute: number) =>
  new Date(new Date(2026, 0, 10, 22).getTime() + minute * 60_000).toISOString();

const worked = (from: number, to: number) =>
  endedSegment(1, {started_at: nightTime(from), ended_at: nightTime(to)});

/** A run of this task from `begin` to `end` that changed two files. */
const run = (taskId: string, begin: number, end: number, fields: Partial<RunRecord> = {}): RunRecord =>
  restingRun({
    state: 'succeeded',
    task_id: taskId,
    run_id: `${taskId}-1`,
    created_at: nightTime(begin),
    segments: [worked(begin, end)],
    usage: {input_tokens: 90_000, output_tokens: 10_000, cost_usd: 1.25},
    provider_session_ref: `session-${taskId}`,
    resumable: true,
    review_summary: {
      files: ['src/refunds.ts', 'test/refunds.test.ts'],
      total_files: 2,
      diffstat: ' src/refunds.ts | 44 ++\n 2 files changed, 46 insertions(+), 3 deletions(-)',
      snippets: [],
    },
    ...fields,
  });

const check = (begin: number, fields: Partial<Verification> = {}): Verification => ({
  command: 'npm test',
  round: 1,
  started_at: nightTime(begin),
  seconds: 12,
  exit_code: 0,
  signal: null,
  tail: '',
  log_file: 'l',
  log_digest: 'sha256:d',
  ...fields,
});

export const nightPlan: Plan = planOf(
  task('pay-01', {title: 'Schema for refunds', status: 'done'}),
  task('pay-02', {title: 'Repository layer', status: 'done'}),
  task('pay-03', {title: 'Idempotency keys', status: 'done'}),
  task('pay-04', {title: 'Refund endpoint', status: 'done'}),
  task('pay-05', {title: 'Refund e2e test', status: 'done'}),
  task('pay-06', {title: 'Audit log', status: 'done'}),
  task('pay-07', {title: 'Webhooks', status: 'failed'}),
  task('pay-08', {title: 'Dashboard', status: 'waiting_user'}),
  task('pay-09', {title: 'Release notes'}),
);

/** What a crash in the middle leaves: two jobs, and one run that both worked on. */
const nightJobs: readonly JobRecord[] = [
  endedJob({
    jobId: '20260110-220000-aaaaaa',
    startedAt: nightTime(0),
    endedAt: nightTime(210),
    end: {reason: 'lost', message: 'Blackbird ended before the job did'},
  }),
  endedJob({
    jobId: '20260111-020000-bbbbbb',
    startedAt: nightTime(240),
    endedAt: nightTime(341),
    end: {reason: 'waiting_user', standing: 'personNeeded', message: 'pay-08 waits for your answer'},
  }),
];

const nightRuns: readonly RunRecord[] = [
  run('pay-01', 0.5, 4, {commit: {sha: '3f2a9c1d', branch: 'main'}}),
  run('pay-02', 4.2, 160, {
    segments: [worked(4.2, 20), worked(151, 160)],
    pauses: [{paused_at: nightTime(20), pause_reason: 'usage_limit', resumed_at: nightTime(150)}],
  }),
  run('pay-03', 160.5, 180, {
    segments: [worked(160.5, 170), worked(175, 180)],
    pauses: [{paused_at: nightTime(170), pause_reason: 'provider_unavailable', resumed_at: nightTime(174)}],
  }),
  run('pay-04', 180.5, 192, {
    segments: [worked(180.5, 186), worked(187, 191)],
    verifications: [check(186, {exit_code: 1}), check(191, {round: 2})],
  }),
  run('pay-05', 192.5, 260, {
    segments: [openSegment(1, {started_at: nightTime(193)}), worked(242, 260)],
    pauses: [{paused_at: nightTime(240), pause_reason: 'process_lost', resumed_at: nightTime(241)}],
  }),
  run('pay-06', 261, 265, {state: 'failed', failure: {kind: 'agent_error', message: 'no way'}}),
  run('pay-06', 266, 280, {run_id: 'pay-06-2', attempt: 2, retry_number: 1, resumed_from_run_id: 'pay-06-1'}),
  run('pay-07', 281, 310, {
    state: 'failed',
    failure: {kind: 'verification', message: 'npm test failed 3 times'},
    segments: [worked(281, 290), worked(291, 300), worked(301, 310)],
    verifications: [290, 300, 310].map((begin, place) =>
      check(begin, {exit_code: 1, round: place + 1, tail: 'POST /refunds\n\n\texpected 404, got `500`\n'}),
    ),
  }),
  run('pay-08', 311, 340, {state: 'waiting', questions: [{...question, prompt: 'Which currency?'}]}),
];

export const nightFacts: ReportFacts = {
  jobs: nightJobs,
  runs: nightRuns,
  plan: nightPlan,
  factsOf: (each) =>
    factsIn(nightPlan, {run: nightRuns.findLast(({task_id}) => task_id === each.id) ?? null})(each),
  now: nightTime(600),
  isLive: false,
};

export const nightReport = (facts: Partial<ReportFacts> = {}): Report => reportOf({...nightFacts, ...facts});
