import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {execa} from 'execa';
import {describe, expect, test} from 'vitest';
import {temporaryFolder} from '../helpers/temp-folder.ts';

// A sample of `npm run verify:crash`, and a test that its layer between program and disk works as stated.

const script = (name: string) => path.resolve('scripts', name);

test('the built program, killed at a sample of its disk operations, loses nothing and continues', {
  timeout: 600_000,
}, async () => {
  const args = [script('verify-crash.mjs'), '--sample', '8', '--seed', '206', '--workers', '1'];
  const {stdout} = await execa(process.execPath, args, {reject: false});
  expect(stdout).toMatch(/^points [1-9]\d* /m);
  expect(stdout).toMatch(/^wrong 0,/m);
});

describe('the layer', () => {
  const replaced = `
    const fs = require('node:fs');
    const sync = (file, flags) => { const h = fs.openSync(file, flags); fs.fsyncSync(h); fs.closeSync(h); };
    fs.writeFileSync('new', 'new text');`;
  const synced = `${replaced} sync('new', 'r+');`;
  const renamed = `fs.renameSync('new', 'record');`;

  /** What `record` contains after the program was stopped there; null if it does not exist. */
  function stopped(program: string, point: {kind: string; at: number}, before = 'old') {
    const root = temporaryFolder();
    const file = path.join(root, 'record');
    spawnSync('sh', ['-c', `printf '%s' "${before}" >record`], {cwd: root});
    const {signal, stderr} = spawnSync(
      process.execPath,
      ['--require', script('crash/fs-layer.cjs'), '-e', program],
      {
        cwd: root,
        encoding: 'utf8',
        env: {...process.env, BLACKBIRD_CRASH_POINT: JSON.stringify({root, ...point})},
      },
    );
    const text = existsSync(file) ? readFileSync(file, 'utf8') : null;
    const fresh = path.join(root, 'new');
    return {signal, stderr, text, fresh: existsSync(fresh) ? readFileSync(fresh, 'utf8') : null};
  }

  test.each([
    {name: 'before a write', point: {kind: 'before', at: 1}, left: {text: 'old', fresh: null}},
    {name: 'in a write', point: {kind: 'torn', at: 1}, left: {text: 'old', fresh: 'new '}},
    {name: 'after a write', point: {kind: 'after', at: 1}, left: {text: 'old', fresh: 'new text'}},
    {name: 'before a rename', point: {kind: 'before', at: 4}, left: {text: 'old', fresh: 'new text'}},
    {name: 'after a rename', point: {kind: 'after', at: 4}, left: {text: 'new text', fresh: null}},
  ])('stops $name', ({point, left}) => {
    expect(stopped(`${synced} ${renamed}`, point)).toEqual({signal: 'SIGKILL', stderr: '', ...left});
  });

  const folderSynced = `${synced} ${renamed} sync('.', 'r');`;
  test.each([
    {
      name: 'loses a name whose folder was not synced',
      program: `${synced} ${renamed}`,
      kind: 'power',
      text: 'old',
    },
    {name: 'keeps what was synced with its folder', program: folderSynced, kind: 'power', text: 'new text'},
    {
      name: 'loses what was written and never synced',
      program: `${replaced} ${renamed} sync('.', 'r');`,
      kind: 'power',
      text: '',
    },
    {
      name: 'may keep a name without its content',
      program: `${replaced} ${renamed}`,
      kind: 'names',
      text: '',
    },
  ])('in a power cut $name', ({program, kind, text}) => {
    expect(stopped(program, {kind, at: 0})).toMatchObject({stderr: '', text});
  });
});
