import {mkdirSync, utimesSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {openProject} from '../../src/cli/composition.ts';
import {createProjectReader} from '../../src/cli/tui/tui-data.ts';
import {duration, workTime} from '../../src/machines/policies/text/durations.ts';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {endedJob, jobRecord} from '../fakes/jobs.ts';
import {endedSegment, openSegment, restingRun, runRecord} from '../fakes/runs.ts';
import {now, planOf, task} from '../helpers/plans.ts';
import {cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

/** This many minutes ago. */
const ago = (minutes: number) => new Date(Date.parse(now) - minutes * 60_000).toISOString();

const job = (name: string, from: number, to: number, fields: Partial<JobRecord> = {}) =>
  endedJob({jobId: `2026-${name}`, startedAt: ago(from), endedAt: ago(to), ...fields});
const ran = (taskId: string, from: number, to: number, fields: Partial<RunRecord> = {}) =>
  restingRun({
    state: 'succeeded',
    task_id: taskId,
    run_id: `${taskId}-1`,
    created_at: ago(from),
    exit_code: 0,
    segments: [endedSegment(1, {started_at: ago(from), ended_at: ago(to)})],
    ...fields,
  });

function project(jobs: readonly JobRecord[], runs: readonly RunRecord[]) {
  const made = cliProject(
    planOf(task('a', {status: 'done'}), task('b', {title: 'Second\u001b[31m', status: 'failed'}), task('c')),
  );
  const write = (file: string, value: unknown) => {
    const target = path.join(made.folder, '.blackbird', file);
    mkdirSync(path.dirname(target), {recursive: true});
    writeFileSync(target, typeof value === 'string' ? value : JSON.stringify(value));
  };
  for (const each of jobs) write(`jobs/${each.jobId}.json`, each);
  for (const run of runs) write(`runs/${run.task_id}/${run.run_id}.json`, run);
  return {...made, write};
}

const first = job('1', 600, 580, {runs: [{taskId: 'a', runId: 'a-1', startedAt: ago(600)}]});
const second = job('2', 100, 90, {runs: [{taskId: 'b', runId: 'b-1', startedAt: ago(100)}]});
const records = [
  ran('a', 600, 590),
  ran('b', 100, 95, {state: 'failed', failure: {kind: 'agent_error', message: 'no\u001b[2J way'}}),
];
const tasksIn = (out: string) =>
  (JSON.parse(out) as {tasks: Array<{task_id: string}>}).tasks.map(({task_id}) => task_id);

test('when nothing ever ran it says so, and leaves no trace', async () => {
  const made = cliProject(planOf(task('a')));
  expect(await made.run(['report'])).toEqual({
    code: 0,
    out: lines('Nothing ran  0 of 1 done', '1 ready: a. Continue with: blackbird execute'),
    err: '',
  });
  expect(made.files()).toEqual(['blackbird.plan.json']);
});

describe('a crash after a long silence', () => {
  const runs = [{taskId: 'b', runId: 'b-1', startedAt: ago(60)}];
  const segments = [openSegment(1, {started_at: ago(60), job_id: '2026-1'})];
  const crashed = {task_id: 'b', run_id: 'b-1', job_id: '2026-1', created_at: ago(60), segments};
  const timeIn = async ({run}: Pick<ReturnType<typeof project>, 'run'>) =>
    / (\S+m\d\ds) /.exec((await run(['runs', 'b'])).out)?.[1];
  /** The tabs of the terminal UI: the run it shows, and the history. */
  const timesOnScreen = async ({folder, home}: Pick<ReturnType<typeof project>, 'folder' | 'home'>) => {
    const opened = openProject({root: folder, home, env: {}});
    const runs = createRunStore({folder: opened.folder.runsFolder});
    const reader = createProjectReader({project: opened, runs, env: {}, isOwnJob: () => false});
    const shown = [(await reader.read()).runs.get('b'), ...(await reader.history('b')).runs];
    return shown.map((run) => run && duration(workTime(run)));
  };
  const workedIn = async ({run}: Pick<ReturnType<typeof project>, 'run'>) => {
    const {to, tasks} = JSON.parse((await run(['report', '--json'])).out) as {
      to: string;
      tasks: Array<{work_milliseconds: number}>;
    };
    return [to, tasks[0]?.work_milliseconds];
  };

  test('is dated by when its files were last touched, before it was repaired', async () => {
    const owner = {pid: 1, startTime: '1', bootId: 'an earlier one', pidNamespace: '', host: hostname()};
    const open = jobRecord({jobId: '2026-1', startedAt: ago(60), runs, owner});
    const run = runRecord({...crashed, state: 'running', phase: 'active', updated_at: ago(60)});
    const made = project([open], [run]);
    made.write('runs/b/b-1.times.log', '');
    const heard = new Date(ago(40));
    utimesSync(path.join(made.folder, '.blackbird/runs/b/b-1.times.log'), heard, heard);
    expect(await workedIn(made)).toEqual([ago(40), 20 * 60_000]);
    expect(await timeIn(made)).toBe('20m00s');
    expect(await timesOnScreen(made)).toEqual(['20m00s', '20m00s']);
  });

  test('is the end of the lost job afterwards: the time until its repair is not work', async () => {
    const end = {reason: 'lost', message: 'Blackbird ended before the job did'};
    const lost = job('1', 60, 40, {runs, end});
    const pauses = [{paused_at: ago(5), pause_reason: 'process_lost' as const}];
    const run = restingRun({...crashed, state: 'paused', paused_at: ago(5), pauses, updated_at: ago(5)});
    const made = project([lost], [run]);
    expect(await workedIn(made)).toEqual([ago(40), 20 * 60_000]);
    expect(await timeIn(made)).toBe('20m00s');
    expect(await timesOnScreen(made)).toEqual(['20m00s', '20m00s']);
  });
});

describe('which jobs', () => {
  test.each([
    [[], ['b']],
    [
      ['--since', '12h'],
      ['a', 'b'],
    ],
    [['--since', '2h'], ['b']],
    [['--since', '1m'], []],
    [['--job', '2026-1'], ['a']],
  ])('%j', async (options, tasks) => {
    const {code, out} = await project([first, second], records).run(['report', '--json', ...options]);
    expect([code, tasksIn(out)]).toEqual([0, tasks]);
  });

  test('one that was killed belongs to the next', async () => {
    const lost = {...first, end: {reason: 'lost', message: 'Blackbird ended before the job did'}};
    expect(tasksIn((await project([lost, second], records).run(['report', '--json'])).out)).toEqual([
      'a',
      'b',
    ]);
  });

  test('an unknown one is refused, and so is an ambiguous prefix', async () => {
    const made = project([first, second], records);
    expect(await made.error(['report', '--job', 'x'])).toMatchObject({
      code: 1,
      error: {code: 'E_JOB_NOT_FOUND', message: 'there is no job "x"'},
    });
    expect(await made.error(['report', '--job', '2026'])).toMatchObject({
      error: {message: '2 jobs begin with "2026"'},
    });
  });

  test('are completed by the shell', async () => {
    const {out} = await project([first, second], []).run(['__complete', '--', 'report', '--job', '']);
    expect(out).toBe(
      lines('2026-2\t2 done · no ready tasks remaining', '2026-1\t2 done · no ready tasks remaining'),
    );
  });
});

test('a mistyped one is a usage error', async () => {
  const made = project([first], []);
  for (const args of [
    ['--since', 'soon'],
    ['--since', '1h', '--job', '2026-1'],
    ['--format', 'pdf'],
    ['--json', '--format', 'md'],
  ]) {
    expect(await made.error(['report', ...args])).toMatchObject({code: 2, error: {code: 'E_USAGE'}});
  }
});

test('ids of any length keep the columns aligned: whole in a pipe, cut in the middle on a terminal', async () => {
  const long = `refund-${'endpoint-'.repeat(6)}1`;
  const made = cliProject(planOf(task('漢字', {status: 'done'}), task(long, {title: 'T', status: 'done'})));
  const runs = ['漢字', long].map((taskId, index) => ran(taskId, 100, 95, {run_id: `run-${index}`}));
  const begun = runs.map(({task_id, run_id}) => ({taskId: task_id, runId: run_id, startedAt: ago(100)}));
  const ended = job('1', 100, 90, {runs: begun});
  const store = createRunStore({folder: path.join(made.folder, '.blackbird/runs')});
  mkdirSync(path.join(made.folder, '.blackbird/jobs'), {recursive: true});
  for (const run of runs) await store.insert(run);
  writeFileSync(path.join(made.folder, `.blackbird/jobs/${ended.jobId}.json`), JSON.stringify(ended));
  const rowsOf = (out: string) => out.split('\n').filter((line) => line.startsWith('✓'));
  expect(rowsOf((await made.run(['report'])).out)).toEqual([
    `✓ 漢字${' '.repeat(long.length - 4)}  Task 漢字  5m00s`,
    `✓ ${long}  T          5m00s`,
  ]);
  expect(rowsOf((await made.run(['report'], {terminal: true})).out)).toEqual([
    `✓ 漢字${' '.repeat(22)}  Task 漢字  5m00s`,
    `✓ refund-endpoi…t-endpoint-1  T          5m00s`,
  ]);
});

test('foreign text does not control the terminal, in any format', async () => {
  const made = project([first, second], records);
  for (const format of ['text', 'md', 'html', 'json']) {
    const {code, out} = await made.run(['report', '--since', '12h', '--format', format]);
    expect(code).toBe(0);
    expect(out).not.toMatch(controlCharacters);
    expect(out).toContain(format === 'json' ? 'no\\u001b[2J way' : 'no way');
  }
});

test('an unreadable record is named, and hides no other', async () => {
  const made = project([first, second], records);
  made.write('jobs/2026-3.json', '{');
  made.write('runs/b/b-2.json', '{');
  const {code, out} = await made.run(['report']);
  expect(code).toBe(0);
  expect(out).toMatch(/^✗ b +Second +failed: no way/m);
  expect(out).toMatch(/left out because it cannot be read: .*2026-3\.json/);
  expect(out).toMatch(/left out because it cannot be read: .*b-2\.json/);
});

test.each(['report', 'status'])('%s breaks a long reason between words on a terminal', async (name) => {
  const {run} = cliProject(planOf(task('a')));
  await run(['execute']);
  const {out} = await run([name], {terminal: {columns: 60}});
  expect(out.replaceAll(/\n */g, ' ')).toContain('claude is not on the PATH, nor is any other agent');
  expect(out.split('\n').filter(({length}) => length > 60)).toEqual([]);
});
