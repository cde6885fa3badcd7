import {existsSync} from 'node:fs';
import path from 'node:path';
import type {FoundFiles} from '../contracts/side-effects.ts';
import {changedSince, entriesOf, isSince, rest, type Walk, type WalkLimits} from './changed-since.ts';
import {isGitsOwn, isOwnFile, isOwnFolder} from './known-names.ts';

/** Whatever is not Blackbird's and was put into its folder since a time: git ignores that folder, and no diff shows it. */
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
  for (const entry of entries.filter((each) => each.isDirectory() && isOwn(each)))
    if (!isCrowded(path.join(stateFolder, entry.name)))
      own.push(...(await strangersIn(stateFolder, look, `${entry.name}/`)));
  const {count, names} = await changedSince(path.dirname(stateFolder), others, since, limits);
  const told = grouped(`${name}/`, own);
  return {count: count + told.length, names: [...names, ...told].slice(0, maxNames)};
}

const maxNames = 5;
/** A task must not cost more the more of them were done before it. */
const maxEntries = 500;
const isCrowded = (folder: string): boolean => entriesOf(folder).length > maxEntries;

/** Whatever git does not write itself, in a folder of git; `told` is told of elsewhere. */
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

/** Where only the names of new files are of interest: nobody writes into an object. */
const isObjectFolder = (folder: string) => /(^|\/)objects\/([0-9a-f]{2}|pack)\/$/.test(folder);

type Look = {
  readonly since: number;
  readonly walk: Walk;
  readonly isKnown: (file: string) => boolean;
  /** Folders that need no look where nothing came or went. */
  readonly mayPass: (folder: string) => boolean;
};

/** Files below a folder, told from it, that are not known and were made or changed since. Links are not followed. */
async function strangersIn(top: string, look: Look, start = ''): Promise<string[]> {
  const {since, walk, isKnown, mayPass} = look;
  const found: string[] = [];
  const folders = [start];
  for (const folder of folders) {
    if (mayPass(folder) && !isSince(path.join(top, folder), since)) continue;
    for (const entry of entriesOf(path.join(top, folder))) {
      if (walk.left <= 0) return found;
      const name = `${folder}${entry.name}`;
      // A folder in which every file is known has no strangers.
      if (entry.isDirectory() && !isKnown(`${name}/?/?`)) folders.push(`${name}/`);
      else if (!entry.isDirectory() && !isKnown(name) && isSince(path.join(top, name), since))
        found.push(name);
      if (--walk.left % 1_000 === 0) await rest(walk);
    }
  }
  return found;
}

/** A few files by their names, many by the folder they are in. */
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
