import {spawnSync} from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import type {JobRecord} from '../../../src/services/contracts/job.ts';
import {createJobStore} from '../../../src/services/stores/job-store.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const job = (fields: Partial<JobRecord> = {}): JobRecord => ({
  schemaVersion: 1,
  jobId: '20260110-220412-3fa9c1',
  steps: [{type: 'execute', taskIds: []}],
  agent: 'claude',
  settings: {stopOnFailure: false},
  owner: null,
  startedAt: '2026-01-10T22:04:12.500Z',
  runs: [],
  waits: [],
  ...fields,
});
const run = {taskId: 'a', runId: 'a-1', startedAt: '2026-01-10T22:04:13.000Z'};
const wait = {
  taskId: 'a',
  runId: 'a-1',
  reason: 'usage_limit' as const,
  startedAt: '2026-01-10T23:00:00.000Z',
  endedAt: '2026-01-11T01:00:00.000Z',
};

function store() {
  const folder = path.join(temporaryFolder(), 'jobs');
  return {folder, jobs: createJobStore({folder}), fileOf: (name: string) => path.join(folder, name)};
}

describe('a job on disk', () => {
  test('is private, and comes back as it was written', async () => {
    const {folder, jobs, fileOf} = store();
    expect(jobs.ids()).toEqual([]);
    expect(await jobs.read(job().jobId)).toBe(null);
    await jobs.create(job());
    expect(await jobs.read(job().jobId)).toEqual(job());
    expect(readdirSync(folder)).toEqual(['20260110-220412-3fa9c1.json']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf('20260110-220412-3fa9c1.json')).mode & 0o777).toBe(0o600);
  });

  test('that cannot be closed keeps its notes', async () => {
    const {jobs} = store();
    await jobs.create(job());
    await jobs.note(job().jobId, {run});
    // It cannot be JSON, so the write fails.
    await expect(jobs.close(job({settings: {limit: 1n}} as never))).rejects.toThrow('BigInt');
    expect(await jobs.read(job().jobId)).toEqual(job({runs: [run]}));
  });

  test('has its notes at once, and in the record itself once it is closed', async () => {
    const {folder, jobs} = store();
    await jobs.create(job());
    await jobs.note(job().jobId, {run});
    await jobs.note(job().jobId, {wait});
    const noted = job({runs: [run], waits: [wait]});
    expect(await jobs.read(job().jobId)).toEqual(noted);
    const ended = {
      ...noted,
      endedAt: '2026-01-11T03:41:00.000Z',
      end: {reason: 'completed', message: '1 done'},
    };
    await jobs.close(ended);
    expect(await jobs.read(job().jobId)).toEqual(ended);
    expect(readdirSync(folder)).toEqual(['20260110-220412-3fa9c1.json']);
  });

  test('waits for what was noted last, until it continues', async () => {
    const {jobs} = store();
    const waiting = {
      taskId: 'b',
      runId: null,
      provider: 'claude',
      reason: 'usage_limit' as const,
      since: '2026-01-10T23:00:00.000Z',
      until: '2026-01-11T01:00:00.000Z',
    };
    await jobs.create(job());
    await jobs.note(job().jobId, {waiting});
    expect(await jobs.read(job().jobId)).toEqual(job({waiting}));
    // A request to stop ends no wait.
    const stopAskedAt = '2026-01-10T22:00:00.000Z';
    await jobs.note(job().jobId, {stopAskedAt});
    expect(await jobs.read(job().jobId)).toEqual(job({waiting, stopAskedAt}));
    await jobs.note(job().jobId, {run});
    expect(await jobs.read(job().jobId)).toEqual(job({runs: [run], stopAskedAt}));
  });

  test('is not harmed by a torn note', async () => {
    const {jobs, fileOf} = store();
    await jobs.create(job());
    await jobs.note(job().jobId, {run});
    const notes = fileOf('20260110-220412-3fa9c1.notes.jsonl');
    expect(statSync(notes).mode & 0o777).toBe(0o600);
    appendFileSync(notes, '{"run":{"taskId":"b"');
    expect((await jobs.read(job().jobId))?.runs).toEqual([run]);
  });

  test('keeps fields of a newer Blackbird', async () => {
    const {jobs, fileOf} = store();
    await jobs.create(job());
    const file = fileOf('20260110-220412-3fa9c1.json');
    writeFileSync(file, JSON.stringify({...job(), future: {kept: true}}));
    await jobs.close({...job(), ...(await jobs.read(job().jobId)), end: {reason: 'lost', message: ''}});
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({future: {kept: true}});
  });

  test.each([
    ['{', 'it is not valid JSON'],
    ['{"schemaVersion": 2}', 'schemaVersion'],
    [JSON.stringify(job({jobId: 'other'})), 'it is the record of another job, "other"'],
  ])('that cannot be read is named: %s', async (text, reason) => {
    const {folder, jobs, fileOf} = store();
    mkdirSync(folder);
    const file = fileOf('20260110-220412-3fa9c1.json');
    writeFileSync(file, text);
    const error = await rejectionOf(jobs.read(job().jobId));
    expect(error.code).toBe('E_STORE_CORRUPT');
    expect(JSON.stringify([error.message, error.details])).toContain(JSON.stringify(reason).slice(1, -1));
    expect((await rejectionOf(jobs.close(job()))).code).toBe('E_STORE_CORRUPT');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('does not follow a link out of the folder', async () => {
    const {jobs, fileOf, folder} = store();
    await jobs.create(job());
    const victim = path.join(folder, '..', 'victim');
    symlinkSync(victim, fileOf('20260110-220412-3fa9c1.notes.jsonl'));
    expect((await rejectionOf(jobs.note(job().jobId, {run}))).code).toBe('E_STORE_WRITE');
    expect(existsSync(victim)).toBe(false);
  });

  test.each(['', '../a', '.hidden', 'a/b', 'a\0b'])('%j is not an id', async (id) => {
    const {jobs} = store();
    expect((await rejectionOf(jobs.read(id))).code).toBe('E_JOB_NOT_FOUND');
  });
});

test('ids come newest first, and nothing else is listed', async () => {
  const {folder, jobs, fileOf} = store();
  for (const jobId of ['20260110-220412-3fa9c1', '20260112-000000-000000', '20260111-000000-ffffff']) {
    await jobs.create(job({jobId}));
  }
  await jobs.note('20260112-000000-000000', {run});
  writeFileSync(fileOf('.tmp.json'), '');
  writeFileSync(fileOf('notes.txt'), '');
  writeFileSync(fileOf('not a job.json'), '');
  expect(jobs.ids()).toEqual([
    ...['20260112-000000-000000', '20260111-000000-ffffff', '20260110-220412-3fa9c1'],
  ]);
  expect(readdirSync(folder)).toHaveLength(7);
});

test('an unfinished write of a killed Blackbird is removed with the next one', async () => {
  const {folder, jobs, fileOf} = store();
  mkdirSync(folder, {mode: 0o700});
  const {pid = 0} = spawnSync('true');
  writeFileSync(fileOf(`.20260109-220412-3fa9c1.json.${pid}.0123456789ab.tmp`), '{');
  await jobs.create(job());
  expect(readdirSync(folder)).toEqual(['20260110-220412-3fa9c1.json']);
});
