import {expect, test} from 'vitest';
import {type AtToken, atTokenBefore, referenceTo} from '../../../src/ui/editor/at-reference.ts';

test.each<{marked: string; token: AtToken | null}>([
  {marked: '@|', token: {start: 0, query: ''}},
  {marked: 'see @sr|', token: {start: 4, query: 'sr'}},
  {marked: 'see @sr|c/a.ts', token: {start: 4, query: 'sr'}},
  {marked: '(@a|', token: {start: 1, query: 'a'}},
  {marked: 'x\n@a|', token: {start: 2, query: 'a'}},
  {marked: '@"my fi|', token: {start: 0, query: 'my fi'}},
  {marked: '@"my file" |', token: null},
  {marked: 'see @src |', token: null},
  {marked: 'me@host|', token: null},
  {marked: '@@|', token: null},
  {marked: '@a\n|', token: null},
  {marked: '|@a', token: null},
  {marked: '', token: null},
])('$marked', ({marked, token}) => {
  const cursor = Math.max(0, marked.indexOf('|'));
  expect(atTokenBefore(marked.replace('|', ''), cursor)).toEqual(token);
});

test.each([
  {path: 'src/a.ts', written: '@src/a.ts'},
  {path: 'src/日本-x_1.ts', written: '@src/日本-x_1.ts'},
  {path: 'my file.ts', written: '@"my file.ts"'},
  {path: 'a(b).ts', written: '@"a(b).ts"'},
  {path: 'ends.', written: '@"ends."'},
])('$path is written $written', ({path, written}) => {
  expect(referenceTo(path)).toBe(written);
});
