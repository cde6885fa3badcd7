import {describe, expect, test} from 'vitest';
import {requireTask} from '../../../src/machines/policies/plan/plan-graph.ts';
import {changeSize} from '../../../src/machines/policies/report/change-size.ts';
import type {Report} from '../../../src/machines/policies/report/report.ts';
import {
  errorLines,
  headPieces,
  lineWords,
  outcomeWords,
  refusalLine,
  reportLines,
  restLine,
  taskPieces,
  titleOf,
} from '../../../src/machines/policies/report/report-words.ts';
import {laneOutcomes} from '../../../src/machines/policies/report/timeline.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {reportHtml} from '../../../src/ui/report/report-html.ts';
import {reportMarkdown} from '../../../src/ui/report/report-markdown.ts';
import {jobRecord} from '../../fakes/jobs.ts';
import {nightFacts, nightPlan, nightReport, nightTime} from '../../fakes/night.ts';
import {openSegment, pausedRun, restingRun, runRecord} from '../../fakes/runs.ts';
import {family, planOf, task} from '../../helpers/plans.ts';
import {factsIn} from '../../helpers/task-facts.ts';

const night = nightReport();
const taskOf = (id: string) => {
  const found = night.tasks.find(({task_id}) => task_id === id);
  if (!found) throw new Error(`${id} is not in the report`);
  return found;
};

test('the night is reported with its totals', () => {
  expect(night).toMatchObject({
    from: nightTime(0),
    to: nightTime(341),
    is_live: false,
    done: 6,
    total: 9,
    ready: 1,
    next: [{task_id: 'pay-09', title: 'Release notes'}],
    unreadable: [],
  });
  expect(night.jobs.map(({outcome, message}) => [outcome, message])).toEqual([
    ['lost', 'Blackbird ended before the job did'],
    ['ended', 'pay-08 waits for your answer'],
  ]);
  expect(night.totals).toMatchObject({
    tokens: 900_000,
    cost_usd: 11.25,
    limits: {count: 1, milliseconds: 130 * 60_000},
    outages: {count: 1, milliseconds: 4 * 60_000},
    files: 16,
    added: 368,
    removed: 24,
    commits: 1,
    questions: 1,
    retries: 1,
    crashes: 1,
  });
});

test('each task once, in the order they started, with how it ended', () => {
  expect(night.tasks.map(({task_id, outcome}) => [task_id, outcome])).toEqual([
    ...['pay-01', 'pay-02', 'pay-03', 'pay-04', 'pay-05', 'pay-06'].map((id) => [id, 'done']),
    ['pay-07', 'failed'],
    ['pay-08', 'waiting_answer'],
  ]);
});

test('a task shows its evidence: checks, change, commit, runs', () => {
  expect(taskOf('pay-04')).toMatchObject({
    failure: null,
    run_ids: ['pay-04-1'],
    change: {files: 2, added: 46, removed: 3, paths: ['src/refunds.ts', 'test/refunds.test.ts']},
    checks: [
      {
        command: 'npm test',
        passed: true,
        exit_code: 0,
        seconds: 12,
        round: 2,
        log_digest: 'sha256:d',
      },
    ],
  });
  expect(taskOf('pay-01').commit).toEqual({sha: '3f2a9c1d', branch: 'main'});
  expect(taskOf('pay-06')).toMatchObject({run_ids: ['pay-06-1', 'pay-06-2'], retries: 1, failure: null});
  expect(taskOf('pay-07')).toMatchObject({
    failure: 'npm test failed 3 times',
    checks: [{passed: false, round: 3}],
  });
  expect(taskOf('pay-08').questions).toEqual([{prompt: 'Which currency?', answer: null}]);
  expect(taskOf('pay-05').crashes).toBe(1);
});

