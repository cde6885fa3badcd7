import {describe, expect, test} from 'vitest';
import {foldsIn, timeScale} from '../../../src/machines/policies/report/time-scale.ts';
import {type Lane, type TimelineFacts, timelineOf} from '../../../src/machines/policies/report/timeline.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import type {Verification} from '../../../src/services/contracts/verification.ts';
import {endedJob, jobRecord} from '../../fakes/jobs.ts';
import {endedSegment, openSegment, question, restingRun, runRecord} from '../../fakes/runs.ts';
import {planOf, promptly, task} from '../../helpers/plans.ts';

/** A minute of the night, which starts at 22:00. */
const at = (minute: number) => new Date(Date.UTC(2026, 0, 10, 22) + minute * 60_000).toISOString();
const worked = (from: number, to: number) => endedSegment(1, {started_at: at(from), ended_at: at(to)});
const night = endedJob({startedAt: at(0), endedAt: at(100)});

const pictureOf = (runs: readonly RunRecord[], facts: Partial<TimelineFacts> = {}) =>
  timelineOf({
    jobs: [night],
    runs,
    plan: planOf(task('a'), task('b')),
    now: at(100),
    isLive: false,
    ...facts,
  });
const laneOf = (runs: readonly RunRecord[], facts: Partial<TimelineFacts> = {}): Lane => {
  const [lane] = pictureOf(runs, facts).lanes;
  if (!lane) throw new Error('there is no lane');
  return lane;
};
/** `working 1-4`, with `…` when it has not ended. */
const drawn = ({bars}: Lane) =>
  bars.map(({state, from, to, is_open}) => `${state} ${minute(from)}-${minute(to)}${is_open ? '…' : ''}`);
const marked = ({marks}: Lane) => marks.map(({kind, at, text}) => `${kind} ${minute(at)} ${text}`);
const minute = (time: string) => (Date.parse(time) - Date.parse(at(0))) / 60_000;

const done = (fields: Partial<RunRecord> = {}) =>
  restingRun({state: 'succeeded', created_at: at(1), segments: [worked(2, 5)], ...fields});

/** A minute of checks, which passed. */
const check = (from: number, fields: Partial<Verification> = {}): Verification => ({
  command: 'npm test',
  round: 1,
  started_at: at(from),
  seconds: 60,
  exit_code: 0,
  signal: null,
  tail: '',
  log_file: 'l',
  log_digest: 'd',
  ...fields,
});

