import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createLimitStore} from '../../../src/services/limits/limit-store.ts';
import {createProcessLock} from '../../../src/services/lock/process-lock.ts';
import {now} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const at = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString();
const limit = (until: string) => ({until, source: 'reported', seenAt: now}) as const;

function shared(file = path.join(temporaryFolder(), '.blackbird', 'limits.json')) {
  const warnings: string[] = [];
  const storeOf = (account: string) =>
    createLimitStore({file, accountOf: () => account, onWarning: (message) => warnings.push(message)});
  return {file, warnings, storeOf};
}

test('a limit applies to its own account only', async () => {
  const {storeOf, warnings} = shared();
  const [work, home] = [storeOf('work'), storeOf('home')];
  await work.save('claude', limit(at(60)));
  expect([await home.read('claude'), await work.read('codex')]).toEqual([null, null]);
  await home.save('claude', limit(at(90)));
  await home.clear('claude', at(1));
  expect(await work.read('claude')).toEqual(limit(at(60)));
  expect(await home.read('claude')).toBeNull();
  expect(warnings).toEqual([]);
});

test('projects that hit limits at the same moment keep each other’s', async () => {
  const {storeOf, warnings} = shared();
  const accounts = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(accounts.map((account, index) => storeOf(account).save('codex', limit(at(60 + index)))));
  const kept = await Promise.all(accounts.map((account) => storeOf(account).read('codex')));
  expect(kept).toEqual(accounts.map((_, index) => limit(at(60 + index))));
  expect(warnings).toEqual([]);
});

test('a limit seen after a success stays; an expired one is removed with the next one stored', async () => {
  const {file, storeOf} = shared();
  const store = storeOf('work');
  await store.save('codex', limit(at(60)));
  await store.clear('codex', at(-1));
  expect(await store.read('codex')).toEqual(limit(at(60)));
  await store.save('claude', {...limit(at(120)), seenAt: at(61)});
  expect(JSON.parse(readFileSync(file, 'utf8')).limits).toMatchObject([{provider: 'claude'}]);
});

test('a later limit of the same account replaces the earlier one', async () => {
  const {file, storeOf} = shared();
  const store = storeOf('work');
  await store.save('codex', limit(at(60)));
  await store.save('codex', limit(at(90)));
  expect(await store.read('codex')).toEqual(limit(at(90)));
  expect(JSON.parse(readFileSync(file, 'utf8')).limits).toHaveLength(1);
});

test('a limit ends exactly when it says, and a success at its moment clears it, for its provider only', async () => {
  const {file, storeOf} = shared();
  const store = storeOf('work');
  await store.save('codex', limit(at(60)));
  await store.save('claude', {...limit(at(120)), seenAt: at(59)});
  await store.clear('claude', at(59));
  expect([await store.read('codex'), await store.read('claude')]).toEqual([limit(at(60)), null]);
  await store.save('claude', {...limit(at(120)), seenAt: at(60)});
  expect(JSON.parse(readFileSync(file, 'utf8')).limits).toMatchObject([{provider: 'claude'}]);
});

test('an unreadable list is reported once, and never replaced', async () => {
  const {file, storeOf, warnings} = shared();
  mkdirSync(path.dirname(file));
  writeFileSync(file, '{"limits": [');
  const store = storeOf('work');
  expect(await store.read('claude')).toBeNull();
  await store.save('claude', limit(at(60)));
  await store.read('claude');
  expect(warnings).toEqual([expect.stringContaining(`${file} is ignored: `)]);
  expect(readFileSync(file, 'utf8')).toBe('{"limits": [');
});

test('a list that someone else is changing is not written', async () => {
  const {file, storeOf, warnings} = shared();
  mkdirSync(path.dirname(file));
  const lock = createProcessLock(path.join(path.dirname(file), 'limits.lock'));
  const attempt = await lock.acquire({waitSeconds: 0});
  await storeOf('work').save('claude', limit(at(60)));
  expect(warnings).toEqual([
    `limits are not shared with other projects: another process is changing ${file}`,
  ]);
  expect(existsSync(file)).toBe(false);
  if (attempt.acquired) await attempt.lock.release();
});
