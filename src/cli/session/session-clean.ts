import {existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {sessionName} from '../../machines/policies/session/session-names.ts';
import {archivedAt} from '../../machines/policies/session/session-refs.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {AppError, messageOf} from '../../services/contracts/errors.ts';
import type {SessionMeta} from '../../services/contracts/session.ts';
import type {UnmergedCommits} from '../../services/git/worktrees.ts';
import {isFolder} from '../../services/sessions/agency-config.ts';
import type {Sessions} from './session-composition.ts';

export type CleanResult = {
  readonly isNew: boolean;
  /** Commits that nothing refers to any more, because the user insisted. */
  readonly lost: UnmergedCommits | null;
};

/**
 * Archives a run: ends its session, removes its worktree, keeps its branch and record. Refuses if work would
 * be lost or left on that branch only, unless forced.
 */
export async function cleanRun(
  sessions: Sessions,
  run: SessionMeta,
  {force}: {force: boolean},
): Promise<CleanResult> {
  await sessions.lock.acquire(run.repo_id);
  try {
    return await archive(sessions, await asItIsNow(sessions, run), force);
  } finally {
    await sessions.lock.release();
  }
}

/** Another process may have archived it while we waited for the lock. */
async function asItIsNow({store}: Sessions, run: SessionMeta): Promise<SessionMeta> {
  const entries = await store.list();
  return entries.find(({runId, repoId}) => runId === run.run_id && repoId === run.repo_id)?.meta ?? run;
}

async function archive(sessions: Sessions, run: SessionMeta, force: boolean): Promise<CleanResult> {
  const {events, store, tmux, worktrees} = sessions;
  const worktree = ownWorktree(sessions, run);
  if (worktree === null && archivedAt(run) !== '') return {isNew: false, lost: null};
  // Git would use the next repository above it.
  if (worktree !== null && !existsSync(path.join(worktree, '.git'))) throw leftBehind(run);
  const root = await repositoryRoot(sessions, run, worktree);
  // Without its repository, git can neither tell what is in it nor remove it.
  if (worktree !== null && root === null) throw leftBehind(run);
  const lost = await checkLosses(sessions, run, {root, worktree, force});
  const name = sessionName(run.run_id);
  await events.append(run, {event: 'clean_started', data: {session_name: name, force}});
  try {
    await tmux.killSession(name);
    // The agent may have worked until now.
    await checkLosses(sessions, run, {root, worktree, force});
    if (root !== null) await worktrees.remove(root, run.worktree_path);
    if (isFolder(run.worktree_path)) throw leftBehind(run);
    await store.update(run, {archive: {archived_at: sessions.now()}});
  } catch (error) {
    await events.append(run, {event: 'clean_failed', data: {reason: messageOf(error)}});
    throw error;
  }
  await events.append(run, {event: 'clean_finished', data: {ok: true}});
  return {isNew: true, lost};
}

/** The worktree, if it exists. A record that points anywhere but to its own worktree is refused. */
function ownWorktree({store}: Sessions, run: SessionMeta): string | null {
  if (!isFolder(run.worktree_path)) return null;
  const own = store.worktreePath(run.repo_id, run.run_id);
  if (isFolder(own) && realpathSync(own) === realpathSync(run.worktree_path)) return run.worktree_path;
  throw new AppError(
    'E_STORE_UNSAFE',
    `${run.worktree_path} is not the worktree of this run; nothing was removed`,
    {
      details: [['expected', own]],
    },
  );
}

async function repositoryRoot(
  {worktrees, repos}: Sessions,
  run: SessionMeta,
  worktree: string | null,
): Promise<string | null> {
  for (const folder of [worktree ?? '', run.repo_root, repos.rootOf(run.repo_id)].filter(isFolder)) {
    try {
      return (await worktrees.repositoryAt(folder)).root;
    } catch (error) {
      // A folder that is no longer a repository has no worktrees either.
      if (!(error instanceof AppError) || error.code !== 'E_NO_REPO') throw error;
    }
  }
  return null;
}

async function checkLosses(
  {worktrees}: Sessions,
  run: SessionMeta,
  {root, worktree, force}: {root: string | null; worktree: string | null; force: boolean},
): Promise<UnmergedCommits | null> {
  if (root === null) return null;
  const changes = worktree === null || force ? [] : await worktrees.changes(worktree);
  if (changes.length > 0) {
    const shown = changes.slice(0, 10).join('\n');
    throw new AppError('E_DIRTY_WORKTREE', 'worktree has uncommitted changes; use --force to discard them', {
      details: [['changes', changes.length > 10 ? `${shown}\n… ${changes.length - 10} more` : shown]],
    });
  }
  const unmerged = await worktrees.unmergedCommits(root, worktree, run.branch).catch((error: unknown) => {
    if (force) return null;
    throw error;
  });
  if (unmerged === null || force) return unmerged && unmerged.unbranched > 0 ? unmerged : null;
  const {count, unbranched, head} = unmerged;
  const message =
    unbranched === 0
      ? `${commitsAre(count)} only on branch ${run.branch}; merge or push first, or use --force (the branch is kept)`
      : `${commitsAre(unbranched)} on no branch at all; use --force to lose ${unbranched === 1 ? 'it' : 'them'}`;
  throw new AppError('E_UNMERGED_COMMITS', message, {
    details: [
      ['branch', run.branch],
      ['head', head],
    ],
  });
}

export const commitsAre = (count: number): string => counted(count, 'commit is', 'commits are');

function leftBehind(run: SessionMeta): AppError {
  return new AppError(
    'E_WORKTREE_REMOVE_FAILED',
    `${run.worktree_path} is not a worktree that git knows; look at it and remove it yourself`,
  );
}
