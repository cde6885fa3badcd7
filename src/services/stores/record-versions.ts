import {createHash} from 'node:crypto';
import {closeSync, constants, lstatSync, openSync, readFileSync} from 'node:fs';
import path from 'node:path';
import type {RecordVersions} from '../contracts/side-effects.ts';
import {isRecordName, namesIfAny} from './folder-names.ts';

/** The cost of a task must not grow with the number of tasks done before it. */
const maxTasks = 500;
/** Far more than any record. */
const maxBytes = 64n * 1024n * 1024n;

/** The current run records of all tasks; null if there are too many to look at for every task. */
export type ReadVersions = () => RecordVersions | null;

export function createRecordVersions(folder: string): ReadVersions {
  const known = new Map<string, Seen>();
  return () => {
    const tasks = namesIfAny(folder);
    if (tasks.length > maxTasks) return null;
    return new Map(
      tasks.map((task) => {
        const records = namesIfAny(path.join(folder, task)).filter(isRecordName);
        const versionOf = (name: string) => entryVersion(path.join(folder, task, name), known);
        return [task, new Map(records.map((name) => [name, versionOf(name)]))];
      }),
    );
  };
}

type Seen = {readonly stat: string; readonly version: string};

/**
 * The content's version. A hard link or another mode is not an edit, so an entry that changed is read again; its change
 * time cannot be forged. Anything that is not a file counts by itself: an agent may have put a link in its place.
 */
function entryVersion(file: string, known: Map<string, Seen>): string {
  try {
    const found = lstatSync(file, {bigint: true});
    const stat = `${found.ino} ${found.size} ${found.ctimeNs}`;
    if (!found.isFile() || found.size > maxBytes) return stat;
    const seen = known.get(file);
    if (seen?.stat === stat) return seen.version;
    const version = digestOf(file);
    // An unreadable one may still be written.
    if (version === null) return stat;
    known.set(file, {stat, version});
    return version;
  } catch {
    // Removed since its folder was read.
    return '';
  }
}

function digestOf(file: string): string | null {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return createHash('sha256').update(readFileSync(handle)).digest('hex');
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}