describe('the bars and marks of a task', () => {
  test.each<{name: string; run: RunRecord; bars: string[]; marks: string[]; outcome: Lane['outcome']}>([
    {
      name: 'that was done and committed',
      run: done({commit: {sha: '3f2a9c1'}}),
      bars: ['launching 1-2', 'working 2-5'],
      marks: ['commit 5 3f2a9c1'],
      outcome: 'done',
    },
    {
      name: 'that failed',
      run: done({state: 'failed', failure: {kind: 'agent_error', message: 'no way'}}),
      bars: ['launching 1-2', 'working 2-5'],
      marks: ['failure 5 no way'],
      outcome: 'failed',
    },
    {
      name: 'that waited for a limit, then for an outage, and continued',
      run: done({
        segments: [worked(2, 5), worked(31, 33), worked(41, 50)],
        pauses: [
          {paused_at: at(5), pause_reason: 'usage_limit', resumed_at: at(30)},
          {paused_at: at(33), pause_reason: 'provider_unavailable', resumed_at: at(40)},
        ],
      }),
      bars: [
        'launching 1-2',
        'working 2-5',
        'waiting_limit 5-30',
        'launching 30-31',
        'working 31-33',
        'waiting_outage 33-40',
        'launching 40-41',
        'working 41-50',
      ],
      marks: [],
      outcome: 'done',
    },
    {
      name: 'that still waits for a limit',
      run: done({
        state: 'paused',
        failure: {kind: 'rate_limit', message: 'limit'},
        pauses: [{paused_at: at(5), pause_reason: 'usage_limit'}],
      }),
      bars: ['launching 1-2', 'working 2-5', 'waiting_limit 5-100…'],
      marks: [],
      outcome: 'waiting_time',
    },
    {
      name: 'whose login expired',
      run: done({
        state: 'paused',
        failure: {kind: 'auth', message: 'log in'},
        pauses: [{paused_at: at(5), pause_reason: 'login_required'}],
      }),
      bars: ['launching 1-2', 'working 2-5', 'paused 5-100…'],
      marks: ['failure 5 log in'],
      outcome: 'paused',
    },
    {
      name: 'of an older record, paused by a user',
      run: done({state: 'paused', paused_at: at(5), pause_reason: 'user_interrupt'}),
      bars: ['launching 1-2', 'working 2-5', 'paused 5-100…'],
      marks: [],
      outcome: 'paused',
    },
    {
      name: 'that asked a question',
      run: done({state: 'waiting', questions: [{...question, prompt: 'Which currency?'}]}),
      bars: ['launching 1-2', 'working 2-5', 'waiting_answer 5-100…'],
      marks: ['question 5 Which currency?'],
      outcome: 'waiting_answer',
    },
    {
      name: 'that was answered',
      run: done({
        segments: [worked(2, 5), worked(9, 10)],
        answers: [{id: 'color', value: 'red', prompt: 'Which color?'}],
      }),
      bars: ['launching 1-2', 'working 2-5', 'waiting_answer 5-9', 'working 9-10'],
      marks: ['question 5 Which color?'],
      outcome: 'done',
    },
    {
      name: 'whose agent refused to resume, in an older record',
      run: done({
        state: 'paused',
        segments: [worked(2, 5), worked(30, 31)],
        pauses: [{paused_at: at(5), pause_reason: 'user_interrupt'}],
        failure: {kind: 'resume_rejected', message: 'no such session'},
      }),
      bars: ['launching 1-2', 'working 2-5', 'paused 5-100…'],
      marks: ['refusal 31 no such session'],
      outcome: 'refused',
    },
    {
      name: 'whose agent refused to resume twice, then did',
      run: done({
        segments: [worked(2, 5), worked(30, 31), worked(40, 41), worked(50, 55)],
        pauses: [{paused_at: at(5), pause_reason: 'user_interrupt', resumed_at: at(49)}],
        refusals: [
          {refused_at: at(31), message: 'no such session'},
          {refused_at: at(41), message: 'still none'},
        ],
      }),
      bars: ['launching 1-2', 'working 2-5', 'paused 5-49', 'launching 49-50', 'working 50-55'],
      marks: ['refusal 31 no such session', 'refusal 41 still none'],
      outcome: 'done',
    },
    {
      name: 'at its checkpoint',
      run: done({decision_state: 'pending', decision_requested_at: at(5)}),
      bars: ['launching 1-2', 'working 2-5', 'checkpoint 5-100…'],
      marks: [],
      outcome: 'decision',
    },
    {
      name: 'approved, withdrawn and rejected',
      run: done({
        state: 'failed',
        failure: {kind: 'rejected', message: 'rejected at the checkpoint'},
        decision_state: 'rejected',
        decision_requested_at: at(5),
        decision_resolved_at: at(20),
        decision_history: [
          {decision_state: 'approved_quit', decision_resolved_at: at(7), withdrawn_at: at(9)},
        ],
      }),
      bars: ['launching 1-2', 'working 2-5', 'checkpoint 5-7', 'checkpoint 9-20'],
      marks: ['decision 7 approved', 'decision 20 rejected'],
      outcome: 'failed',
    },
    {
      name: 'whose check failed, was fixed, and passed',
      run: done({
        segments: [worked(2, 5), worked(8, 10)],
        verifications: [check(5, {exit_code: 1}), check(10, {round: 2})],
      }),
      bars: [
        'launching 1-2',
        'working 2-5',
        'verifying 5-6',
        'launching 6-8',
        'working 8-10',
        'verifying 10-11',
      ],
      marks: ['failure 6 npm test: exit 1'],
      outcome: 'done',
    },
    {
      name: 'whose check failed for good',
      run: done({
        state: 'failed',
        failure: {kind: 'verification', message: 'npm test failed'},
        verifications: [check(5, {exit_code: null, timed_out: true})],
      }),
      bars: ['launching 1-2', 'working 2-5', 'verifying 5-6'],
      marks: ['failure 6 npm test: took too long'],
      outcome: 'failed',
    },
    {
      name: 'whose agent was never started',
      run: restingRun({state: 'canceled', created_at: at(1), segments: []}),
      bars: [],
      marks: [],
      outcome: 'canceled',
    },
  ])('$name', ({run, bars, marks, outcome}) => {
    const lane = laneOf([run]);
    expect({bars: drawn(lane), marks: marked(lane), outcome: lane.outcome}).toEqual({bars, marks, outcome});
  });

  test('a restart takes over where the run before it stopped', () => {
    const paused = done({
      state: 'paused',
      superseded_by_run_id: 'a-2',
      pauses: [{paused_at: at(5), pause_reason: 'user_interrupt'}],
    });
    const again = done({run_id: 'a-2', attempt: 2, created_at: at(8), segments: [worked(9, 12)]});
    expect(drawn(laneOf([again, paused]))).toEqual([
      'launching 1-2',
      'working 2-5',
      'paused 5-8…',
      'launching 8-9',
      'working 9-12',
    ]);
  });

  test('an undo marks the work as undone', () => {
    const undo = restingRun({
      state: 'succeeded',
      run_type: 'undo',
      run_id: 'a-2',
      attempt: 2,
      created_at: at(8),
      segments: [],
      undo: {run_ids: ['a-1'], is_redo: false, task_status: 'done'},
    });
    const lane = laneOf([done(), undo]);
    expect([marked(lane), lane.kind, lane.outcome]).toEqual([['undo 8 undone'], 'task', 'undone']);
  });
});

