import {readFileSync, statSync, writeFileSync} from 'node:fs';
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

test('a last line torn by a crash is removed, and the file is private', () => {
  const file = path.join(temporaryFolder(), 'lines');
  writeFileSync(file, 'first\nsec', {mode: 0o644});
  appendLines(file, (size) => `${size}\n`);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['first\n6\n', 0o600]);
});
