import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {endedJob} from '../fakes/jobs.ts';
import {endedSegment, restingRun} from '../fakes/runs.ts';
import {now, planOf, task} from '../helpers/plans.ts';
import {cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

/** So many minutes ago. */
const ago = (minutes: number) => new Date(Date.parse(now) - minutes * 60_000).toISOString();

const job = (name: string, from: number, to: number, fields: Partial<JobRecord> = {}) =>
  endedJob({jobId: `2026-${name}`, startedAt: ago(from), endedAt: ago(to), ...fields});
const ran = (taskId: string, from: number, to: number, fields: Partial<RunRecord> = {}) =>
  restingRun({
    ...{state: 'succeeded', task_id: taskId, run_id: `${taskId}-1`, created_at: ago(from), exit_code: 0},
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

test('where nothing ever ran it says so, and leaves no trace', async () => {
  const made = cliProject(planOf(task('a')));
  expect(await made.run(['report'])).toEqual({
    code: 0,
    out: lines('Nothing ran  0 of 1 done', '1 ready: a. Go on with: blackbird execute'),
    err: '',
  });
  expect(made.files()).toEqual(['blackbird.plan.json']);
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

  test('one that was cut off belongs to the next', async () => {
    const lost = {...first, end: {reason: 'lost', message: 'Blackbird ended before the job did'}};
    expect(tasksIn((await project([lost, second], records).run(['report', '--json'])).out)).toEqual([
      'a',
      'b',
    ]);
  });

  test('one that nobody knows is refused, and so is half a name that two have', async () => {
    const made = project([first, second], records);
    expect(await made.error(['report', '--job', 'x'])).toMatchObject({
      code: 1,
      error: {code: 'E_JOB_NOT_FOUND', message: 'there is no job "x"'},
    });
    expect(await made.error(['report', '--job', '2026'])).toMatchObject({
      error: {message: '2 jobs begin with "2026"'},
    });
  });

  test('are offered by the shell', async () => {
    const {out} = await project([first, second], []).run(['__complete', '--', 'report', '--job', '']);
    expect(out).toBe(
      lines('2026-2\t2 done · no ready tasks remaining', '2026-1\t2 done · no ready tasks remaining'),
    );
  });
});

test('what was typed wrongly is a usage error', async () => {
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

test('foreign text steers no terminal, in any form', async () => {
  const made = project([first, second], records);
  for (const format of ['text', 'md', 'html', 'json']) {
    const {code, out} = await made.run(['report', '--since', '12h', '--format', format]);
    expect(code).toBe(0);
    expect(out).not.toMatch(controlCharacters);
    expect(out).toContain(format === 'json' ? 'no\\u001b[2J way' : 'no way');
  }
});

test('a record that cannot be read is named, and hides no other', async () => {
  const made = project([first, second], records);
  made.write('jobs/2026-3.json', '{');
  made.write('runs/b/b-2.json', '{');
  const {code, out} = await made.run(['report']);
  expect(code).toBe(0);
  expect(out).toMatch(/^✗ b +Second +failed: no way/m);
  expect(out).toMatch(/left out, it cannot be read: .*2026-3\.json/);
  expect(out).toMatch(/left out, it cannot be read: .*b-2\.json/);
});
