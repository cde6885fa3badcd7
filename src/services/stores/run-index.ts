import {statSync} from 'node:fs';
import path from 'node:path';
import {setImmediate as nextTurn} from 'node:timers/promises';
import type {BrokenRun, RunRecord, RunStore} from '../contracts/run.ts';
import {namesIfAny} from './folder-names.ts';
import {taskFolderName} from './task-folder.ts';

/** Within this time a folder may change again with the same timestamp: file system clocks are coarse. */
const coarseMilliseconds = 50;

type Known<T> = {readonly changed: number; readonly value: T};

/**
 * A digest of every task's runs, cached until something changes: polling a project of thousands of tasks
 * reads only what is new. `digest` reduces all runs of a task to what is worth keeping.
 */
export function createRunIndex<T>({
  folder,
  runs,
  digest,
}: {
  readonly folder: string;
  readonly runs: Pick<RunStore, 'list'>;
  readonly digest: (runs: readonly RunRecord[], broken: readonly BrokenRun[]) => T;
}) {
  let known = new Map<string, Known<T>>();
  const digested = async (taskId: string) => {
    const found = await runs.list(taskId);
    return digest(found.runs, found.broken);
  };

  return {
    /** The tasks that have runs. Yields between tasks, so that keys are handled while it reads. */
    read: async (taskIds: Iterable<string>): Promise<ReadonlyMap<string, T>> => {
      const present = new Set(namesIfAny(folder));
      const next = new Map<string, Known<T>>();
      const found = new Map<string, T>();
      let readSince = performance.now();
      for (const id of taskIds) {
        const name = taskFolderName(id);
        if (!present.has(name)) continue;
        const changed = changeOf(path.join(folder, name));
        if (changed === null) continue;
        const before = known.get(id);
        const isFresh = before?.changed === changed && Date.now() - changed > coarseMilliseconds;
        const entry = isFresh ? before : {changed, value: await digested(id)};
        next.set(id, entry);
        found.set(id, entry.value);
        if (performance.now() - readSince > 8) {
          await nextTurn();
          readSince = performance.now();
        }
      }
      known = next;
      return found;
    },
  };
}

/** When a record was added or replaced; null if it is not a folder. */
function changeOf(folder: string): number | null {
  const stats = statSync(folder, {throwIfNoEntry: false});
  return stats?.isDirectory() ? stats.mtimeMs : null;
}
