import {createHash} from 'node:crypto';
import {realpathSync} from 'node:fs';
import path from 'node:path';
import {AppError} from '../contracts/errors.ts';
import type {Repository} from '../contracts/session.ts';
import {runProgram} from '../system/run-program.ts';

type Env = Readonly<Record<string, string | undefined>>;
type GitResult = {readonly code: number; readonly stdout: string; readonly stderr: string};

export type NewWorktree = {
  readonly root: string;
  readonly path: string;
  readonly branch: string;
  /** The full id of the commit to start from. */
  readonly commit: string;
};

/** Commits that only one branch, or nothing, would reach once the worktree is gone. */
export type UnmergedCommits = {
  readonly count: number;
  /** How many of them the branch does not contain either. */
  readonly unbranched: number;
  readonly head: string;
};

export type Worktrees = ReturnType<typeof createWorktrees>;

/** The git operations sessions need. Everything that only reads runs with hooks and fsmonitor off. */
export function createWorktrees(env: Env) {
  const git = async (folder: string, args: readonly string[], settings: readonly string[] = []) => {
    const all = ['-C', folder, ...settings.flatMap((setting) => ['-c', setting]), ...args];
    const result = await runProgram({file: 'git', args: all, env: gitEnvironment(env), timeLimitMs});
    if (result.type === 'notFound') {
      throw new AppError('E_GIT_NOT_INSTALLED', 'git is not installed or not on PATH');
    }
    if (result.type === 'failed')
      throw new AppError('E_GIT_FAILED', `git ${args[0]} failed: ${result.reason}`);
    return result;
  };
  const read = (folder: string, args: readonly string[]) => git(folder, args, readOnly);
  const mustRead = async (folder: string, args: readonly string[]) => {
    const result = await read(folder, args);
    if (result.code !== 0) throw gitFailure(args, result);
    return result.stdout.trimEnd();
  };

  /** A failure is ignored: it was never created, or the user has it in use. */
  const takeBack = async ({root, path: place, branch, commit}: NewWorktree): Promise<void> => {
    await git(root, ['worktree', 'remove', '--force', '--force', place], readOnly);
    await git(root, ['update-ref', '-d', `refs/heads/${branch}`, commit], readOnly);
  };

  return {
    /** The repository around a folder, the same for all its worktrees. */
    repositoryAt: async (folder: string): Promise<Repository> => {
      const found = await read(folder, ['rev-parse', '--git-common-dir']);
      if (found.code !== 0) {
        throw new AppError('E_NO_REPO', 'not inside a git repository', {details: [['git', gitError(found)]]});
      }
      const common = realpathSync(path.resolve(folder, found.stdout.replace(/\n$/, '')));
      const isPlain = path.basename(common) === '.git';
      const top = isPlain ? null : await read(folder, ['rev-parse', '--show-toplevel']);
      const root = isPlain ? path.dirname(common) : top?.stdout.trim() || common;
      const origin = await read(folder, ['config', '--get', 'remote.origin.url']);
      const originUrl = origin.code === 0 ? origin.stdout.trim() : null;
      return {root, originUrl, ...repositoryIdentity(originUrl, isPlain ? root : common)};
    },

    /** The branch that is checked out; null if there is none. */
    currentBranch: async (folder: string): Promise<string | null> => {
      const {code, stdout} = await read(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
      return code === 0 ? stdout.trim() : null;
    },
    /** False in a bare repository and inside `.git`. */
    isCheckout: async (folder: string): Promise<boolean> =>
      (await read(folder, ['rev-parse', '--is-inside-work-tree'])).stdout.trim() === 'true',
    hasCommits: async (folder: string): Promise<boolean> =>
      (await read(folder, ['rev-list', '--all', '--max-count=1'])).stdout.trim() !== '',
    /** The commit of a local branch; null if it does not exist. */
    branchCommit: async (folder: string, branch: string): Promise<string | null> => {
      // By its full name, so a branch is never taken for an option or an expression.
      const shown = await read(folder, ['show-ref', '--verify', '--hash', `refs/heads/${branch}`]);
      return shown.code === 0 ? shown.stdout.trim() : null;
    },
    /** Changed and new files of a worktree, as git lists them, without ignored files. */
    changes: async (worktree: string): Promise<readonly string[]> => {
      const args = ['status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=none'];
      const listed = await mustRead(worktree, args);
      return listed === '' ? [] : listed.split('\n');
    },
    /** `worktree` is null when the folder is gone and only the branch is left. */
    unmergedCommits: async (
      root: string,
      worktree: string | null,
      branch: string,
    ): Promise<UnmergedCommits | null> => {
      const tip = (
        await read(root, ['show-ref', '--verify', '--hash', `refs/heads/${branch}`])
      ).stdout.trim();
      const head =
        worktree === null ? tip : await mustRead(worktree, ['rev-parse', '--verify', 'HEAD^{commit}']);
      if (head === '') return null;
      const elsewhere = [`--exclude=${branch}`, '--branches', '--tags', '--remotes'];
      const known = tip === '' ? [] : [tip];
      const among = async (...commits: readonly string[]) =>
        Number(await mustRead(root, ['rev-list', '--count', ...commits, ...elsewhere]));
      const count = await among(head, ...known, '--not');
      return count === 0 ? null : {count, unbranched: await among(head, '--not', ...known), head};
    },

    /** Hooks and filters run as for `git worktree add`: large files may depend on them. */
    add: async (worktree: NewWorktree): Promise<void> => {
      const {root, path: place, branch, commit} = worktree;
      const args = ['worktree', 'add', '--quiet', '--no-track', '-b', branch, '--', place, commit];
      const known = await read(root, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`]);
      if (known.code === 0) throw createFailure(`a branch named '${branch}' already exists`);
      const result = await git(root, args);
      if (result.code === 0) return;
      // A checkout that failed half-way leaves its branch behind.
      await takeBack(worktree);
      throw createFailure(gitError(result));
    },
    /** Undoes `add`. The branch is deleted only if it has not moved. */
    takeBack,
    /** Only removes what git knows as a worktree; one whose folder is gone is pruned. */
    remove: async (root: string, worktree: string): Promise<void> => {
      const result = await git(root, ['worktree', 'remove', '--force', worktree], readOnly);
      if (result.code !== 0 && !/is not a working tree/.test(result.stderr)) throw removeFailure(result);
    },
  };
}

/** Checking out a large repository can take minutes. */
const timeLimitMs = 10 * 60_000;

const readOnly = ['core.hooksPath=/dev/null', 'core.fsmonitor=false'];

/** Our environment, without what a surrounding git (a hook, an alias) says about its own repository. */
function gitEnvironment(env: Env): Env {
  const foreign =
    /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES)$/;
  const own = Object.entries(env).filter(([name]) => !foreign.test(name));
  return {...Object.fromEntries(own), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0'};
}

/** GitHub repositories keep their identity wherever they are cloned; others are identified by their path. */
export function repositoryIdentity(
  originUrl: string | null,
  place: string,
): Pick<Repository, 'repoId' | 'repoKey'> {
  const github = /^(?:git@github\.com:|https:\/\/github\.com\/)([\w.-]+)\/([\w.-]+?)(?:\.git)?$/.exec(
    originUrl ?? '',
  );
  const repoKey = github ? `github:${github[1]}/${github[2]}` : `path:${sha256(place)}`;
  return {repoKey, repoId: sha256(repoKey).slice(0, 16)};
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const gitError = ({code, stderr}: GitResult) => stderr.trim().slice(0, 2000) || `exit code ${code}`;

function gitFailure(args: readonly string[], result: GitResult): AppError {
  return new AppError('E_GIT_FAILED', `git ${args[0]} failed: ${gitError(result)}`);
}

function createFailure(reason: string): AppError {
  return new AppError('E_WORKTREE_CREATE_FAILED', `git worktree add failed: ${reason}`);
}

function removeFailure(result: GitResult): AppError {
  return new AppError('E_WORKTREE_REMOVE_FAILED', `git worktree remove failed: ${gitError(result)}`);
}
