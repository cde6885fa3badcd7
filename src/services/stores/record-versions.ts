import {lstatSync} from 'node:fs';
import path from 'node:path';
import type {RecordVersions} from '../contracts/side-effects.ts';
import {isRecordName, namesIfAny} from './folder-names.ts';

/** A task must not cost more the more of them were done before it. */
const maxTasks = 500;

/** The run records of all tasks as they are now; null where there are too many to look at for every task. */
export function recordVersions(folder: string): RecordVersions | null {
  const tasks = namesIfAny(folder);
  if (tasks.length > maxTasks) return null;
  return new Map(
    tasks.map((task) => {
      const records = namesIfAny(path.join(folder, task)).filter(isRecordName);
      return [task, new Map(records.map((name) => [name, entryVersion(path.join(folder, task, name))]))];
    }),
  );
}

/**
 * Of the entry itself: an agent may have put a link in its place, even one that leads nowhere. The time of its last change
 * cannot be set.
 */
function entryVersion(file: string): string {
  try {
    const {ino, size, ctimeNs} = lstatSync(file, {bigint: true});
    return `${ino} ${size} ${ctimeNs}`;
  } catch {
    // Removed since its folder was read.
    return '';
  }
}
