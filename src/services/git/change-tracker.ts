import {realpathSync} from 'node:fs';
import path from 'node:path';
import type {ChangeTracker, ReviewRules, ReviewSummary} from '../contracts/changes.ts';
import {AppError, messageOf} from '../contracts/errors.ts';
import type {ProjectFolder} from '../stores/project-folder.ts';
import {type ChangeStore, makeGitFolder, openStore, withWorkFolder} from './change-store.ts';
import {composeTrees, joinSpans} from './compose-trees.ts';
import {findRepository, noRepository} from './find-repository.ts';
import {notableFiles} from './notable-files.ts';
import {isObjectId, openRepository, type Repository} from './repository.ts';
import {createGit, type Environment, type Git, GitFailure} from './safe-git.ts';
import {keepObjects, listChanges, observeChange, renderDiff} from './tree-diff.ts';
import {storeEnvironment, writeTree} from './tree-snapshot.ts';

export type ChangeTrackerOptions = {
  readonly project: ProjectFolder;
  readonly env: Environment;
  readonly rules: ReviewRules;
  readonly timeLimitMs?: number;
};

/** Changes of the project's files, seen by git and recorded under `.blackbird`. */
export function createChangeTracker({
  project,
  env,
  rules,
  timeLimitMs = 120_000,
}: ChangeTrackerOptions): ChangeTracker {
  const borrowed = new Set<string>();
  let opened: {readonly top: string; readonly repository: Promise<Repository>} | undefined;
  let problem = 'the files were not recorded';

  const repositoryOf = (top: string, signal: AbortSignal) => {
    if (opened?.top !== top) opened = {top, repository: openRepository(top, {env, signal})};
    const {repository} = opened;
    repository.catch(() => {
      opened = undefined;
    });
    return repository;
  };

  /** Git on recorded trees; the repository is only where objects may still have to be borrowed from. */
  const withTrees = <T>(
    tree: string,
    job: (git: Git, store: ChangeStore, work: string) => Promise<T>,
  ): Promise<T> =>
    withinLimit(timeLimitMs, async (signal) => {
      const root = realpathSync(project.root);
      const top = findRepository(root);
      // One that cannot be opened lends nothing; whatever is missing then, git names.
      const repository = top === null ? null : await repositoryOf(top, signal).catch(() => null);
      if (repository) borrowed.add(repository.objects);
      const store = await openStore(project);
      return await withWorkFolder(store, async (work) => {
        const objectFormat = tree.length === 40 ? 'sha1' : 'sha256';
        const nothing = {ignoreCase: false, excludesFile: '', infoExclude: ''};
        const gitFolder = makeGitFolder(work, {objectFormat, ...nothing});
        const settings = {env, top: top ?? root, gitFolder, store, borrowed};
        return await job(createGit({cwd: work, signal, env: storeEnvironment(settings)}), store, work);
      });
    });

  const minimal = (note: string): ReviewSummary => ({files: [], diffstat: '', snippets: [], note});

  return {
    snapshot: async (since = null) => {
      try {
        return await withinLimit(timeLimitMs, async (signal) => {
          const root = realpathSync(project.root);
          const top = findRepository(root);
          if (top === null) throw new GitFailure('missing', noRepository);
          const repository = await repositoryOf(top, signal);
          const store = await openStore(project);
          const leftOut = [project.stateFolder, project.planFile].map((file) =>
            path.relative(top, path.join(root, path.relative(project.root, file))),
          );
          return await withWorkFolder(store, (work) =>
            writeTree(
              repository,
              {store, work, env, signal, borrowed, keepIgnored: since !== null},
              {leftOut},
            ),
          );
        });
      } catch (error) {
        // A run goes on without its summary; the note in it tells what was wrong.
        problem = messageOf(error);
        return null;
      }
    },

    compose: async (spans) => {
      const [first] = spans;
      if (first === undefined) throw unavailable(problem);
      const joined = joinSpans(spans);
      if (joined.length < 2) return joined[0] ?? {from: first.from, to: first.from};
      try {
        checkIds(...joined.flatMap(({from, to}) => [from, to]));
        return await withTrees(first.from, (git, _store, work) => composeTrees(git, joined, work));
      } catch (error) {
        throw unavailable(messageOf(error));
      }
    },

    summarize: async (from, to) => {
      if (from === null || to === null) return minimal(problem);
      if (from === to) return {files: [], total_files: 0, diffstat: '', snippets: []};
      try {
        checkIds(from, to);
        return await withTrees(from, async (git, store) => {
          const observed = await observeChange(git, {from, to}, rules);
          const root = realpathSync(project.root);
          const notable = notableFiles(findRepository(root) ?? root, observed.files);
          const summary = rules.summarize({...observed, notable});
          const problem = await keepObjects(git, {from, to}, store).then(() => null, messageOf);
          return problem === null ? summary : {...summary, note: `not kept for later: ${problem}`};
        });
      } catch (error) {
        return minimal(messageOf(error));
      }
    },

    files: async (from, to) => {
      try {
        checkIds(from, to);
        return from === to ? [] : await withTrees(from, (git) => listChanges(git, {from, to}));
      } catch (error) {
        throw unavailable(messageOf(error));
      }
    },

    diff: async (from, to, {stat}) => {
      try {
        checkIds(from, to);
        if (from === to) return '';
        return await withTrees(from, (git) => renderDiff(git, {from, to}, {stat}));
      } catch (error) {
        if (error instanceof AppError) throw error;
        const hint = error instanceof GitFailure && error.kind === 'large' ? '; --stat shows its files' : '';
        throw unavailable(`${messageOf(error)}${hint}`);
      }
    },
  };
}

const unavailable = (reason: string) =>
  new AppError('E_DIFF_UNAVAILABLE', `the change cannot be shown: ${reason}`);

function checkIds(...ids: readonly string[]): void {
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
    // After a failure, others of its calls may still be at work.
    limit.abort(new GitFailure('failed', 'git was stopped'));
  }
}
