import {chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {userPrograms} from '../../src/cli/terminal/user-programs.ts';
import {rejectionOf} from '../helpers/errors.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';

/** A repository with a project in a subfolder, and a program that records its arguments. */
function repository(name = 'vim') {
  const top = realpathSync(temporaryFolder());
  const root = path.join(top, 'project');
  const editor = path.join(top, name);
  mkdirSync(path.join(top, '.git'));
  mkdirSync(root);
  writeFileSync(path.join(top, '.git/HEAD'), '');
  writeFileSync(editor, `#!/bin/sh\nfor each; do echo "$each"; done > '${top}/args'\ncat > '${top}/input'\n`);
  chmodSync(editor, 0o755);
  return {top, root, editor, args: () => readFileSync(path.join(top, 'args'), 'utf8').trim().split('\n')};
}

test('a file is named from the top of the repository, whatever its name means to a shell', async () => {
  const {top, root, editor, args} = repository('my-editor');
  const name = "-a $(touch x) 'b'.ts";
  writeFileSync(path.join(top, name), '');
  const programs = userPrograms({
    root,
    env: {...process.env, VISUAL: `${editor} --wait </dev/null`},
    hasColor: false,
  });
  expect(programs.editorRefused).toBe(null);
  await programs.run({type: 'editor', file: name, line: 3});
  expect(args()).toEqual(['--wait', path.join(top, name)]);
});

test.each([
  {file: '../secret', message: '"../secret" is not in this repository'},
  {file: '/etc/passwd', message: '"/etc/passwd" is not in this repository'},
  {file: 'gone.ts', message: 'gone.ts is no longer there'},
])('$file is not opened', async ({file, message}) => {
  const {root, editor} = repository();
  const {run} = userPrograms({root, env: {...process.env, EDITOR: editor}, hasColor: false});
  expect(await rejectionOf(run({type: 'editor', file, line: 1}))).toMatchObject({code: 'E_USAGE', message});
});

test('the pager gets the patch, and nothing in it reaches the terminal as a control sequence', async () => {
  const {top, root, editor} = repository('pager');
  const {run, editorRefused} = userPrograms({
    root,
    env: {PATH: process.env.PATH, PAGER: editor},
    hasColor: false,
  });
  expect(editorRefused).toBe('no editor is set: export EDITOR, such as EDITOR=vim, and start again');
  await run({type: 'pager', patch: 'diff --git a/a b/a\n@@ -1 +1 @@\n+\u001b]0;owned\u0007text\rover\n'});
  expect(readFileSync(path.join(top, 'input'), 'utf8')).toBe(
    'diff --git a/a b/a\n@@ -1 +1 @@\n+^[]0;owned^Gtext^Mover\n',
  );
});

test('a program that cannot be started is reported', async () => {
  const {root} = repository();
  const {run} = userPrograms({
    root,
    env: {...process.env, PAGER: './no-such-pager 2>/dev/null'},
    hasColor: false,
  });
  expect(await rejectionOf(run({type: 'pager', patch: ''}))).toMatchObject({
    code: 'E_USAGE',
    message: './no-such-pager 2>/dev/null could not be started',
  });
});
