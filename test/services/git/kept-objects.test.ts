import {mkdirSync, readlinkSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import path from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import type {ChangeStore} from '../../../src/services/git/change-store.ts';
import {keepObjects} from '../../../src/services/git/kept-objects.ts';
import type {Git} from '../../../src/services/git/safe-git.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const idOf = (digit: string) => `ab${digit.repeat(38)}`;

/** A store with loose objects, and everything that is done to them, in order. */
function opened() {
  const objects = temporaryFolder();
  const steps: string[] = [];
  const fileOf = (id: string) => path.join(objects, id.slice(0, 2), id.slice(2));
  const put = (id: string) => {
    mkdirSync(path.dirname(fileOf(id)), {recursive: true});
    writeFileSync(`${fileOf(id)}.tmp`, id);
    renameSync(`${fileOf(id)}.tmp`, fileOf(id));
  };
  const git = {
    pour: async ([command]: readonly string[], input: () => Promise<string>) =>
      void steps.push(`${command} ${(await input()).trim()}`),
    run: async (args: readonly string[]) => void steps.push(args.join(' ')),
  } as unknown as Git;
  const keep = (ids: readonly string[], verified: Promise<void> = Promise.resolve()) =>
    keepObjects(git, new Set(ids), {store: {objects} as ChangeStore, verified});
  return {objects, steps, fileOf, put, keep};
}

/** What is synced from now on. */
async function watchSyncs(steps: string[]): Promise<void> {
  const handle = await open('/dev/null');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    steps.push(`sync ${path.basename(readlinkSync(`/proc/self/fd/${this.fd}`))}`);
  });
  onTestFinished(() => void vi.restoreAllMocks());
}

test.skipIf(process.platform !== 'linux')(
  'loose objects are synced with their folders, and again when they were replaced',
  async () => {
    const {steps, put, keep} = opened();
    const [one, two] = [idOf('1'), idOf('2')];
    for (const id of [one, two]) put(id);
    await watchSyncs(steps);
    await keep([one, two]);
    expect(steps.splice(0).sort()).toEqual(
      ['sync ab', `sync ${one.slice(2)}`, `sync ${two.slice(2)}`].sort(),
    );
    await keep([one, two]);
    expect(steps).toEqual([]);
    put(two);
    await keep([one, two]);
    expect(steps.sort()).toEqual([`sync ${two.slice(2)}`, 'sync ab'].sort());
  },
);

test('objects that are missing, linked or too many become a pack, once they are verified', async () => {
  const {steps, fileOf, put, keep} = opened();
  const [here, missing, linked] = [idOf('1'), idOf('2'), idOf('3')];
  put(here);
  symlinkSync(fileOf(here), fileOf(linked));
  let verify = () => {};
  const kept = keep([here, missing], new Promise((resolve) => (verify = resolve)));
  await new Promise(setImmediate);
  expect(steps).toEqual([]);
  verify();
  await kept;
  const pruned = 'prune-packed -q';
  expect(steps.splice(0)).toEqual([`pack-objects ${here}\n${missing}`, pruned]);
  await keep([here, linked]);
  expect(steps.splice(0)).toEqual([`pack-objects ${here}\n${linked}`, pruned]);
  await expect(keep([missing], Promise.reject(new Error('forged')))).rejects.toThrow('forged');
  expect(steps).toEqual([]);

  const many = Array.from({length: 65}, (_, index) => `cd${String(index).padStart(38, '0')}`);
  for (const id of many) put(id);
  await keep(many.slice(0, 64));
  expect(steps).toEqual([]);
  await keep(many);
  expect(steps).toEqual([`pack-objects ${many.join('\n')}`, pruned]);
});
