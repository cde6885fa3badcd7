import {chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {announceInspector, liveInspectors} from '../../../src/services/inspector/live-inspectors.ts';
import {identifyProcess, livenessOf} from '../../../src/services/system/process-identity.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const token = 'abcdefghijklmnopqrstuv';
const self = identifyProcess(process.pid);
if (!self) throw new Error('this process has no identity');

async function announced(): Promise<{folder: string; file: string; remove: () => void}> {
  const folder = path.join(temporaryFolder(), 'inspectors');
  const facts = {
    owner: self as NonNullable<typeof self>,
    what: 'execute',
    startedAt: '2026-01-01T00:00:00Z',
    livenessOf,
  };
  const remove = await announceInspector(folder, {port: 4000, token}, facts);
  onTestFinished(remove);
  return {folder, file: path.join(folder, `${process.pid}.json`), remove};
}

test('an inspected process is found while it lives, and by no one else', async () => {
  const listeners = process.listenerCount('exit');
  const {folder, file, remove} = await announced();
  expect(process.listenerCount('exit')).toBe(listeners + 1);
  expect(liveInspectors(folder, livenessOf)).toEqual([
    {
      pid: process.pid,
      what: 'execute',
      started_at: '2026-01-01T00:00:00Z',
      url: `http://127.0.0.1:4000/${token}/`,
    },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  remove();
  expect(process.listenerCount('exit')).toBe(listeners);
  expect(readdirSync(folder)).toEqual([]);
  expect(liveInspectors(folder, livenessOf)).toEqual([]);
});

test.each(['dead', 'unknown'] as const)('a file whose process is %s is skipped', async (liveness) => {
  const {folder} = await announced();
  expect(liveInspectors(folder, () => liveness)).toEqual([]);
});

test.each<{name: string; change: (value: Record<string, unknown>) => unknown}>([
  {name: 'another start', change: (value) => ({...value, owner: {...self, startTime: '1'}})},
  {
    name: 'an address in place of the token',
    change: (value) => ({...value, token: '@evil.example/aaaaaaaaa'}),
  },
  {name: 'an invalid port', change: (value) => ({...value, port: '80@evil.example'})},
  {name: 'a port too high', change: (value) => ({...value, port: 65_536})},
  {name: 'another version', change: (value) => ({...value, schemaVersion: 2})},
  {name: 'not an object', change: () => 'text'},
])('a file with $name is skipped', async ({change}) => {
  const {folder, file} = await announced();
  const value = JSON.parse(readFileSync(file, 'utf8'));
  chmodSync(file, 0o600);
  writeFileSync(file, JSON.stringify(change(value)));
  expect(liveInspectors(folder, livenessOf)).toEqual([]);
});

test('without a folder there are no inspectors; a link in its place is not written through', async () => {
  const around = temporaryFolder();
  expect(liveInspectors(path.join(around, 'none'), livenessOf)).toEqual([]);
  writeFileSync(path.join(around, 'file'), '');
  expect(() => liveInspectors(path.join(around, 'file'), livenessOf)).toThrow('cannot read the folder');
  symlinkSync(around, path.join(around, 'link'));
  const facts = {owner: self, what: 'execute', startedAt: '', livenessOf};
  await expect(announceInspector(path.join(around, 'link'), {port: 1, token}, facts)).rejects.toMatchObject({
    code: 'E_STORE_UNSAFE',
  });
});

test('files of killed processes are removed when another one starts, and nothing else', async () => {
  const {folder} = await announced();
  const other = identifyProcess(process.ppid);
  const file = (name: string, owner: unknown) =>
    writeFileSync(
      path.join(folder, name),
      JSON.stringify({schemaVersion: 1, port: 1, token, what: 'execute', started_at: '', owner}),
    );
  file('1.json', {...self, startTime: '1'});
  file('2.json', other);
  file('notes.json', {...self, startTime: '1'});
  writeFileSync(path.join(folder, '3.json'), 'broken');
  const facts = {owner: self as NonNullable<typeof self>, what: 'execute', startedAt: '', livenessOf};
  onTestFinished(await announceInspector(folder, {port: 4000, token}, facts));
  expect(readdirSync(folder).sort()).toEqual(
    ['2.json', '3.json', `${process.pid}.json`, 'notes.json'].sort(),
  );
});
