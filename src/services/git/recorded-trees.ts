import {lstatSync, realpathSync} from 'node:fs';
import path from 'node:path';
import type {ProjectFolder} from '../stores/project-folder.ts';
import {type ChangeStore, openStore, versionOf} from './change-store.ts';
import {findRepository} from './find-repository.ts';
import {isObjectId, openRepository, type Repository} from './repository.ts';
import {createGit, type Environment, type Git, GitFailure} from './safe-git.ts';
import {storeEnvironment} from './tree-snapshot.ts';
import {makeGitFolder, withWorkFolder} from './work-folders.ts';

export type RecordedTreesOptions = {
  readonly project: ProjectFolder;
  readonly env: Environment;
  readonly timeLimitMs?: number;
};

type TreeJob<T> = (git: Git, store: ChangeStore, work: string, signal: AbortSignal) => Promise<T>;

/** The trees recorded under `.blackbird`, and the repository they may still borrow objects from. */
export function openRecordedTrees({project, env, timeLimitMs = 120_000}: RecordedTreesOptions) {
  const borrowed = new Set<string>();
  let opened: {readonly place: string; readonly repository: Promise<Repository>} | undefined;

  const repositoryOf = (top: string, signal: AbortSignal) => {
    const place = `${top}\0${placeOf(path.join(top, '.git'))}`;
    if (opened?.place !== place) opened = {place, repository: openRepository(top, {env, signal})};
    const {repository} = opened;
    repository.catch(() => {
      opened = undefined;
    });
    return repository;
  };

  const within = <T>(job: (signal: AbortSignal) => Promise<T>) => withinLimit(timeLimitMs, job);

  return {
    borrowed,
    repositoryOf,
    within,
    /** Git on recorded trees; the repository is needed only for objects that are still borrowed. */
    withTrees: <T>(tree: string, job: TreeJob<T>): Promise<T> =>
      within(async (signal) => {
        const root = realpathSync(project.root);
        const top = findRepository(root);
        // A repository that cannot be opened lends nothing; git names the missing object.
        const repository = top === null ? null : await repositoryOf(top, signal).catch(() => null);
        if (repository) borrowed.add(repository.objects);
        const store = await openStore(project);
        return await withWorkFolder(store, async (work) => {
          const objectFormat = tree.length === 40 ? 'sha1' : 'sha256';
          const nothing = {ignoreCase: false, excludesFile: '', infoExclude: ''};
          const gitFolder = makeGitFolder(work, {objectFormat, ...nothing});
          const settings = {env, top: top ?? root, gitFolder, store, borrowed};
          return await job(
            createGit({cwd: work, signal, env: storeEnvironment(settings)}),
            store,
            work,
            signal,
          );
        });
      }),
  };
}

/** Changes if `.git` becomes a different folder or points to one. */
function placeOf(git: string): string {
  const found = lstatSync(git, {throwIfNoEntry: false});
  return found?.isDirectory() ? `folder ${found.ino}` : versionOf(git);
}

export function checkIds(...ids: readonly string[]): void {
  if (!ids.every(isObjectId))
    throw new GitFailure('failed', 'the run record does not hold the ids of two trees');
}

async function withinLimit<T>(milliseconds: number, job: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(new GitFailure('slow', `git took longer than ${milliseconds / 1000} s`));
  }, milliseconds);
  try {
    return await job(limit.signal);
  } finally {
    clearTimeout(timer);
    // After a failure, its other calls may still be running.
    limit.abort(new GitFailure('failed', 'git was stopped'));
  }
}
