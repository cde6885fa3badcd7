import {existsSync} from 'node:fs';
import path from 'node:path';
import type {FoundFiles} from '../contracts/side-effects.ts';
import {createFolderMemory} from '../stores/folder-memory.ts';
import {changedSince, entriesOf, isSince, rest, type Walk, type WalkLimits} from './changed-since.ts';
import {isGitsOwn, isOwnFile, isOwnFolder} from './known-names.ts';

/** What is looked at in each folder of Blackbird's own. */
export const createStateMemory = (stateFolder: string) =>
  createFolderMemory((folder) => contentOf(folder, `${path.relative(stateFolder, folder)}/`, isOwnFile));

/** Files that others put into Blackbird's folder since a time: git ignores that folder, so no diff shows them. */
export async function foreignFilesIn(
  stateFolder: string,
  since: number,
  {limits, memory}: {limits: WalkLimits; memory: ReturnType<typeof createStateMemory>},
): Promise<FoundFiles> {
  const name = path.basename(stateFolder);
  const entries = entriesOf(stateFolder);
  const isOwn = (entry: (typeof entries)[number]) =>
    entry.isDirectory() ? isOwnFolder(entry.name) : isOwnFile(entry.name);
  const others = entries
    .filter((entry) => !isOwn(entry))
    .map((entry) => `${name}/${entry.name}${entry.isDirectory() ? '/' : ''}`);
  const walk = {left: limits.entries, until: Date.now() + limits.milliseconds};
  const content = (folder: string) => memory(path.join(stateFolder, folder));
  const look = {since, walk, content, mayPass: isObjectFolder};
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
  const content = (below: string) => contentOf(path.join(folder, below), below, isKnown);
  return grouped(shown, await strangersIn(folder, {since, walk, content, mayPass}));
}

/** Only new names matter here: objects are never rewritten. */
const isObjectFolder = (folder: string) => /(^|\/)objects\/([0-9a-f]{2}|pack)\/$/.test(folder);

type Content = {
  /** How many there are, known ones included. */
  readonly entries: number;
  /** Relative to the top folder, folders with a trailing slash. */
  readonly folders: readonly string[];
  /** Files with unknown names. */
  readonly strangers: readonly string[];
};

type Look = {
  readonly since: number;
  readonly walk: Walk;
  readonly content: (folder: string) => Content;
  /** Folders that can be skipped if nothing was added or removed. */
  readonly mayPass: (folder: string) => boolean;
};

function contentOf(place: string, folder: string, isKnown: (file: string) => boolean): Content {
  const [folders, strangers]: [string[], string[]] = [[], []];
  const entries = entriesOf(place);
  for (const entry of entries) {
    const name = `${folder}${entry.name}`;
    // Skip folders in which every name is known.
    if (entry.isDirectory() && !isKnown(`${name}/?/?`)) folders.push(`${name}/`);
    else if (!entry.isDirectory() && !isKnown(name)) strangers.push(name);
  }
  return {entries: entries.length, folders, strangers};
}

/** Unknown files below a folder, relative to it, that were created or changed since. Links are not followed. */
async function strangersIn(
  top: string,
  {since, walk, content, mayPass}: Look,
  start = '',
): Promise<string[]> {
  const found: string[] = [];
  const folders = [start];
  for (const folder of folders) {
    if (mayPass(folder) && !isSince(path.join(top, folder), since)) continue;
    if (walk.left <= 0) return found;
    const {entries, folders: below, strangers} = content(folder);
    for (const each of below) folders.push(each);
    const turns = Math.ceil(walk.left / 1_000);
    walk.left -= entries - strangers.length;
    if (Math.ceil(walk.left / 1_000) < turns) await rest(walk);
    for (const name of strangers) {
      if (walk.left <= 0) return found;
      if (isSince(path.join(top, name), since)) found.push(name);
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
