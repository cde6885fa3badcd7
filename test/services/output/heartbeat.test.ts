import {readFileSync, statSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {beat} from '../../../src/services/output/heartbeat.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const now = new Date('2026-01-10T22:04:00.000Z');

test('a beat changes the time of a file and nothing in it; a missing file is created', () => {
  const folder = temporaryFolder();
  const [known, missing] = [path.join(folder, 'known'), path.join(folder, 'missing')];
  writeFileSync(known, '1000 0\n');
  utimesSync(known, 1_000, 1_000);
  for (const file of [known, missing]) {
    beat(file, now);
    expect(statSync(file).mtime).toEqual(now);
  }
  expect(readFileSync(known, 'utf8')).toBe('1000 0\n');
  expect(statSync(missing).mode & 0o777).toBe(0o600);
});

test('a link in place of the file is not followed, and no error with it ends a run', () => {
  const folder = temporaryFolder();
  const [target, link] = [path.join(folder, 'target'), path.join(folder, 'link')];
  writeFileSync(target, '');
  utimesSync(target, 1_000, 1_000);
  symlinkSync(target, link);
  beat(link, now);
  beat(path.join(folder, 'none', 'file'), now);
  expect(statSync(target).mtimeMs).toBe(1_000_000);
});
