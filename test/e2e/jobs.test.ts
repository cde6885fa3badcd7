import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import {demo, type EngineProject, engineProject, untilAtWork} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {planOf, task} from '../helpers/plans.ts';
import {lines} from '../helpers/run-cli.ts';

// A job in one terminal, watched and controlled from another.

const jobsOf = ({folder}: EngineProject): JobRecord[] => {
  const jobs = path.join(folder, '.blackbird', 'jobs');
  return readdirSync(jobs)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => JSON.parse(readFileSync(path.join(jobs, name), 'utf8')));
};
const statusOf = async (project: EngineProject) =>
  JSON.parse((await project.run(['status', '--json'])).out) as Record<string, unknown>;

describe('from another terminal', () => {
  test('status shows what runs; pause pauses it, and says how to continue', async () => {
    const project = engineProject(
      planOf(task('a', {prompt: demo('write started x', 'sleep 60')}), task('b')),
    );
    const job = project.start(['execute']);
    await untilAtWork(project, 'a');
    expect(await statusOf(project)).toMatchObject({
      job: {state: 'working', agent: 'demo', pid: job.pid},
      running: {task_id: 'a', title: 'Task a', state: 'running', agent: 'demo'},
      needs_you: [],
      next: [{task_id: 'b', title: 'Task b'}],
      done: 0,
      total: 2,
    });
    expect(await project.run(['pause'])).toEqual({
      code: 0,
      signal: null,
      out: lines('Paused. Resume with: blackbird resume a', '        Restart with: blackbird restart a'),
      err: '',
    });
    expect(await job.ended).toMatchObject({code: 130});
    expect(project.latest('a')).toMatchObject({state: 'paused', pause_reason: 'user_interrupt'});
    expect(project.agents()).toEqual([]);
    expect(await statusOf(project)).toMatchObject({
      job: null,
      last_job: {reason: 'paused', message: 'Paused.'},
      needs_you: [{task_id: 'a', why: 'paused', command: 'blackbird resume a'}],
    });
    expect(await project.run(['stop'])).toMatchObject({code: 1, err: expect.stringContaining('E_NO_JOB')});
  });

  test('stop lets the current task finish, and starts no other', async () => {
    const project = engineProject(planOf(task('a'), task('b')), {
      env: {BLACKBIRD_AGENT_CMD: 'touch started; until [ -e go ]; do sleep 0.02; done; echo done'},
    });
    const job = project.start(['execute']);
    await eventually(() => expect(existsSync(path.join(project.folder, 'started'))).toBe(true));
    expect(await project.run(['stop'])).toMatchObject({code: 0, out: 'The job stops after a.\n', err: ''});
    project.write('go', '');
    expect(await job.ended).toMatchObject({
      out: expect.stringContaining('Stopped after a, as you asked · 1 ready'),
    });
    expect(project.statuses()).toEqual({a: 'done', b: 'todo'});
  });

  test('stop ends a waiting job, and says so', async () => {
    const project = engineProject(planOf(task('a', {prompt: demo('limit 600')}), task('b')));
    const job = project.start(['execute']);
    await eventually(async () => expect(await statusOf(project)).toMatchObject({waiting: {task_id: 'a'}}));
    expect(await project.run(['stop'])).toMatchObject({
      out: 'The job ends; a waits, and the next execute continues with it.\n',
    });
    expect(await job.ended).toMatchObject({
      code: 75,
      out: expect.stringContaining('\nends now, as asked in another terminal\n'),
    });
    // The limit also applies to b, which never started.
    const other = project.start(['execute', 'b']);
    await eventually(async () => expect(await statusOf(project)).toMatchObject({waiting: {task_id: 'b'}}));
    expect((await project.run(['status'])).out).toMatch(/^Waiting {2}job /);
    expect(await project.run(['stop'])).toMatchObject({
      out: 'The job ends; b waits, and the next execute starts it.\n',
    });
    await other.ended;
  });

  test('status --watch ends with Ctrl+C, and that is no failure', async () => {
    const project = engineProject(planOf(task('a')));
    const watching = project.start(['status', '--watch']);
    await eventually(() => expect(watching.out()).toContain('0 of 1 done'));
    await project.run(['set-status', 'a', 'done']);
    await eventually(() => expect(watching.out()).toContain('1 of 1 done'));
    watching.child.kill('SIGINT');
    expect(await watching.ended).toMatchObject({code: 0, signal: null, err: ''});
  });
});

test('a job whose Blackbird was killed is lost, and the next one records it', async () => {
  const prompt = demo('write started x', 'sleep 2', 'print still here', 'sleep 60');
  const project = engineProject(planOf(task('a', {prompt}), task('b')));
  const job = project.start(['execute']);
  await untilAtWork(project, 'a');
  const {run_id, updated_at: changedAt} = project.latest('a') ?? {run_id: '', updated_at: ''};
  const log = `.blackbird/runs/a/${run_id}.stdout.log`;
  await eventually(() => expect(project.text(log)).toContain('still here'));
  job.child.kill('SIGKILL');
  await job.ended;
  expect(await statusOf(project)).toMatchObject({job: {state: 'lost'}, running: null});
  await project.run(['execute']);
  const [lost, next] = jobsOf(project);
  expect(lost).toMatchObject({
    steps: [{type: 'execute', taskIds: []}],
    agent: 'demo',
    runs: [{taskId: 'a'}],
    end: {reason: 'lost'},
  });
  expect(next).toMatchObject({runs: [{taskId: 'b'}], end: {reason: 'completed'}});
  // Its agent printed long after its record last changed.
  expect(Date.parse(lost?.endedAt ?? '')).toBeGreaterThan(Date.parse(changedAt));
  expect(project.latest('a')?.job_id).toBe(lost?.jobId);
  expect(project.latest('b')?.job_id).toBe(next?.jobId);
});