test.each([
  [true, 'done'],
  [false, 'sent_back'],
] as const)('a review that passed (%s) is %s', (passed, outcome) => {
  const lane = laneOf([done({run_type: 'review', parent_review_passed: passed})]);
  expect([lane.kind, lane.outcome]).toEqual(['review', outcome]);
});

test('a limit is waited for until its job ends, whatever other jobs do after', () => {
  const [first, second] = [
    endedJob({jobId: 'one', startedAt: at(0), endedAt: at(20)}),
    endedJob({jobId: 'two', startedAt: at(50), endedAt: at(60)}),
  ];
  const pause = {paused_at: at(5), pause_reason: 'usage_limit'} as const;
  const held = done({state: 'paused', job_id: 'one', ...pause, pauses: [pause]});
  expect(drawn(laneOf([held], {jobs: [first, second]}))).toEqual([
    'launching 1-2',
    'working 2-5',
    'waiting_limit 5-20',
  ]);
});

describe('a limit that a later job ends', () => {
  const jobs = [
    endedJob({jobId: 'one', startedAt: at(0), endedAt: at(20)}),
    endedJob({jobId: 'two', startedAt: at(50), endedAt: at(90)}),
  ] as const;
  const resumed = (minute: number) =>
    done({
      segments: [worked(2, 5), worked(minute, 80)],
      pauses: [{paused_at: at(5), pause_reason: 'usage_limit', resumed_at: at(minute)}],
    });

  test('was waited for by both, and by none in between', () => {
    const picture = pictureOf([resumed(60)], {jobs});
    expect(picture.lanes.map(drawn)).toEqual([
      [
        'launching 1-2',
        'working 2-5',
        'waiting_limit 5-20',
        'paused 20-50',
        'waiting_limit 50-60',
        'working 60-80',
      ],
    ]);
    expect(picture.totals.limits).toEqual({count: 2, milliseconds: 25 * 60_000});
  });

  test('was not waited for by a job that was killed before, nor by one that found it over', () => {
    const [first, second] = jobs;
    const cutOff = {...first, endedAt: at(4)};
    const picture = pictureOf([resumed(50)], {jobs: [cutOff, second]});
    expect(picture.totals.limits).toEqual({count: 0, milliseconds: 0});
    expect(picture.lanes.map(drawn)).toEqual([
      ['launching 1-2', 'working 2-5', 'paused 5-50', 'working 50-80'],
    ]);
  });
});

