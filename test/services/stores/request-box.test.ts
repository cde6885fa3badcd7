import {mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
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
  await eventually(() => expect(readdirSync(folder)).toEqual([]));
});

test('while there is no job, nothing is taken or removed', async () => {
  let looks = 0;
  const {folder, taken, listen, asking} = box(() => {
    looks++;
    return null;
  });
  listen();
  writeFileSync(path.join(folder, 'a.json'), '{');
  await asking.send(request());
  const before = looks;
  await eventually(() => expect(looks).toBeGreaterThan(before));
  expect([taken, readdirSync(folder).length]).toEqual([[], 2]);
});

test('after it stopped, a listener takes nothing and leaves no timer', async () => {
  vi.useFakeTimers({toFake: ['setInterval', 'clearInterval']});
  onTestFinished(() => void vi.useRealTimers());
  const {folder, taken, listen, asking} = box(() => 'job-2');
  const stop = createRequestBox({folder}).watch(
    () => 'job-1',
    (each) => void taken.push(each),
  );
  expect(vi.getTimerCount()).toBe(1);
  stop();
  expect(vi.getTimerCount()).toBe(0);
  listen();
  const name = await asking.send(request());
  await asking.send(request({jobId: 'job-2'}));
  await eventually(() => expect(taken).toEqual([request({jobId: 'job-2'})]));
  expect(asking.isTaken(name)).toBe(false);
});

test('its folder is private, and never created or written through a link', async () => {
  const {folder, listen, asking} = box();
  listen();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  mkdirSync(path.join(folder, 'x.json'));
  expect(() => asking.withdraw('x')).toThrow();

  const [around, elsewhere] = [temporaryFolder(), temporaryFolder()];
  symlinkSync(elsewhere, path.join(around, 'state'));
  onTestFinished(createRequestBox({folder: path.join(around, 'state/requests')}).watch(() => null, vi.fn()));
  expect(readdirSync(elsewhere)).toEqual([]);
  const linked = createRequestBox({folder: path.join(around, 'state')});
  await expect(linked.send(request())).rejects.toMatchObject({code: 'E_STORE_UNSAFE'});
  expect(readdirSync(elsewhere)).toEqual([]);
});
