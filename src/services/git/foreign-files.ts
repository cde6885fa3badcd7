import {existsSync} from 'node:fs';
import path from 'node:path';
import type {FoundFiles} from '../contracts/side-effects.ts';
import {changedSince, entriesOf, isSince, rest, type Walk, type WalkLimits} from './changed-since.ts';
import {isGitsOwn, isOwnFile, isOwnFolder} from './known-names.ts';

/** Files that others put into Blackbird's folder since a time: git ignores that folder, so no diff shows them. */
export async function foreignFilesIn(
  stateFolder: string,
  since: number,
  limits: WalkLimits,
): Promise<FoundFiles> {
  const name = path.basename(stateFolder);
  const entries = entriesOf(stateFolder);
  const isOwn = (entry: (typeof entries)[number]) =>
    entry.isDirectory() ? isOwnFolder(entry.name) : isOwnFile(entry.name);
  const others = entries
    .filter((entry) => !isOwn(entry))
    .map((entry) => `${name}/${entry.name}${entry.isDirectory() ? '/' : ''}`);
  const walk = {left: limits.entries, until: Date.now() + limits.milliseconds};
  const look = {since, walk, isKnown: isOwnFile, mayPass: isObjectFolder};
  const own: string[] = [];
  for (const {name: folder} of entries.filter((each) => each.isDirectory() && isOwn(each))) {
    const below = entriesOf(path.join(stateFolder, folder));
    if (below.length <= maxEntries) own.push(...(await strangersIn(stateFolder, look, `${folder}/`)));
    else
      own.push(
        ...below
          .filter((each) => !each.isDirectory())
          .map((each) => `${folder}/${each.name}`)
          .filter((file) => !isOwnFile(file) && isSince(path.join(stateFolder, file), since)),
      );
  }
  const {count, names} = await changedSince(path.dirname(stateFolder), others, since, limits);
  const told = grouped(`${name}/`, own);
  return {count: count + told.length, names: [...names, ...told].slice(0, maxNames)};
}

const maxNames = 5;
/** The cost of a task must not grow with the number of tasks done before it: with more entries, subfolders are not searched. */
const maxEntries = 500;

/** Files in a git folder that git does not write itself; `told` are reported elsewhere. */
export async function foreignFilesInGit(
  folder: string,
  shown: string,
  {since, walk, isTold = () => false}: {since: number; walk: Walk; isTold?: (file: string) => boolean},
): Promise<string[]> {
  const isRepository = existsSync(path.join(folder, 'HEAD')) && existsSync(path.join(folder, 'objects'));
  const isKnown = (file: string) => isTold(file) || (isRepository && isGitsOwn(file));
  const mayPass = (below: string) => isObjectFolder(below) && isRepository;
  return grouped(shown, await strangersIn(folder, {since, walk, isKnown, mayPass}));
}

/** Only new names matter here: objects are never rewritten. */
const isObjectFolder = (folder: string) => /(^|\/)objects\/([0-9a-f]{2}|pack)\/$/.test(folder);

type Look = {
  readonly since: number;
  readonly walk: Walk;
  readonly isKnown: (file: string) => boolean;
  /** Folders that can be skipped if nothing was added or removed. */
  readonly mayPass: (folder: string) => boolean;
};

/** Unknown files below a folder, relative to it, that were created or changed since. Links are not followed. */
async function strangersIn(top: string, look: Look, start = ''): Promise<string[]> {
  const {since, walk, isKnown, mayPass} = look;
  const found: string[] = [];
  const folders = [start];
  for (const folder of folders) {
    if (mayPass(folder) && !isSince(path.join(top, folder), since)) continue;
    for (const entry of entriesOf(path.join(top, folder))) {
      if (walk.left <= 0) return found;
      const name = `${folder}${entry.name}`;
      // Skip folders in which every name is known.
      if (entry.isDirectory() && !isKnown(`${name}/?/?`)) folders.push(`${name}/`);
      else if (!entry.isDirectory() && !isKnown(name) && isSince(path.join(top, name), since))
        found.push(name);
      if (--walk.left % 1_000 === 0) await rest(walk);
    }
  }
  return found;
}

/** Lists a few files by name, many by their folder. */
function grouped(shown: string, files: readonly string[]): string[] {
  if (files.length <= maxNames) return files.map((file) => `${shown}${file}`);
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const folder = /^[^/]+\//.exec(file)?.[0] ?? '';
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].map(([folder, [first, ...more]]) =>
    more.length === 0 ? `${shown}${first}` : `${shown}${folder} (${more.length + 1} files)`,
  );
}
