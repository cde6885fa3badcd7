import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {appendLines} from '../../../src/services/journal/line-file.ts';
import {canMount, mountTmpfs} from '../../helpers/mounts.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

test.skipIf(!canMount)('lines that a full disk takes only in part are removed again', () => {
  const folder = mountTmpfs(path.join(temporaryFolder(), 'small'), 'size=16k,mode=700');
  const file = path.join(folder, 'lines');
  appendLines(file, () => 'first\n');
  expect(() => appendLines(file, () => `${'x'.repeat(64 * 1024)}\n`)).toThrow('ENOSPC');
  expect(readFileSync(file, 'utf8')).toBe('first\n');
  appendLines(file, (size) => `${size}\n`);
  expect(readFileSync(file, 'utf8')).toBe('first\n6\n');
});

test.each([
  {name: 'after a complete one', text: 'first\nsec', mode: 0o644, now: 'first\n6\n'},
  {name: 'after an empty one', text: '\nsec', mode: 0o640, now: '\n1\n'},
  {name: 'at the start', text: 'sec', mode: 0o604, now: '0\n'},
])('a last line torn by a crash is removed $name, and the file is private', ({text, mode, now}) => {
  const file = path.join(temporaryFolder(), 'lines');
  writeFileSync(file, text, {mode});
  appendLines(file, (size) => `${size}\n`);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([now, 0o600]);
});

test('a pipe in the place of the file gets nothing', () => {
  const pipe = path.join(temporaryFolder(), 'lines');
  execFileSync('mkfifo', [pipe]);
  expect(() => appendLines(pipe, () => 'secret\n')).toThrow(`${pipe} is not a regular file`);
});

test.skipIf(process.platform !== 'linux')('the file is closed again, whether it is written or not', () => {
  const folder = temporaryFolder();
  const handles = () => readdirSync('/proc/self/fd').length;
  const before = handles();
  for (let round = 0; round < 5; round++) {
    appendLines(path.join(folder, 'lines'), () => 'line\n');
    const refused = () =>
      appendLines(path.join(folder, 'lines'), () => {
        throw new Error('no lines');
      });
    expect(refused).toThrow('no lines');
  }
  expect(handles()).toBe(before);
});
