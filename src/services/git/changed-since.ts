import {lstatSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {setImmediate} from 'node:timers/promises';
import type {NewIgnored} from '../contracts/side-effects.ts';

export type WalkLimits = {readonly entries: number; readonly milliseconds: number};

const maxNames = 5;
/** Yields to the event loop after this many files. */
const pauseAfter = 1_000;

/**
 * The entries created or changed since a time; folders end with a slash and are searched. Compares the inode
 * change time, which cannot be set back.
 */
export async function changedSince(
  top: string,
  entries: readonly string[],
  since: number,
  limits: WalkLimits,
): Promise<NewIgnored> {
  const walk = {left: limits.entries, until: Date.now() + limits.milliseconds};
  const names: string[] = [];
  for (const entry of entries) {
    if (!entry.endsWith('/')) {
      walk.left--;
      if (isSince(path.join(top, entry), since)) names.push(entry);
      continue;
    }
    const changed = await changedIn(top, entry, since, walk);
    const [first] = changed;
    if (first !== undefined) names.push(changed.length === 1 ? first : `${entry} (${changed.length} files)`);
  }
  const isCut = walk.left <= 0;
  return {count: names.length, names: names.slice(0, maxNames), ...(isCut && {isCut})};
}

export type Walk = {left: number; readonly until: number};

/** Files, and folders that lost an entry or were moved here. Links are not followed. */
async function changedIn(top: string, folder: string, since: number, walk: Walk): Promise<string[]> {
  const changed: string[] = [];
  const folders = [folder];
  for (const each of folders) {
    let isTold = false;
    for (const entry of entriesOf(path.join(top, each))) {
      if (walk.left <= 0) return changed;
      const isFolder = entry.isDirectory();
      const name = `${each}${entry.name}`;
      if (isFolder) folders.push(`${name}/`);
      else if (isSince(path.join(top, name), since)) {
        changed.push(name);
        isTold = true;
      }
      if (--walk.left % pauseAfter === 0) await rest(walk);
    }
    if (!isTold && isSince(path.join(top, each), since)) changed.push(each);
  }
  // A folder is represented by its changed files; moving a folder changes its parent.
  const files = changed.filter((name) => !name.endsWith('/'));
  return files.length > 0 ? files : changed.slice(-1);
}

export async function rest(walk: Walk): Promise<void> {
  await setImmediate();
  if (Date.now() > walk.until) walk.left = 0;
}

export function isSince(file: string, since: number): boolean {
  try {
    return lstatSync(file).ctimeMs >= since;
  } catch {
    // Deleted in the meantime.
    return false;
  }
}

export function entriesOf(folder: string) {
  try {
    return readdirSync(folder, {withFileTypes: true});
  } catch {
    return [];
  }
}
