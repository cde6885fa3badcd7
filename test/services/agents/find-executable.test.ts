import {symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {findExecutable} from '../../../src/services/agents/find-executable.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

test('unreadable folders of the path are skipped', () => {
  const [cwd, bin] = [temporaryFolder(), temporaryFolder()];
  symlinkSync('loop', path.join(cwd, 'loop'));
  writeFileSync(path.join(bin, 'agent'), '', {mode: 0o755});
  const searchPath = [path.join(cwd, 'loop'), `/${'x'.repeat(300)}`, 'relative', bin].join(':');
  expect(findExecutable('agent', {cwd, searchPath})).toBe(path.join(bin, 'agent'));
  expect(() => findExecutable('a\0b', {cwd, searchPath})).toThrow('it is not on the PATH');
});
