import {mkdirSync, renameSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createFolderMemory} from '../../../src/services/stores/folder-memory.ts';
import {namesIfAny} from '../../../src/services/stores/folder-names.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

function remembered() {
  const folder = path.join(temporaryFolder(), 'a');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'one'), '');
  let reads = 0;
  const namesOf = createFolderMemory((each) => {
    reads++;
    return namesIfAny(each).sort();
  });
  /** Asks until the answer is remembered. */
  const settled = () =>
    eventually(() => {
      const before = reads;
      namesOf(folder);
      expect(reads).toBe(before);
    });
  return {folder, names: () => namesOf(folder), settled, reads: () => reads};
}

test('a folder is read again only after a change of its names, whatever its times say', async () => {
  const {folder, names, settled, reads} = remembered();
  await settled();
  const before = reads();
  writeFileSync(path.join(folder, 'one'), 'written in place');
  expect([names(), reads() - before]).toEqual([['one'], 0]);
  writeFileSync(path.join(folder, 'two'), '');
  utimesSync(folder, 0, 0);
  expect(names()).toEqual(['one', 'two']);
  rmSync(path.join(folder, 'one'));
  expect(names()).toEqual(['two']);
  await settled();
  renameSync(path.join(folder, 'two'), path.join(folder, 'three'));
  expect(names()).toEqual(['three']);
});

test('another folder in its place, or none, is seen', async () => {
  const {folder, names, settled} = remembered();
  await settled();
  renameSync(folder, `${folder}.old`);
  expect(names()).toEqual([]);
  mkdirSync(folder);
  expect(names()).toEqual([]);
  rmSync(folder, {recursive: true});
  renameSync(`${folder}.old`, folder);
  expect(names()).toEqual(['one']);
});

test('a change right after another one is seen, however coarse the clock is', () => {
  const {folder, names} = remembered();
  for (let each = 0; each < 50; each++) {
    const before = names().length;
    writeFileSync(path.join(folder, `${each}`), '');
    expect(names()).toHaveLength(before + 1);
  }
});