test('a resumed run that changed nothing leaves the change and commit of its task as they were', () => {
  const summary = (...files: string[]) => ({files, diffstat: '', snippets: []});
  const commit = {sha: '3f2a9c1d', branch: 'main'};
  const first = restingRun({state: 'succeeded', review_summary: summary('a.ts'), commit});
  const [skipped, overlaps] = [{skipped: 'it changed no files'}, {skipped: 'a.ts is in conflict'}];
  const later = (fields: Partial<RunRecord>) =>
    restingRun({state: 'succeeded', run_id: 'a-2', attempt: 2, resumed_from_run_id: 'a-1', ...fields});
  const reported = (run: RunRecord) =>
    nightReport({runs: [first, run]}).tasks.map(({change, commit: told}) => [change?.files, told]);
  expect(reported(later({review_summary: summary(), commit: skipped}))).toEqual([[1, commit]]);
  expect(reported(later({review_summary: summary('a.ts'), commit: overlaps}))).toEqual([[1, overlaps]]);
  // After a restart or feedback, the change is that of the whole chain and the run's own part is empty.
  const whole = {review_summary: summary('a.ts'), commit: skipped};
  expect(reported(later(whole))).toEqual([[1, commit]]);
  expect(reported(later({...whole, resumed_from_run_id: undefined}))).toEqual([[1, commit]]);
  const undo = later({run_type: 'undo'});
  const again = later({...whole, run_id: 'a-3', attempt: 3});
  expect(nightReport({runs: [first, undo, again]}).tasks.map((each) => each.commit)).toEqual([skipped]);
});

test('what needs you comes with its command', () => {
  expect(night.needs_you).toEqual([
    {
      task_id: 'pay-07',
      title: 'Webhooks',
      why: 'failed: npm test failed 3 times',
      command: 'blackbird resume pay-07',
    },
    {
      task_id: 'pay-08',
      title: 'Dashboard',
      why: 'asks: Which currency?',
      command: 'blackbird resume pay-08',
    },
  ]);
});

test('a limit does not need you, whether a job waits for it or not', () => {
  const plan = planOf(task('a', {status: 'in_progress'}));
  const waiting = pausedRun({
    pause_reason: 'usage_limit',
    failure: {kind: 'rate_limit', message: ''},
    pauses: [{paused_at: nightTime(5), pause_reason: 'usage_limit'}],
  });
  const job = jobRecord({startedAt: nightTime(0), runs: []});
  const facts = {...nightFacts, jobs: [job], runs: [waiting], plan, factsOf: factsIn(plan, {run: waiting})};
  for (const isLive of [true, false]) {
    const report = nightReport({...facts, isLive});
    expect([report.needs_you, report.needs_time.map(({task_id}) => task_id)]).toEqual([[], ['a']]);
    expect(reportMarkdown(report, nightTime(9))).not.toContain('Needs you');
    expect(reportMarkdown(report, nightTime(9))).toContain('### Needs time');
    expect(reportHtml(report, nightTime(9))).not.toContain('Needs you');
    expect(reportHtml(report, nightTime(9))).toContain('<h2>Needs time</h2>');
  }
});

test('a running task does not need you', () => {
  const plan = planOf(task('a', {status: 'in_progress'}));
  const run = runRecord({created_at: nightTime(1), segments: [openSegment(1, {started_at: nightTime(2)})]});
  const job = jobRecord({startedAt: nightTime(0), runs: []});
  const factsOf = factsIn(plan, {run, isEngineAlive: true});
  const report = nightReport({...nightFacts, jobs: [job], runs: [run], plan, factsOf, isLive: true});
  expect(report.tasks.map(({outcome}) => outcome)).toEqual(['running']);
  expect(reportMarkdown(report, nightTime(9))).not.toContain('Needs');
  expect(reportHtml(report, nightTime(9))).not.toContain('Needs');
});

