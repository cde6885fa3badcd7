import {lstatSync} from 'node:fs';

/** Within this time a folder may change again with the same timestamp: file system clocks are coarse. */
const coarseMilliseconds = 50;

/**
 * What was found in folders, read again only after something was added, removed or renamed in one: the folders of
 * a plan's runs are looked at around every task. Files written in place do not change their folder.
 */
export function createFolderMemory<T>(read: (folder: string) => T): (folder: string) => T {
  const known = new Map<string, {readonly stamp: string; readonly value: T}>();
  return (folder) => {
    const stamp = stampOf(folder);
    const before = stamp === null ? undefined : known.get(folder);
    if (before !== undefined && before.stamp === stamp) return before.value;
    const value = read(folder);
    if (stamp === null) known.delete(folder);
    else known.set(folder, {stamp, value});
    return value;
  };
}

/** Changes with the names in a folder, and cannot be set back; null if it may not show the next change. */
function stampOf(folder: string): string | null {
  try {
    const found = lstatSync(folder);
    const isSettled = found.isDirectory() && Date.now() - found.ctimeMs > coarseMilliseconds;
    return isSettled ? `${found.dev}:${found.ino}:${found.ctimeMs}` : null;
  } catch {
    return null;
  }
}
