import {expect, test} from 'vitest';
import {editorCommand, editorOf, pagerCommand} from '../../../src/machines/policies/text/outside-program.ts';

test.each([
  {env: {}, editor: null},
  {env: {EDITOR: ' '}, editor: null},
  {env: {EDITOR: 'vim'}, editor: 'vim'},
  {env: {EDITOR: 'vim', VISUAL: ''}, editor: 'vim'},
  {env: {EDITOR: 'vim', VISUAL: 'code --wait'}, editor: 'code --wait'},
])('the editor of $env', ({env, editor}) => {
  expect(editorOf(env)).toBe(editor);
});

test.each([
  {editor: 'vi', args: ['+7', '/p/a b.ts']},
  {editor: '/usr/bin/nvim -u NONE', args: ['+7', '/p/a b.ts']},
  {editor: 'emacsclient -t', args: ['+7', '/p/a b.ts']},
  {editor: 'code --wait', args: ['--goto', '/p/a b.ts:7']},
  {editor: 'hx', args: ['/p/a b.ts:7']},
  {editor: 'my-editor', args: ['/p/a b.ts']},
])('$editor gets the file and the line as arguments', ({editor, args}) => {
  expect(editorCommand(editor, '/p/a b.ts', 7)).toEqual({script: `${editor} "$@"`, args});
});

test('the name of a file is never part of the command', () => {
  const {script, args} = editorCommand('vim', '/p/$(touch x);.ts', 1);
  expect([script, args]).toEqual(['vim "$@"', ['+1', '/p/$(touch x);.ts']]);
});

test.each([
  {env: {}, script: 'less -R'},
  {env: {PAGER: ''}, script: 'less -R'},
  {env: {PAGER: 'bat -p'}, script: 'bat -p'},
])('the pager of $env', ({env, script}) => {
  expect(pagerCommand(env)).toEqual({script, args: []});
});
