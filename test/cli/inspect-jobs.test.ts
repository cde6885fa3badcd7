import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openProject} from '../../src/cli/composition.ts';
import {inspectedProject} from '../../src/cli/inspect/inspected-project.ts';
import type {JobList, JobPage} from '../../src/machines/policies/inspect/job-page.ts';
import type {JobRecord} from '../../src/services/contracts/job.ts';
import {identifyProcess} from '../../src/services/system/process-identity.ts';
import {endedJob, jobRecord} from '../fakes/jobs.ts';
import {now, planOf, task} from '../helpers/plans.ts';
import {type CliProject, cliProject} from '../helpers/run-cli.ts';

const brokenId = '20260112-000000-bad000';
const brokenFile = (made: CliProject) => path.join(made.folder, '.blackbird', 'jobs', `${brokenId}.json`);

/** The newest record is truncated. */
function project(...jobs: readonly JobRecord[]): CliProject {
  const made = cliProject(planOf(task('a')));
  const folder = path.join(made.folder, '.blackbird', 'jobs');
  mkdirSync(folder, {recursive: true});
  for (const job of jobs) writeFileSync(path.join(folder, `${job.jobId}.json`), JSON.stringify(job));
  writeFileSync(brokenFile(made), '{"schemaVersion": 1, "jobI');
  return made;
}

const pagesOf = (made: CliProject) =>
  inspectedProject(openProject({root: made.folder, home: made.home, env: {}}), () => now);

test('an unreadable job record is named in the list, and hides no other', async () => {
  const made = project(endedJob());
  const {code, out, err} = await made.run(['inspect', '--list']);
  expect([code, out]).toEqual([0, expect.stringContaining(`--job ${endedJob().jobId}`)]);
  expect(err).toMatch(/^warning: the job record .*20260112-000000-bad000\.json cannot be used: .+\n$/);
  expect(await made.json(['inspect', '--list'])).toEqual({
    live: [],
    jobs: [{job_id: endedJob().jobId, started_at: endedJob().startedAt, state: 'completed'}],
    runs: [],
    broken: [{job_id: brokenId, reason: expect.stringContaining(brokenFile(made))}],
  });
});

test('the list fits a terminal of 80 columns, commands and all', async () => {
  const {out} = await project(endedJob()).run(['inspect', '--list'], {terminal: true});
  expect(out).toContain(`blackbird inspect --job ${endedJob().jobId}\n`);
  expect(out.split('\n').filter(({length}) => length > 80)).toEqual([]);
});

test('it is named on the page too', async () => {
  const made = project(endedJob());
  const reason = expect.stringContaining(brokenFile(made));
  const page = (await pagesOf(made).job('newest')) as JobPage;
  expect([page.job.job_id, page.notices]).toEqual([endedJob().jobId, [reason]]);
  const {jobs, broken} = (await pagesOf(made).jobs()) as JobList;
  expect([jobs.map(({job_id}) => job_id), broken]).toEqual([
    [endedJob().jobId],
    [{job_id: brokenId, reason}],
  ]);
});

test('requested by its id, it is the error', async () => {
  const {code, error} = await project(endedJob()).error(['inspect', '--job', brokenId]);
  expect([code, error]).toEqual([1, expect.objectContaining({code: 'E_STORE_CORRUPT'})]);
});

test('when no job can be read, the command says so', async () => {
  const {code, out, err} = await project().run(['inspect']);
  expect([code, out]).toEqual([0, 'nothing to look at yet: blackbird execute --inspect\n']);
  expect(err).toContain(`${brokenId}.json cannot be used`);
});

test('a job that was never closed is open while its Blackbird lives, and lost afterwards', async () => {
  const self = identifyProcess(process.pid);
  if (self === null) throw new Error('this process cannot be identified');
  const here = {...self, host: os.hostname()};
  const made = project(
    jobRecord({jobId: '20260110-000000-alive0', owner: here}),
    jobRecord({jobId: '20260109-000000-dead00', owner: {...here, startTime: '1'}}),
  );
  const {jobs} = (await made.json(['inspect', '--list'])) as {jobs: Array<{state: string}>};
  expect(jobs.map(({state}) => state)).toEqual(['open', 'lost']);
});

test('the beginning of a job id is enough, as for report; an unknown one names those that exist', async () => {
  const ids = ['20260110-220412-3fa9c1', '20260111-220412-3fa9c2'];
  const made = project(...ids.map((jobId) => endedJob({jobId})));
  const refused = (name: string) => made.error(['inspect', '--job', name]);
  expect((await refused('2026')).error).toMatchObject({message: '3 jobs begin with "2026"'});
  const {error} = await refused('zz');
  expect(error).toMatchObject({code: 'E_JOB_NOT_FOUND', message: 'there is no job "zz"'});
  expect(JSON.stringify(error)).toContain(ids[0]);
  // Not refused for its name, but for a port that is taken.
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const {port} = taken.address() as AddressInfo;
  const {err} = await made.run(['inspect', '--job', '20260110', '--port', String(port)]);
  expect(err).toContain('E_INSPECT');
});
