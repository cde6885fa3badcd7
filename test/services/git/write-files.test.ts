import {existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {expect, test} from 'vitest';
import {noEntry} from '../../../src/services/git/three-way.ts';
import {writeFiles} from '../../../src/services/git/write-files.ts';

const entry = {mode: '100644', id: '1'};

/** A project whose folder `dir` became a link out of it after the undo was planned. */
function linkedProject() {
  const at = mkdtempSync(path.join(tmpdir(), 'blackbird-write-files-'));
  const place = {
    top: path.join(at, 'top'),
    staged: path.join(at, 'staged'),
    replaced: path.join(at, 'replaced'),
  };
  for (const folder of [place.top, path.join(place.staged, 'dir'), place.replaced, path.join(at, 'outside')])
    mkdirSync(folder, {recursive: true});
  symlinkSync(path.join(at, 'outside'), path.join(place.top, 'dir'));
  return {place, outside: (name: string) => path.join(at, 'outside', name)};
}

test('nothing is written through a link, and earlier writes are reverted', () => {
  const {place, outside} = linkedProject();
  writeFileSync(path.join(place.staged, 'first'), 'new');
  writeFileSync(path.join(place.staged, 'dir/second'), 'new');
  writeFileSync(path.join(place.top, 'first'), 'mine');
  const files = ['first', 'dir/second'].map((file) => ({file, entry}));
  expect(() => writeFiles(files, place)).toThrow('dir is not a folder');
  expect(existsSync(outside('second'))).toBe(false);
  expect(readFileSync(path.join(place.top, 'first'), 'utf8')).toBe('mine');
});

test('nothing is removed through a link', () => {
  const {place, outside} = linkedProject();
  writeFileSync(outside('second'), 'theirs');
  expect(() => writeFiles([{file: 'dir/second', entry: noEntry}], place)).toThrow('dir is not a folder');
  expect(readFileSync(outside('second'), 'utf8')).toBe('theirs');
});
