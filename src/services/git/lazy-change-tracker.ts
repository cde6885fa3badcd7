import {realpathSync} from 'node:fs';
import type {ChangeTracker} from '../contracts/changes.ts';
import type {ChangeTrackerOptions} from './change-tracker.ts';
import {findRepository, noRepository} from './find-repository.ts';

/** Loads the change tracker only if there is a repository: it takes a fifth of the start-up time. */
export function createLazyChangeTracker(options: ChangeTrackerOptions): ChangeTracker {
  let loaded: Promise<ChangeTracker> | undefined;
  let isMissing = false;
  const tracker = () => {
    loaded ??= import('./change-tracker.ts').then(({createChangeTracker}) => createChangeTracker(options));
    return loaded;
  };
  const hasRepository = () => {
    try {
      return findRepository(realpathSync(options.project.root)) !== null;
    } catch {
      // The tracker runs into the same error and reports it.
      return true;
    }
  };

  return {
    snapshot: async (since) => {
      isMissing = loaded === undefined && !hasRepository();
      return isMissing ? null : (await tracker()).snapshot(since);
    },
    compose: async (spans) => (await tracker()).compose(spans),
    summarize: async (from, to) => {
      const isUnseen = isMissing && (from === null || to === null);
      if (isUnseen) return {files: [], diffstat: '', snippets: [], note: noRepository};
      return (await tracker()).summarize(from, to);
    },
    files: async (from, to) => (await tracker()).files(from, to),
    countLines: async (tree, file) => (await tracker()).countLines(tree, file),
    diff: async (from, to, options) => (await tracker()).diff(from, to, options),
    planUndo: async (change, options) => (await tracker()).planUndo(change, options),
    applyUndo: async (plan) => (await tracker()).applyUndo(plan),
    commit: async (...given) => (await tracker()).commit(...given),
  };
}
