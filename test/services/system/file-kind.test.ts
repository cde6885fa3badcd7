import {execFileSync} from 'node:child_process';
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {fileKind} from '../../../src/services/system/file-kind.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

test('tells the kind of file at a path, and that an unreachable one is missing', () => {
  const around = temporaryFolder();
  const at = (name: string) => path.join(around, name);
  mkdirSync(at('folder'));
  writeFileSync(at('file'), '');
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('folder', at('link'));
  symlinkSync('loop', at('loop'));
  symlinkSync('nowhere', at('dangling'));
  const places = ['folder', 'link', 'file', 'pipe', 'nowhere', 'dangling', 'file/x', 'loop', 'a\0b'];
  expect([...places, 'x'.repeat(5000)].map((name) => fileKind(at(name)))).toEqual([
    ...['folder', 'folder', 'file', 'other'],
    ...Array(6).fill(null),
  ]);
});
