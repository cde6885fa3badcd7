import {describe, expect, test} from 'vitest';
import {jobOutcome, jobPage} from '../../../src/machines/policies/inspect/job-page.ts';
import {planRows, rowPage} from '../../../src/machines/policies/inspect/job-rows.ts';
import {timelineOf} from '../../../src/machines/policies/report/timeline.ts';
import type {RowQuery} from '../../../src/services/contracts/inspector.ts';
import {endedJob} from '../../fakes/jobs.ts';
import {endedSegment, restingRun} from '../../fakes/runs.ts';
import {family, planOf, promptly, task} from '../../helpers/plans.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 10, 22) + minute * 60_000).toISOString();
const worked = (from: number, to: number) => endedSegment(1, {started_at: at(from), ended_at: at(to)});

const plan = planOf(
  family(
    task('pay'),
    task('pay-1', {status: 'done'}),
    task('pay-2', {status: 'failed'}),
    family(task('deep'), task('deep-1', {status: 'todo'})),
  ),
  task('notes', {status: 'skipped'}),
);
const runs = [
  restingRun({
    state: 'succeeded',
    task_id: 'pay-1',
    run_id: 'pay-1-1',
    created_at: at(1),
    segments: [worked(1, 3)],
  }),
  restingRun({
    task_id: 'pay-2',
    run_id: 'pay-2-1',
    state: 'failed',
    created_at: at(4),
    segments: [worked(4, 9)],
    failure: {kind: 'agent_error', message: 'no way'},
  }),
  restingRun({
    state: 'succeeded',
    task_id: 'gone',
    run_id: 'gone-1',
    created_at: at(9),
    segments: [worked(9, 10)],
  }),
];
const timeline = timelineOf({
  jobs: [endedJob({startedAt: at(0), endedAt: at(20)})],
  runs,
  plan,
  now: at(30),
  isLive: false,
});
const rows = planRows(plan, timeline.lanes);
const query = (fields: Partial<RowQuery> = {}): RowQuery => ({
  from: 0,
  count: 50,
  show: 'all',
  find: '',
  closed: [],
  ...fields,
});
const shown = (fields: Partial<RowQuery> = {}) =>
  rowPage(rows, query(fields)).rows.map(
    ({task_id, depth, word, is_parent, done, total}) =>
      `${'  '.repeat(depth)}${task_id} ${is_parent ? `${word} ${done}/${total}` : word}`,
  );

describe('the rows of a job', () => {
  test('are the whole plan, parents with the status of their children, and tasks that were deleted since', () => {
    expect(shown()).toEqual([
      'pay failed 1/3',
      '  pay-1 done',
      '  pay-2 failed',
      '  deep todo 0/1',
      '    deep-1 todo',
      'notes skipped',
      'gone done',
    ]);
    expect(rows[0]?.span).toEqual({from: at(1), to: at(9)});
    expect(rows.at(-1)?.title).toBe('no longer in the plan');
  });

  test('show a planning job as planning, which is not in the plan', () => {
    const lanes = timeline.lanes.map((lane) => ({...lane, task_id: 'plan:20260101-000000-abc', title: ''}));
    expect(planRows(plan, lanes).at(-1)?.title).toBe('planning');
  });

  test.each<{name: string; query: Partial<RowQuery>; rows: string[]}>([
    {name: 'of this job', query: {show: 'job'}, rows: ['pay', 'pay-1', 'pay-2', 'gone']},
    {name: 'that need attention', query: {show: 'attention'}, rows: ['pay', 'pay-2']},
    {name: 'that match a search', query: {find: 'DEEP-1'}, rows: ['pay', 'deep', 'deep-1']},
    {name: 'below expanded parents', query: {closed: ['pay']}, rows: ['pay', 'notes', 'gone']},
    {name: 'that are visible', query: {from: 2, count: 2}, rows: ['pay-2', 'deep']},
    {name: 'past the end', query: {from: 99}, rows: []},
  ])('are those $name', ({query: asked, rows: expected}) => {
    expect(rowPage(rows, query(asked)).rows.map(({task_id}) => task_id)).toEqual(expected);
  });

  test('of a chain of 100,000 tasks are computed quickly', () => {
    const chain = Array.from({length: 100_000}, (_, index) =>
      task(`t${index}`, {
        parentId: index === 0 ? null : `t${index - 1}`,
        childIds: index === 99_999 ? [] : [`t${index + 1}`],
      }),
    );
    const long = planOf(...chain);
    promptly(() => expect(planRows(long, []).at(0)?.total).toBe(1));
  });
});

test('above the rows: how the job ended, the status of its tasks, and what to look at first', () => {
  expect(jobPage(timeline, plan, 'shop')).toMatchObject({
    project: 'shop',
    jobs: 1,
    done: 2,
    total: 4,
    lanes: 3,
    counts: {succeeded: 2, failed: 1},
    notable: [{kind: 'failed', word: 'failed', task_id: 'pay-2', text: 'no way', is_open: true}],
    notable_total: 1,
  });
});

test.each<{job: Parameters<typeof jobOutcome>[0]; kind: string}>([
  {job: {outcome: 'working', reason: null, standing: null}, kind: 'working'},
  {job: {outcome: 'lost', reason: 'lost', standing: null}, kind: 'lost'},
  {job: {outcome: 'ended', reason: 'completed', standing: 'failed'}, kind: 'failed'},
  {job: {outcome: 'ended', reason: 'completed', standing: 'done'}, kind: 'succeeded'},
  {job: {outcome: 'ended', reason: 'paused', standing: 'paused'}, kind: 'paused'},
  {job: {outcome: 'ended', reason: 'waiting_user', standing: 'personNeeded'}, kind: 'waiting'},
  {job: {outcome: 'ended', reason: 'error', standing: null}, kind: 'failed'},
])('a job that $job is $kind', ({job, kind}) => {
  expect(jobOutcome(job).kind).toBe(kind);
});
