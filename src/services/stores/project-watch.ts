import {type FSWatcher, watch} from 'node:fs';
import path from 'node:path';
import type {ProjectFolder} from './project-folder.ts';

/** Changes in quick succession are reported together, after at most this long. */
const settleMilliseconds = 60;

/** The maximum number of task folders watched individually; others are found by polling. */
const maxTaskFolders = 64;

export type ProjectWatch = {
  /** The tasks that are running or waiting: their folders are watched closely. */
  watchTasks(folders: readonly string[]): void;
  close(): void;
};

/**
 * Reports that something in a project may have changed, shortly after it did. Where the system cannot watch, nothing is
 * reported, so callers poll as well.
 */
export function watchProject(
  {root, planFile, stateFolder, runsFolder, feedbackFolder}: ProjectFolder,
  onChange: () => void,
  /** Files elsewhere, such as the user's settings. */
  otherFiles: readonly string[] = [],
): ProjectWatch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const changed = () => {
    timer ??= setTimeout(() => {
      timer = null;
      // Folders that did not exist before may exist now.
      watchFolders();
      onChange();
    }, settleMilliseconds);
  };
  const add = (folder: string, isOurs: (name: string) => boolean) => {
    if (watchers.has(folder) || isClosed) return;
    try {
      const watcher = watch(folder, {persistent: false}, (_event, name) => {
        if (name === null || isOurs(name)) changed();
      });
      const forget = () => {
        watcher.close();
        watchers.delete(folder);
      };
      watcher.on('error', forget);
      watchers.set(folder, watcher);
    } catch {
      // It does not exist yet, or the limit of watches is reached.
    }
  };
  const isSettled = (name: string) => !name.startsWith('.') && !name.endsWith('.log');
  const names = new Set([path.basename(planFile), path.basename(stateFolder)]);
  const watchFolders = () => {
    add(root, (name) => names.has(name));
    add(stateFolder, (name) => !name.startsWith('.'));
    add(runsFolder, () => true);
    add(feedbackFolder, isSettled);
    for (const file of otherFiles) add(path.dirname(file), (name) => name === path.basename(file));
  };
  const common: ReadonlySet<string> = new Set([
    ...[root, stateFolder, runsFolder, feedbackFolder],
    ...otherFiles.map((file) => path.dirname(file)),
  ]);
  watchFolders();

  return {
    watchTasks: (folders) => {
      const wanted = new Set(folders.slice(0, maxTaskFolders));
      for (const [folder, watcher] of watchers) {
        if (common.has(folder) || wanted.has(folder)) continue;
        watcher.close();
        watchers.delete(folder);
      }
      for (const folder of wanted) add(folder, isSettled);
    },
    close: () => {
      isClosed = true;
      if (timer) clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
