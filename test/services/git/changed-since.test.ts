import {mkdirSync, renameSync, statSync, unlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {changedSince} from '../../../src/services/git/changed-since.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const limits = {entries: 100, milliseconds: 60_000};

/** A folder with files that are older than `since`. */
async function openFolder() {
  const around = temporaryFolder();
  const top = path.join(around, 'top');
  for (const folder of [top, path.join(top, 'out'), path.join(top, 'out/deep')]) mkdirSync(folder);
  mkdirSync(path.join(around, 'elsewhere'));
  const write = (name: string) => writeFileSync(path.join(around, name), 'x');
  for (const name of ['top/file', 'top/out/old', 'top/out/deep/old', 'elsewhere/x']) write(name);
  const since = statSync(path.join(around, 'elsewhere/x')).ctimeMs + 1;
  // File timestamps advance in steps.
  await eventually(() => {
    write('tick');
    expect(statSync(path.join(around, 'tick')).ctimeMs).toBeGreaterThan(since);
  });
  return {around, top, since, write};
}

const entries = ['file', 'out/'];

test.each([
  {name: 'nothing', change: [], names: []},
  {name: 'a file', change: ['top/file'], names: ['file']},
  {name: 'a new file deep in a folder', change: ['top/out/deep/new'], names: ['out/deep/new']},
  {name: 'an old file in a folder', change: ['top/out/old'], names: ['out/old']},
  {name: 'several in one folder', change: ['top/out/new', 'top/out/deep/old'], names: ['out/ (2 files)']},
])('$name is named by its most specific path', async ({change, names}) => {
  const {top, since, write} = await openFolder();
  for (const name of change) write(name);
  expect(await changedSince(top, entries, since, limits)).toEqual({count: names.length, names});
});

test('a folder that was moved here, or lost a file, is named itself', async () => {
  const {around, top, since} = await openFolder();
  renameSync(path.join(around, 'elsewhere'), path.join(top, 'out/elsewhere'));
  expect((await changedSince(top, entries, since, limits)).names).toEqual(['out/elsewhere/']);
  const other = await openFolder();
  unlinkSync(path.join(other.top, 'out/deep/old'));
  expect((await changedSince(other.top, entries, other.since, limits)).names).toEqual(['out/deep/']);
});

test('five are named and all are counted; what was not compared is reported', async () => {
  const {top, since, write} = await openFolder();
  const files = ['1', '2', '3', '4', '5', '6'];
  for (const name of files) write(`top/${name}`);
  expect(await changedSince(top, files, since, limits)).toEqual({count: 6, names: files.slice(0, 5)});
  const [enough, short] = [
    {...limits, entries: 4},
    {...limits, entries: 3},
  ];
  expect(await changedSince(top, ['out/'], since, enough)).toEqual({count: 0, names: []});
  expect(await changedSince(top, ['out/'], since, short)).toEqual({count: 0, names: [], isCut: true});
});
