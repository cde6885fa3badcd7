import {
  branchName,
  checkSessionName,
  newRunId,
  sessionName,
} from '../../machines/policies/session/session-names.ts';
import {archivedAt} from '../../machines/policies/session/session-refs.ts';
import {terminalRequired} from '../../machines/policies/session/session-resume.ts';
import {defaultRunner} from '../../machines/policies/session/session-runner.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Repository, SessionMeta} from '../../services/contracts/session.ts';
import type {NewWorktree, Worktrees} from '../../services/git/worktrees.ts';
import {checkedCommand, configAt} from './runner-command.ts';
import type {Sessions} from './session-composition.ts';

export type StartRequest = {
  readonly name: string;
  readonly runner: string | undefined;
  readonly parent: string | undefined;
  readonly detached: boolean;
  /** Four hexadecimal digits. */
  readonly suffix: string;
};

export type StartedRun = {readonly run: SessionMeta; readonly unseen: readonly string[]};

/**
 * Creates a run: its record, branch and worktree. Everything that can be checked is checked first; the record
 * is written before the worktree, so no worktree is ever left without one.
 */
export async function createRun(sessions: Sessions, request: StartRequest): Promise<StartedRun> {
  const {cwd, env, store, worktrees, tmux, lock, repos} = sessions;
  const {name, suffix} = request;
  checkSessionName(name);
  const repository = await worktrees.repositoryAt(cwd);
  const config = configAt(repository.root);
  const runner = request.runner ?? config.runner ?? defaultRunner;
  const searchPath = env.PATH ?? '';
  checkedCommand(config, runner, {worktree: null, searchPath});
  const parent = await parentOf(sessions, repository, request.parent ?? config.parentBranch);
  const unseen = await unseenChanges(sessions, parent.branch);
  const createdAt = sessions.now();
  const runId = newRunId(createdAt, suffix);
  if (await tmux.hasSession(sessionName(runId))) {
    throw new AppError('E_TMUX_FAILED', `tmux session '${sessionName(runId)}' already exists`);
  }
  if (!request.detached && !sessions.terminal.canAttach) throw terminalRequired();

  const run: SessionMeta = {
    schema_version: '1.0',
    run_id: runId,
    repo_id: repository.repoId,
    name,
    runner,
    parent_branch: parent.branch,
    branch: branchName(name, runId),
    worktree_path: store.worktreePath(repository.repoId, runId),
    created_at: createdAt,
    repo_root: repository.root,
    tmux_session_name: sessionName(runId),
  };
  await store.prepare(run.repo_id);
  await lock.acquire(run.repo_id);
  try {
    await refuseDouble(sessions, run);
    await store.create(run);
    try {
      await repos.remember(repository);
      await addWorktree(
        worktrees,
        {root: repository.root, path: run.worktree_path, branch: run.branch, commit: parent.commit},
        () => checkedCommand(config, runner, {worktree: run.worktree_path, searchPath}),
      );
    } catch (error) {
      await store.discard(run);
      throw error;
    }
  } finally {
    await lock.release();
  }
  return {run, unseen};
}

/** A worktree that turns out to be unusable is removed. */
async function addWorktree(worktrees: Worktrees, place: NewWorktree, check: () => void): Promise<void> {
  await worktrees.add(place);
  try {
    check();
  } catch (error) {
    await worktrees.takeBack(place);
    throw error;
  }
}

/** Changes in the user's checkout that a session would not see; empty if it sees everything. */
async function unseenChanges({cwd, worktrees}: Sessions, parent: string): Promise<readonly string[]> {
  const isParent = (await worktrees.currentBranch(cwd)) === parent;
  return isParent && (await worktrees.isCheckout(cwd)) ? worktrees.changes(cwd) : [];
}

async function parentOf(
  {cwd, worktrees}: Sessions,
  {root}: Repository,
  asked: string | null,
): Promise<{branch: string; commit: string}> {
  if (!(await worktrees.hasCommits(root))) {
    throw new AppError('E_EMPTY_REPO', 'repository has no commits; create an initial commit first');
  }
  const branch = asked ?? (await worktrees.currentBranch(cwd));
  if (branch === null) {
    throw new AppError('E_PARENT_BRANCH_NOT_FOUND', 'current branch is empty; provide --parent');
  }
  const commit = await worktrees.branchCommit(root, branch);
  if (commit !== null) return {branch, commit};
  throw new AppError(
    'E_PARENT_BRANCH_NOT_FOUND',
    `local branch '${branch}' not found; checkout or fetch parent locally (no auto-fetch in v1)`,
  );
}

async function refuseDouble({store}: Sessions, run: SessionMeta): Promise<void> {
  const others = (await store.list()).filter(({repoId}) => repoId === run.repo_id);
  const taken = others.find(({meta}) => meta?.name === run.name && archivedAt(meta) === '');
  if (!taken) return;
  throw new AppError('E_NAME_EXISTS', `name '${run.name}' is already used by an active run`, {
    details: [['run', taken.runId]],
  });
}