test('work that a review sent back is neither ticked off nor done, and comes last with its command', () => {
  const plan = planOf(family(task('p'), task('a', {status: 'done'}), task('b', {status: 'done'})));
  const session = {provider_session_ref: 's-1', resumable: true};
  const ended = (id: string, fields: Partial<RunRecord> = {}) =>
    restingRun({...session, task_id: id, run_id: `${id}-1`, state: 'succeeded', ...fields});
  const runs = [
    ended('a'),
    ended('b'),
    ended('p', {run_type: 'review', parent_review_passed: false, parent_review_resume_task_ids: ['a']}),
  ];
  const report = nightReport({
    runs,
    plan,
    factsOf: (each) =>
      factsIn(plan, {run: runs.find((run) => run.task_id === each.id) ?? null, isSentBack: each.id === 'a'})(
        each,
      ),
  });
  expect(report).toMatchObject({
    done: 2,
    total: 2,
    reviews_due: [],
    before_all: 'blackbird resume a',
  });
  const answered = factsIn(plan, {run: runs[0] ?? null});
  expect(nightReport({runs, plan, factsOf: answered}).reviews_due).toEqual(['p']);
  const {lines} = reportLines(report);
  expect(lines.map((line) => [lineWords(line).sign, line.task.task_id, line.need?.command])).toEqual([
    ['✓', 'b', undefined],
    ['↩', 'p', undefined],
    ['!', 'a', 'blackbird resume a'],
  ]);
  expect(restLine(report)).toBe('');
});

test('a refused job is reported only when nothing followed it, and never as failed work', () => {
  const job = (reason: string, runs: number, message: string) => ({
    job_id: 'j',
    agent: 'demo',
    from: nightTime(0),
    to: nightTime(1),
    outcome: 'ended' as const,
    reason,
    standing: null,
    message,
    runs,
  });
  const [refused, broken, well] = [
    job('error', 0, 'cannot resume a'),
    job('error', 1, 'the disk is full'),
    job('completed', 2, '2 done'),
  ];
  const told = (...jobs: Report['jobs']) => {
    const report = {...night, jobs};
    return [...errorLines(report), refusalLine(report)];
  };
  expect(told(refused, well)).toEqual(['']);
  expect(told(broken, well)).toEqual(['job j ended by an error: the disk is full', '']);
  expect(told(well, refused)).toEqual(['the last job could not start: cannot resume a']);
});

test('when nothing ran, the state of the plan is still reported', () => {
  const empty = nightReport({jobs: [], runs: []});
  expect(empty).toMatchObject({from: null, to: null, jobs: [], tasks: [], timeline: null, done: 6, total: 9});
  expect(empty.needs_you).toHaveLength(2);
  expect(titleOf(empty, nightTime(0))).toBe('Nothing ran');
});