test('a planning run whose draft is gone is shown as dropped, not paused', () => {
  const planning = {run_type: 'plan', task_id: 'plan:20260110-220000-abcdef', state: 'paused'} as const;
  const run = done({...planning, paused_at: at(5), pause_reason: 'user_interrupt'});
  expect(laneOf([run]).outcome).toBe('dropped');
});

test('a review that was dismissed is over: the parent is done', () => {
  const review = done({run_type: 'review', parent_review_passed: false});
  expect(laneOf([review], {plan: planOf(task('a', {status: 'done'}))}).outcome).toBe('done');
});

describe('while it works', () => {
  const job = jobRecord({startedAt: at(0)});
  const running = runRecord({
    phase: 'active',
    created_at: at(1),
    updated_at: at(2),
    job_id: job.jobId,
    segments: [openSegment(1, {started_at: at(2)})],
  });

  test('the timeline ends now', () => {
    const picture = pictureOf([running], {jobs: [job], now: at(12), isLive: true});
    expect(picture).toMatchObject({is_live: true, to: at(12), jobs: [{outcome: 'working', to: at(12)}]});
    expect(picture.lanes.map(drawn)).toEqual([['launching 1-2', 'working 2-12…']]);
    expect(picture.lanes[0]?.outcome).toBe('running');
  });

  test.each([
    [true, ['launching 1-2', 'working 2-5', 'verifying 6-12…']],
    [false, ['launching 1-2', 'working 2-5', 'verifying 6-6']],
  ])('a check in progress is shown (live: %s)', (isLive, bars) => {
    const {command, round, started_at, log_file} = check(6);
    const identity = {pid: 1, start_time: '', boot_id: '', pid_namespace: ''};
    const run: RunRecord = {
      ...running,
      phase: 'verifying',
      segments: [worked(2, 5)],
      updated_at: at(6),
      check: {command, round, started_at, log_file, ...identity},
    };
    expect(drawn(laneOf([run], {jobs: [job], now: at(12), isLive}))).toEqual(bars);
  });

  test('a run that is launching is shown', () => {
    const launching = runRecord({created_at: at(1)});
    expect(drawn(laneOf([launching], {jobs: [job], now: at(2), isLive: true}))).toEqual(['launching 1-2…']);
  });

  test('a Blackbird that is gone is lost, and worked until its last sign of life', () => {
    const picture = pictureOf([{...running, updated_at: at(4)}], {jobs: [job], now: at(90)});
    expect(picture).toMatchObject({is_live: false, to: at(4), jobs: [{outcome: 'lost'}]});
    expect(picture.lanes.map(drawn)).toEqual([['launching 1-2', 'working 2-4']]);
    expect(picture.lanes.map(marked)).toEqual([['crash 4 Blackbird ended unexpectedly']]);
    expect(picture.lanes[0]?.outcome).toBe('lost');
  });
});

test('two jobs and the crash between them are one timeline', () => {
  const lost = endedJob({
    jobId: '1',
    startedAt: at(0),
    endedAt: at(20),
    end: {reason: 'lost', message: 'Blackbird ended before the job did'},
  });
  const next = endedJob({jobId: '2', startedAt: at(50), endedAt: at(60)});
  const run = restingRun({
    state: 'succeeded',
    job_id: '2',
    created_at: at(1),
    segments: [openSegment(1, {started_at: at(2)}), worked(51, 55)],
    pauses: [{paused_at: at(50), pause_reason: 'process_lost', resumed_at: at(51)}],
  });
  const picture = pictureOf([run], {jobs: [lost, next]});
  expect(picture.jobs.map(({outcome}) => outcome)).toEqual(['lost', 'ended']);
  expect(picture.lanes.map(drawn)).toEqual([
    ['launching 1-2', 'working 2-20', 'paused 20-51', 'working 51-55'],
  ]);
  expect(picture.lanes.map(marked)).toEqual([['crash 20 Blackbird ended unexpectedly']]);
});

test('work before the first job is not in the timeline', () => {
  const run = done({
    created_at: at(-60),
    segments: [worked(-59, -50), worked(3, 5)],
    pauses: [{paused_at: at(-50), pause_reason: 'user_interrupt', resumed_at: at(2)}],
  });
  expect(drawn(laneOf([run]))).toEqual(['paused 0-2', 'launching 2-3', 'working 3-5']);
});

