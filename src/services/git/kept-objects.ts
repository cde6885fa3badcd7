import {lstatSync, readdirSync} from 'node:fs';
import {open} from 'node:fs/promises';
import path from 'node:path';
import {type ChangeStore, versionOf} from './change-store.ts';
import type {Git} from './safe-git.ts';

/** More packs than this slow down every lookup, so they are merged into one. */
const maxPacks = 50;
/** Loose objects that are also in a pack are pruned after this many packs. */
const packsBetweenPruning = 10;
/** Up to this many loose objects are synced one by one; a larger change becomes one pack. */
const maxSingles = 64;
/** Estimates like git does: one of the 256 loose-object folders, so about a thousand objects in total. */
const sampleFolder = '17';
const maxInSample = 4;

/**
 * Stores the objects that differ between two trees in our own store, durably. Until then some may be borrowed
 * from the user's repository, where `gc` may drop them; afterwards `diff` needs no repository. Nothing is
 * packed before it is `verified`: a forged object would stay even after the repository is repaired.
 */
export async function keepObjects(
  git: Git,
  ids: ReadonlySet<string>,
  {store, verified}: {store: ChangeStore; verified: Promise<void>},
): Promise<void> {
  const packs = path.join(store.objects, 'pack');
  const singles = [...ids].map((id) => path.join(store.objects, id.slice(0, 2), id.slice(2)));
  const isHere = singles.length <= maxSingles && singles.every(isFile);
  if (isHere) await syncAll(singles);
  await verified;
  if (!isHere) {
    const input = async () => `${[...ids].join('\n')}\n`;
    await git.pour(['pack-objects', '-q', path.join(packs, 'pack')], input, () => () => {});
  }
  const count = namesIn(packs).filter((name) => name.endsWith('.pack')).length;
  const isCrowded = namesIn(path.join(store.objects, sampleFolder)).length > maxInSample;
  if (count > maxPacks || isCrowded) await git.run(['repack', '-a', '-d', '-k', '-l', '-n', '-q']);
  else if (!isHere && count % packsBetweenPruning === 0) await git.run(['prune-packed', '-q']);
}

const isFile = (file: string): boolean => lstatSync(file, {throwIfNoEntry: false})?.isFile() ?? false;

/** The last synced version of every file, by name: a task begins with the objects the previous one ended with. */
let durable: ReadonlyMap<string, string> = new Map();

/** Git syncs packs but not loose objects, so we sync those. */
async function syncAll(files: readonly string[]): Promise<void> {
  const versions = new Map(files.map((file) => [file, versionOf(file)]));
  const others = files.filter((file) => durable.get(file) !== versions.get(file));
  const folders = new Set(others.map((file) => path.dirname(file)));
  await Promise.all([...others, ...folders].map(syncOne));
  durable = versions;
}

async function syncOne(place: string): Promise<void> {
  const handle = await open(place, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Git creates the folder when it first needs it.
    return [];
  }
}
