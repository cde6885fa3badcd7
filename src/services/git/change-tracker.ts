import {realpathSync} from 'node:fs';
import path from 'node:path';
import type {ChangeTracker, ReviewRules, ReviewSummary} from '../contracts/changes.ts';
import {AppError, messageOf} from '../contracts/errors.ts';
import type {ProjectFolder} from '../stores/project-folder.ts';
import {openStore} from './change-store.ts';
import {commitChange} from './commit-change.ts';
import {committingGit} from './commit-checks.ts';
import {composeTrees, joinSpans} from './compose-trees.ts';
import {findRepository, noRepository} from './find-repository.ts';
import {lostFiles} from './lost-files.ts';
import {notableFiles} from './notable-files.ts';
import {checkIds, openRecordedTrees} from './recorded-trees.ts';
import {lookingGit} from './repository.ts';
import {type Environment, GitFailure} from './safe-git.ts';
import {countLines, listChanges, observeChange, renderDiff, verifyTrees} from './tree-diff.ts';
import {type WrittenTrees, writeTree} from './tree-snapshot.ts';
import {applyUndo, planUndo} from './undo-merge.ts';
import {ForgedObject} from './verify-objects.ts';
import {withWorkFolder} from './work-folders.ts';

export type ChangeTrackerOptions = {
  readonly project: ProjectFolder;
  readonly env: Environment;
  readonly rules: ReviewRules;
  readonly timeLimitMs?: number;
};

/** Tracks changes to the project's files with git, recorded under `.blackbird`. */
export function createChangeTracker({
  project,
  env,
  rules,
  timeLimitMs = 120_000,
}: ChangeTrackerOptions): ChangeTracker {
  const {borrowed, repositoryOf, within, withTrees} = openRecordedTrees({project, env, timeLimitMs});
  const written: WrittenTrees = new Map();
  let problem = 'the files were not recorded';

  const minimal = (note: string): ReviewSummary => ({files: [], diffstat: '', snippets: [], note});

  const snapshot: ChangeTracker['snapshot'] = async (since = null) => {
    try {
      return await within(async (signal) => {
        const root = realpathSync(project.root);
        const top = findRepository(root);
        if (top === null) throw new GitFailure('missing', noRepository);
        const repository = await repositoryOf(top, signal);
        const store = await openStore(project);
        const leftOut = [project.stateFolder, project.planFile].map((file) =>
          path.relative(top, path.join(root, path.relative(project.root, file))),
        );
        return await withWorkFolder(store, (work) =>
          writeTree(repository, {store, work, env, signal, borrowed, written, since}, {leftOut}),
        );
      });
    } catch (error) {
      // The run continues without a summary; its note says what went wrong.
      problem = messageOf(error);
      return null;
    }
  };

  const filesNow = async (since: string): Promise<string> => {
    const now = await snapshot(since);
    if (now === null) throw notUndone(problem);
    return now;
  };
  const top = () => {
    const root = realpathSync(project.root);
    return findRepository(root) ?? root;
  };

  return {
    snapshot,

    compose: async (spans) => {
      const [first] = spans;
      if (first === undefined) throw unavailable(new GitFailure('failed', problem));
      const joined = joinSpans(spans);
      if (joined.length < 2) return joined[0] ?? {from: first.from, to: first.from};
      try {
        checkIds(...joined.flatMap(({from, to}) => [from, to]));
        return await withTrees(first.from, async (git, _store, work) => {
          for (const span of joined) await verifyTrees(git, span);
          return composeTrees(git, joined, work);
        });
      } catch (error) {
        throw unavailable(error);
      }
    },

    summarize: async (from, to) => {
      if (from === null || to === null) return minimal(problem);
      if (from === to) return {files: [], total_files: 0, diffstat: '', snippets: []};
      try {
        checkIds(from, to);
        return await withTrees(from, async (git, store, _work, signal) => {
          const {observed, deleted, problem} = await observeChange(git, {from, to}, {rules, store});
          const user = lookingGit(top(), env, signal);
          const lost = await lostFiles(deleted, {user, recorded: git});
          const notable = [...lost, ...notableFiles(top(), observed.files)];
          const summary = rules.summarize({...observed, notable});
          return problem === null ? summary : {...summary, note: `not kept for later: ${problem}`};
        });
      } catch (error) {
        return minimal(messageOf(error));
      }
    },

    files: async (from, to) => {
      try {
        checkIds(from, to);
        if (from === to) return [];
        return await withTrees(from, async (git) => {
          await verifyTrees(git, {from, to});
          return listChanges(git, {from, to});
        });
      } catch (error) {
        throw unavailable(error);
      }
    },

    countLines: async (tree, file) => {
      try {
        checkIds(tree);
        return await withTrees(tree, (git) => countLines(git, tree, file));
      } catch (error) {
        throw unavailable(error);
      }
    },

    diff: async (from, to, {stat}) => {
      try {
        checkIds(from, to);
        if (from === to) return '';
        return await withTrees(from, async (git) => {
          await verifyTrees(git, {from, to});
          return renderDiff(git, {from, to}, {stat});
        });
      } catch (error) {
        throw error instanceof AppError ? error : unavailable(error);
      }
    },

    planUndo: async ({from, to}, {isForced}) => {
      try {
        checkIds(from, to);
        const now = await filesNow(to);
        return await withTrees(from, async (git, _store, work) => {
          await verifyTrees(git, {from, to});
          return planUndo({from, to}, {git, work, top: top(), now, isForced});
        });
      } catch (error) {
        throw error instanceof AppError ? error : notUndone(messageOf(error));
      }
    },

    applyUndo: async ({from, to}) => {
      try {
        const now = await filesNow(from);
        await withTrees(from, async (git, _store, work) => {
          await verifyTrees(git, {from, to});
          await applyUndo({from, to}, {git, work, top: top(), now});
        });
      } catch (error) {
        throw error instanceof AppError ? error : notUndone(messageOf(error));
      }
    },

    commit: async (change, request, undone) => {
      try {
        checkIds(change.from, change.to, ...(undone ? [undone.from, undone.to, undone.now] : []));
        return await withTrees(change.from, async (store, _store, work, signal) => {
          await verifyTrees(store, change);
          if (undone) await verifyTrees(store, undone);
          const user = (cwd: string, more = {}) => committingGit({top: top(), env, signal, cwd, more});
          return commitChange(change, undone ?? null, request, {store, user, work, top: top()});
        });
      } catch (error) {
        return {skipped: messageOf(error)};
      }
    },
  };
}

const notUndone = (reason: string) =>
  new AppError('E_UNDO_REFUSED', `the change cannot be undone: ${reason}`);

function unavailable(error: unknown): AppError {
  const hint = error instanceof GitFailure && error.kind === 'large' ? '; --stat shows its files' : '';
  const message = `the change cannot be shown: ${inWords(messageOf(error))}${hint}`;
  if (!(error instanceof ForgedObject)) return new AppError('E_DIFF_UNAVAILABLE', message);
  return new AppError('E_DIFF_UNAVAILABLE', message, {
    next: [
      {command: 'git diff', why: 'see the files themselves'},
      {command: 'git fsck', why: 'check your own repository'},
    ],
  });
}

/** Borrowed objects are lost when the repository is replaced or cleaned up. */
const inWords = (reason: string) =>
  /bad object|not a valid object|not a tree object|unable to read tree/i.test(reason)
    ? 'git no longer has the recorded files of this task; its repository was replaced or cleaned up'
    : reason;