test('a clock that went back makes no bar that ends before it starts', () => {
  const lane = laneOf([done({segments: [worked(8, 2), worked(4, 9)]})]);
  expect(lane.bars.filter(({from, to}) => Date.parse(from) > Date.parse(to))).toEqual([]);
});

describe('totals', () => {
  const usage = {input_tokens: 900, output_tokens: 100, cost_usd: 0.5};
  test('of tokens, cost, work and waits', () => {
    const waited = done({
      usage,
      segments: [worked(2, 5), worked(31, 33)],
      pauses: [{paused_at: at(5), pause_reason: 'usage_limit', resumed_at: at(30)}],
    });
    const other = done({task_id: 'b', run_id: 'b-1', usage: {input_tokens: 1, output_tokens: 1}});
    expect(pictureOf([waited, other]).totals).toEqual({
      tokens: 1002,
      cost_usd: 0.5,
      work_milliseconds: 8 * 60_000,
      limits: {count: 1, milliseconds: 25 * 60_000},
      outages: {count: 0, milliseconds: 0},
    });
  });

  test.each([
    {name: 'that ended with the limit waited for nothing', left: 0.999, count: 0},
    {name: 'that was left while it waited did wait', left: 1, count: 1},
  ])('of a job $name', ({left, count}) => {
    const paused_at = new Date(Date.parse(at(100)) - left * 1000).toISOString();
    const run = done({state: 'paused', pauses: [{paused_at, pause_reason: 'usage_limit'}]});
    const {limits} = pictureOf([run]).totals;
    expect(limits).toEqual({count, milliseconds: count * 1000});
  });

  test('are unknown when no agent reported any', () => {
    expect(pictureOf([done()]).totals).toMatchObject({tokens: null, cost_usd: null});
  });

  test.each([
    ['codex', 1000],
    ['claude', 2000],
  ] as const)('count a session of %s once when it reports session totals', (provider, tokens) => {
    const first = done({usage, provider, provider_session_ref: 's'});
    const next = {...first, run_id: 'a-2', attempt: 2, created_at: at(6), segments: [worked(7, 8)]};
    expect(laneOf([first, next]).tokens).toBe(tokens);
    // Records now have the usage of the run itself, and next to it the total of the session.
    const known = {...usage, input_tokens: 2 * usage.input_tokens, output_tokens: 2 * usage.output_tokens};
    expect(laneOf([first, {...next, session_usage: known}]).tokens).toBe(2000);
  });
});

describe('the axis', () => {
  const picture = pictureOf([
    done({
      segments: [worked(2, 5), worked(35, 40)],
      pauses: [{paused_at: at(5), pause_reason: 'usage_limit', resumed_at: at(34)}],
    }),
  ]);

  test('folds the time in which nothing worked', () => {
    const folds = foldsIn(picture, 10 * 60_000);
    expect(folds.map(({from, to}) => [minute(from), minute(to)])).toEqual([
      [5.5, 34.5],
      [40.5, 99.5],
    ]);
    expect(foldsIn(picture, 29 * 60_000)).toHaveLength(2);
    expect(foldsIn(picture, 29 * 60_000 + 1)).toHaveLength(1);
  });

  test('is linear around its folds', () => {
    const folds = foldsIn(picture, 10 * 60_000);
    const place = timeScale(picture, folds, {width: 160, foldWidth: 20});
    const places = [0, 5.5, 20, 34.5, 40.5, 99.5, 100, 200].map((time) => place(at(time)));
    // Twelve minutes with work, ten columns a minute.
    expect(places.map(Math.round)).toEqual([0, 55, 65, 75, 135, 155, 160, 160]);
  });

  test('of a job without duration is a point', () => {
    const place = timeScale({from: at(0), to: at(0)}, [], {width: 100, foldWidth: 20});
    expect(place(at(0))).toBe(0);
  });
});

test('a night of many tasks is drawn quickly', () => {
  const runs = Array.from({length: 10_000}, (_, place) =>
    done({task_id: `t${place}`, run_id: `t${place}-1`}),
  );
  expect(promptly(() => pictureOf(runs)).lanes).toHaveLength(10_000);
});
