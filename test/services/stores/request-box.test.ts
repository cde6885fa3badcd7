import {mkdirSync, readdirSync, utimesSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import type {JobRequest} from '../../../src/services/contracts/job.ts';
import {createRequestBox} from '../../../src/services/stores/request-box.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const request = (fields: Partial<JobRequest> = {}): JobRequest => ({
  schemaVersion: 1,
  jobId: 'job-1',
  type: 'stop',
  requestedAt: '2026-01-10T22:04:12.500Z',
  ...fields,
});

/** Two processes with the same folder: one works, one asks. */
function box(jobId: () => string | null = () => 'job-1') {
  const folder = path.join(temporaryFolder(), 'requests');
  const taken: JobRequest[] = [];
  const listen = () =>
    onTestFinished(createRequestBox({folder}).watch(jobId, (each) => void taken.push(each)));
  return {folder, taken, listen, asking: createRequestBox({folder})};
}

test('a request is taken once, and is gone then', async () => {
  const {folder, taken, listen, asking} = box();
  listen();
  const name = await asking.send(request());
  await eventually(() => expect(asking.isTaken(name)).toBe(true));
  await eventually(() => expect(taken).toEqual([request()]));
  expect(readdirSync(folder)).toEqual([]);
});

test('a request for another job is left to its sender, until it is old', async () => {
  const {folder, taken, listen, asking} = box(() => 'job-2');
  const [name, old] = [await asking.send(request()), await asking.send(request())];
  const longAgo = new Date(Date.now() - 61_000);
  utimesSync(path.join(folder, `${old}.json`), longAgo, longAgo);
  listen();
  await asking.send(request({jobId: 'job-2', type: 'pause'}));
  await eventually(() => expect(taken).toEqual([request({jobId: 'job-2', type: 'pause'})]));
  await eventually(() => expect(asking.isTaken(old)).toBe(true));
  expect(asking.isTaken(name)).toBe(false);
  expect(asking.withdraw(name)).toBe(true);
  expect(asking.withdraw(name)).toBe(false);
});

test('an invalid request is discarded', async () => {
  const {folder, taken, listen, asking} = box();
  mkdirSync(folder);
  for (const [name, text] of Object.entries({a: '{', b: '{"type":"reboot"}', c: 'x'.repeat(100_000)})) {
    writeFileSync(path.join(folder, `${name}.json`), text);
  }
  listen();
  await asking.send(request());
  await eventually(() => expect(taken).toEqual([request()]));
});
