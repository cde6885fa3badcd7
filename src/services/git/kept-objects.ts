import {lstatSync, readdirSync} from 'node:fs';
import {open} from 'node:fs/promises';
import path from 'node:path';
import {type ChangeStore, versionOf} from './change-store.ts';
import type {Git} from './safe-git.ts';

/** So many packs make every look-up slow; they become one. */
const maxPacks = 50;
/** What is in a pack as well is removed after so many of them. */
const packsBetweenPruning = 10;
/** So many single objects are made durable one by one; a change of more of them is one pack. */
const maxSingles = 64;
/** As git guesses it: one of the 256 folders of single objects has its share, so this is about a thousand. */
const sampleFolder = '17';
const maxInSample = 4;

/**
 * Sees to it that the store itself has what two trees do not have in common, and has it for good. Until then part of it may
 * be borrowed from the user's repository, whose `gc` owes us nothing; from then on `diff` needs no repository at all. Nothing is
 * packed before it is `verified`: a forged object would stay, even where the repository it came from is mended.
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
  if (!isHere) await git.feed(['pack-objects', '-q', path.join(packs, 'pack')], `${[...ids].join('\n')}\n`);
  const count = namesIn(packs).filter((name) => name.endsWith('.pack')).length;
  const isCrowded = namesIn(path.join(store.objects, sampleFolder)).length > maxInSample;
  if (count > maxPacks || isCrowded) await git.run(['repack', '-a', '-d', '-k', '-l', '-n', '-q']);
  else if (!isHere && count % packsBetweenPruning === 0) await git.run(['prune-packed', '-q']);
}

const isFile = (file: string): boolean => lstatSync(file, {throwIfNoEntry: false})?.isFile() ?? false;

/** The version of every file that was made durable last, with its name: a task begins with what the one before it ended with. */
let durable: ReadonlyMap<string, string> = new Map();

/** Git leaves single objects to the system to write, packs it does not; a change is kept as a pack is. */
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
    // Git makes it when it has something to put there.
    return [];
  }
}
