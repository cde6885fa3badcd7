import {mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {CliContext} from '../../src/cli/context.ts';
import {askJob} from '../../src/cli/job/other-job.ts';
import {redrawn} from '../../src/cli/terminal/redrawn.ts';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import {projectFolder} from '../../src/services/stores/project-folder.ts';
import {createRequestBox} from '../../src/services/stores/request-box.ts';
import {identifyProcess} from '../../src/services/system/process-identity.ts';
import {endedJob, jobRecord} from '../fakes/jobs.ts';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

const self = identifyProcess(process.pid);
if (self === null) throw new Error('this process cannot be identified');
const here = {...self, host: os.hostname()};

function project(...jobs: readonly JobRecord[]) {
  const made = cliProject(planOf(task('a'), task('b', {title: 'Second\u001b[31m'})));
  const folder = path.join(made.folder, '.blackbird', 'jobs');
  mkdirSync(folder, {recursive: true});
  for (const job of jobs) writeFileSync(path.join(folder, `${job.jobId}.json`), JSON.stringify(job));
  return made;
}

const requestsIn = (folder: string) => readdirSync(path.join(folder, '.blackbird/requests'));

describe('pause and stop are refused', () => {
  test.each(['pause', 'stop'])('%s when nothing ever ran, and leaves no trace', async (command) => {
    const made = cliProject(planOf(task('a')));
    expect(await made.run([command])).toEqual({
      code: 1,
      out: '',
      err: lines(
        'error: no job is running here',
        '  code  E_NO_JOB',
        '  next  blackbird status  see the state of the plan',
      ),
    });
    expect(made.files()).toEqual(['blackbird.plan.json']);
  });

  test.each([
    ['the last job has ended', endedJob({owner: here}), 'E_NO_JOB', 'no job is running here'],
    [
      'its owner is gone',
      jobRecord({owner: {...here, startTime: '1'}}),
      'E_NO_JOB',
      'the Blackbird that worked here is gone; no job is running',
    ],
    [
      'the machine was rebooted',
      jobRecord({owner: {...here, bootId: 'another'}}),
      'E_NO_JOB',
      'the Blackbird that worked here is gone; no job is running',
    ],
    [
      'its owner works on another host',
      jobRecord({owner: {...here, host: 'elsewhere'}}),
      'E_JOB_OUT_OF_REACH',
      'the job works on elsewhere, or in a container that cannot be seen from here',
    ],
    [
      'its owner is in another container',
      jobRecord({owner: {...here, pidNamespace: 'pid:[2]'}}),
      'E_JOB_OUT_OF_REACH',
      `the job works on ${os.hostname()}, or in a container that cannot be seen from here`,
    ],
    [
      'its owner is unknown',
      jobRecord({owner: null}),
      'E_JOB_OUT_OF_REACH',
      'the system did not say which process is working here',
    ],
  ] as const)('when %s', async (_why, job, code, message) => {
    for (const command of ['pause', 'stop']) {
      const made = project(job);
      expect(await made.error([command])).toMatchObject({code: 1, error: {code, message}});
      expect(readdirSync(path.join(made.folder, '.blackbird'))).toEqual(['jobs']);
    }
  });

  test('when the job does not answer', async () => {
    const made = project(jobRecord({owner: here}));
    expect(await made.error(['stop'])).toMatchObject({
      error: {
        code: 'E_JOB_OUT_OF_REACH',
        message: 'the job does not answer',
        next: [{command: `kill -INT ${process.pid}`, why: 'pause it as Ctrl+C does'}],
      },
    });
    expect(requestsIn(made.folder)).toEqual([]);
  });

  test('when the job ends before it takes the request, whatever job comes next', async () => {
    const job = jobRecord({owner: here});
    const made = project(endedJob({owner: here}));
    const folder = projectFolder(made.folder);
    const taken: unknown[] = [];
    const next = createRequestBox({folder: folder.requestsFolder});
    onTestFinished(
      next.watch(
        () => 'the next job',
        (request) => taken.push(request),
      ),
    );
    await expect(askJob({folder}, job, 'stop', job.startedAt)).rejects.toMatchObject({
      code: 'E_NO_JOB',
      message: 'the job ended before it could be asked',
    });
    expect([taken, requestsIn(made.folder)]).toEqual([[], []]);
  });
});

describe('status', () => {
  test('without a job shows what comes next', async () => {
    expect(await cliProject(planOf(task('a'))).run(['status'])).toEqual({
      code: 0,
      out: lines('Nothing is running.', 'Next', '○ a  Task a', '0 of 1 done'),
      err: '',
    });
  });

  test('shows the newest job, and does not control the terminal', async () => {
    const made = project(
      endedJob({jobId: '20260109-000000-000000', end: {reason: 'completed', message: 'old'}}),
      endedJob({end: {reason: 'completed', message: 'new\u001b[2J'}}),
    );
    const {out} = await made.run(['status'], {terminal: true});
    expect(out).toMatch(/^Nothing is running\.\nLast job 2026-01-1\d \d\d:\d\d – \d\d:\d\d: new/);
    expect(out).not.toMatch(controlCharacters);
  });

  test('a refused undo touched nothing and does not hide the job before it', async () => {
    const made = project(
      endedJob({end: {reason: 'completed', message: 'the night'}}),
      endedJob({
        jobId: '20260111-070000-000000',
        steps: [{type: 'undo', taskId: 'a', runId: null, isForced: false}],
        end: {reason: 'error', message: 'cannot undo a: b built on it'},
      }),
    );
    expect((await made.run(['status'])).out).toMatch(/\nLast job .*: the night/);
  });

  test('shows a job whose Blackbird is gone', async () => {
    const {out} = await project(jobRecord({owner: {...here, startTime: '1'}})).run(['status']);
    expect(out).toMatch(
      /^✗ Ended unexpectedly: job 20260110-220412-3fa9c1, claude, since 2026-01-1\d [\d:]+\. Continue with: blackbird execute\n/,
    );
  });

  test('cuts no command on a narrow terminal', async () => {
    const made = cliProject(planOf(task('a-long-name-of-a-task', {status: 'failed'})));
    const {out} = await made.run(['status'], {terminal: {columns: 40}});
    expect(out).toContain('! a-long-name-of-a-task  failed\n    blackbird retry a-long-name-of-a-task\n');
  });

  test('reads one of many jobs, and does not slow down list', async () => {
    const made = project(endedJob({jobId: '20990101-000000-000000'}));
    const folder = path.join(made.folder, '.blackbird', 'jobs');
    // Not even JSON: reading them would be reported.
    for (let index = 0; index < 10_000; index++) {
      writeFileSync(path.join(folder, `20260101-000000-${String(index).padStart(6, '0')}.json`), 'x');
    }
    expect(await made.json(['status'])).toMatchObject({last_job: {job_id: '20990101-000000-000000'}});
    expect((await made.run(['list'])).err).toBe('');
  });
});

describe('a watched status', () => {
  const context = (isTerminal: boolean) => {
    const printed: string[] = [];
    let end = () => {};
    const fake = {
      stdout: {isTerminal, columns: 10, hasColor: false},
      write: (text: string) => void printed.push(text),
      out: (text: string) => void printed.push(`${text}\n`),
      onSignals: ({pause}: {pause: () => void}) => {
        end = pause;
        return () => void printed.push('released');
      },
    };
    return {printed, end: () => end(), context: fake as unknown as CliContext};
  };

  test('is redrawn in place on a terminal, long lines too, and ends with Ctrl+C', async () => {
    const {printed, context: fake, end} = context(true);
    // Characters of two columns count twice.
    const texts = ['one\ntwenty characters..\n任務任務任務', 'two'];
    await redrawn(fake, async () => {
      if (texts.length === 1) end();
      return texts.shift() ?? '';
    });
    expect(printed).toEqual([
      'one\ntwenty characters..\n任務任務任務\n',
      '\r\u001b[5A\u001b[0Jtwo\n',
      'released',
    ]);
  });

  test('is printed once elsewhere, until it changes', async () => {
    const {printed, context: fake, end} = context(false);
    const texts = ['one', 'one', 'two'];
    await redrawn(fake, async () => {
      if (texts.length === 1) end();
      return texts.shift() ?? '';
    });
    expect(printed).toEqual(['one\n', 'two\n', 'released']);
  });
});
