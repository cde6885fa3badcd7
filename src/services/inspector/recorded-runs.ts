import {closeSync, constants, openSync, readSync, statSync} from 'node:fs';
import path from 'node:path';
import {namesIfAny} from '../stores/folder-names.ts';

/** A run that can be inspected. */
export type RecordedRun = {readonly task_id: string; readonly run_id: string; readonly changed_at: string};

const ending = '.journal.jsonl';

/**
 * The runs with the most recently changed journals, newest first. Stats every file, but reads only a few
 * headers.
 */
export function recordedRuns(runsFolder: string, limit: number): RecordedRun[] {
  const journals = namesIfAny(runsFolder).flatMap((task) =>
    namesIfAny(path.join(runsFolder, task))
      .filter((name) => name.endsWith(ending))
      .flatMap((name) => changedAt(path.join(runsFolder, task, name))),
  );
  const found: RecordedRun[] = [];
  for (const {file, time} of journals.sort((a, b) => b.time - a.time)) {
    if (found.length >= limit) break;
    const names = headOf(file);
    if (names) found.push({...names, changed_at: new Date(time).toISOString()});
  }
  return found;
}

function changedAt(file: string): {file: string; time: number}[] {
  const found = statSync(file, {throwIfNoEntry: false});
  return found?.isFile() ? [{file, time: found.mtimeMs}] : [];
}

/** The first line names the run; the file name may be escaped. */
function headOf(file: string): {task_id: string; run_id: string} | null {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(4096);
      const [line = ''] = buffer
        .toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, 0))
        .split('\n');
      const {task_id, run_id} = JSON.parse(line);
      return typeof task_id === 'string' && typeof run_id === 'string' ? {task_id, run_id} : null;
    } finally {
      closeSync(handle);
    }
  } catch {
    // Broken, torn or deleted: the other runs can still be inspected.
    return null;
  }
}