describe('as text', () => {
  test('of everything', () => {
    expect(headPieces(night)).toEqual([
      'claude',
      '6 of 9 done',
      '900k tokens',
      '$11.25',
      '1 wait of 2h10m (usage limit)',
      '1 wait of 4m00s (outage)',
      '1 question',
      '1 retry',
      '1 crash',
    ]);
    expect(restLine(night)).toBe('1 ready: pay-09. Continue with: blackbird execute');
  });

  test('of a plan with skipped tasks, which are not done', () => {
    const plan = planOf(task('a', {status: 'done'}), task('b', {status: 'skipped'}));
    const report = nightReport({plan, factsOf: factsIn(plan), runs: []});
    expect(report).toMatchObject({done: 1, skipped: 1, total: 2});
    expect(headPieces(report).slice(0, 2)).toEqual(['1 of 2 done', '1 skipped']);
    expect(restLine(report)).toBe('Everything is done or skipped.');
  });

  test('of the agents that worked, not one that a job would only have used', () => {
    const [first] = nightFacts.runs;
    const runs = first ? [{...first, provider: 'codex' as const}] : [];
    expect(headPieces(nightReport({runs}))[0]).toBe('codex');
    const open = {jobs: [jobRecord({startedAt: nightTime(0)})], runs: []};
    expect(headPieces(nightReport({...open, isLive: false}))[0]).toBe('6 of 9 done');
    expect(headPieces(nightReport({...open, isLive: true}))[0]).toBe('claude');
  });

  test.each([
    ['pay-01', ['3m30s', '$1.25', '2 files +46 −3', 'committed 3f2a9c1']],
    ['pay-02', ['24m48s', '$1.25', '2 files +46 −3', '1 wait of 2h10m (usage limit)']],
    ['pay-04', ['9m30s', '$1.25', '2 files +46 −3', 'npm test ✓ (2nd round)']],
    ['pay-05', ['35m00s', '$1.25', '2 files +46 −3', 'survived a crash of Blackbird']],
    ['pay-07', ['27m00s', '$1.25', '2 files +46 −3', 'npm test ✗ (3rd round)']],
  ])('of %s', (id, pieces) => {
    expect(taskPieces(taskOf(id))).toEqual(pieces);
  });

  test('what needs you comes last', () => {
    const {lines, others} = reportLines({...night, tasks: [...night.tasks].reverse()});
    expect(lines.slice(-2).map(({task}) => task.task_id)).toEqual(['pay-08', 'pay-07']);
    expect(others).toEqual([]);
  });

  test('what needs you without having been worked on is not left out', () => {
    const {others} = reportLines({...night, tasks: night.tasks.slice(0, 7)});
    expect(others.map(({task_id}) => task_id)).toEqual(['pay-08']);
  });

  test.each([
    [{done: 9, total: 9, ready: 0, next: [], needs_you: []}, 'Everything is done.'],
    [{done: 8, skipped: 1, total: 9, ready: 0, next: [], needs_you: []}, 'Everything is done or skipped.'],
    [
      {done: 0, total: 0, ready: 0, next: [], needs_you: []},
      'The plan is empty. Fill it with: blackbird plan generate, or blackbird add',
    ],
    [{done: 9, total: 9, ready: 0, next: []}, ''],
    [
      {done: 9, total: 9, ready: 0, next: [], needs_you: [], reviews_due: ['p', 'q']},
      'The review of p, q is due. Continue with: blackbird execute',
    ],
    [{ready: 0, next: []}, ''],
    [
      {ready: 5, next: ['a', 'b', 'c'].map((id) => ({task_id: id, title: ''}))},
      '5 ready: a, b, c, and 2 more. Continue with: blackbird execute',
    ],
    [
      {before_all: 'blackbird review a'},
      '1 ready: pay-09. Continue with: blackbird review a, then blackbird execute',
    ],
    [{is_live: true}, ''],
  ])('what is left: %j', (fields, line) => {
    expect(restLine({...night, ...fields})).toBe(line);
  });

  test('all outcomes differ without colour', () => {
    const words = laneOutcomes.map((outcome) => outcomeWords[outcome].word);
    expect(new Set(words).size).toBe(laneOutcomes.length);
  });
});

test.each([
  [600, 'Last night  22:00 – 03:41'],
  [30, 'Today  22:00 – 03:41'],
  [3 * 24 * 60, '2026-01-10  22:00 – 2026-01-11 03:41'],
])('after %d minutes it is called %s', (minute, title) => {
  expect(titleOf(night, nightTime(minute))).toBe(title);
});

test('a job at work has no end yet', () => {
  expect(titleOf({...night, is_live: true}, nightTime(60))).toBe('Today  22:00 – now');
});

test.each([
  ['', {files: 1, added: 0, removed: 0}],
  [' 1 file changed, 1 insertion(+)', {files: 1, added: 1, removed: 0}],
  [' 1 file changed, 2 deletions(-)', {files: 1, added: 0, removed: 2}],
  [
    ' a 9 insertions(+) | 1 +\n 1 file changed, 3 insertions(+), 1 deletion(-)',
    {files: 1, added: 3, removed: 1},
  ],
])('the size of a change: %j', (diffstat, size) => {
  expect(changeSize({files: ['a'], diffstat, snippets: []})).toEqual({...size, paths: ['a']});
});

test('a task that was skipped by hand after it failed is shown as skipped', () => {
  const skipped = {...requireTask(nightPlan, 'pay-07'), status: 'skipped'} as const;
  const plan = {...nightPlan, items: new Map([...nightPlan.items, ['pay-07', skipped] as const])};
  const report = nightReport({plan});
  expect(report.tasks.find(({task_id}) => task_id === 'pay-07')).toMatchObject({
    outcome: 'skipped',
    failure: null,
  });
  expect(reportLines(report).lines.find(({task}) => task.task_id === 'pay-07')?.isSettled).toBe(true);
});
