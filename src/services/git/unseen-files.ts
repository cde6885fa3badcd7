import {type Dirent, lstatSync, readdirSync} from 'node:fs';
import path from 'node:path';
import type {FoundFiles} from '../contracts/side-effects.ts';
import {changedSince, rest, type WalkLimits} from './changed-since.ts';
import {foreignFilesInGit} from './foreign-files.ts';

/** Further nested repositories are not asked what they ignore. */
const maxRepositories = 20;
const maxNames = 5;

export type UnseenOptions = {
  readonly since: number;
  readonly limits: WalkLimits;
  /** Folders to skip, with a trailing slash. */
  readonly passed: Iterable<string>;
  /** What the repository in a folder ignores, folders with a trailing slash; empty if there is none. */
  readonly ignoredIn: (folder: string) => Promise<readonly string[]>;
};

/**
 * Where git does not look: nested `.git` folders in any spelling, what those repositories ignore, pipes,
 * unreadable folders.
 */
export type Unseen = {readonly inGit: FoundFiles; readonly others: FoundFiles; readonly isCut: boolean};

export async function unseenSince(top: string, options: UnseenOptions): Promise<Unseen> {
  const {since, limits} = options;
  const walk = {left: limits.entries, until: Date.now() + limits.milliseconds};
  const passed = new Set(options.passed);
  const [inGit, others]: [string[], string[]] = [[], []];
  const folders = [''];
  const unnamed: string[] = [];
  let repositories = 0;
  const isNew = (name: string) => isNewSince(top, name, since);

  const lookAtGit = async (folder: string, entry: Dirent) => {
    const name = `${folder}${entry.name}`;
    const shown = textOf(name);
    if (!entry.isDirectory()) inGit.push(...(isNew(name) ? [shown] : []));
    else if (bytesOf(shown).equals(latin(name)))
      inGit.push(...(await foreignFilesInGit(path.join(top, shown), `${shown}/`, {since, walk})));
    // Git cannot be asked about it by that name, so nothing in it is in the diff.
    else unnamed.push(folder);
    if (folder === '' || ++repositories > maxRepositories) return;
    const inside = textOf(folder);
    const ignored = await options.ignoredIn(path.join(top, inside));
    for (const each of ignored) if (each.endsWith('/')) passed.add(`${inside}${each}`);
    const {names} = await changedSince(path.join(top, inside), ignored, since, limits);
    others.push(...names.map((each) => `${inside}${each}`));
  };

  for (const folder of folders) {
    const entries = entriesOf(top, folder);
    if (entries === null && isNew(folder)) others.push(`${textOf(folder)} (cannot be read)`);
    const isGit = ({name}: Dirent) => name.toLowerCase() === '.git';
    for (const entry of entries?.filter(isGit) ?? [])
      if (`${folder}${entry.name}` !== '.git') await lookAtGit(folder, entry);
    const isUnnamed = unnamed.some((each) => folder.startsWith(each));
    for (const entry of entries ?? []) {
      if (walk.left <= 0) break;
      const name = `${folder}${entry.name}`;
      const isFile = entry.isFile() || entry.isSymbolicLink();
      if (entry.isDirectory()) {
        if (!isGit(entry) && !passed.has(`${textOf(name)}/`)) folders.push(`${name}/`);
      } else if ((!isFile || isUnnamed) && !isGit(entry) && isNew(name))
        others.push(`${textOf(name)}${isFile ? '' : ' (not a file)'}`);
      if (--walk.left % 1_000 === 0) await rest(walk);
    }
  }
  const isCut = walk.left <= 0 || repositories > maxRepositories;
  return {inGit: found(inGit), others: found(others), isCut};
}

const found = (names: readonly string[]): FoundFiles => ({
  count: names.length,
  names: names.slice(0, maxNames),
});

// Names are read as latin1, so that one that is not valid UTF-8 can still be opened.

const latin = (name: string): Buffer => Buffer.from(name, 'latin1');
const bytesOf = (text: string): Buffer => Buffer.from(text);
const textOf = (name: string): string => latin(name).toString();
const placeOf = (top: string, name: string): Buffer => Buffer.concat([bytesOf(`${top}/`), latin(name)]);

/** Null if it cannot be read. */
function entriesOf(top: string, folder: string): Dirent[] | null {
  try {
    return readdirSync(placeOf(top, folder), {withFileTypes: true, encoding: 'latin1'});
  } catch {
    return null;
  }
}

function isNewSince(top: string, name: string, since: number): boolean {
  try {
    return lstatSync(placeOf(top, name)).ctimeMs >= since;
  } catch {
    // Deleted in the meantime.
    return false;
  }
}
