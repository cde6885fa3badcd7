import {sessionName} from '../../machines/policies/session/session-names.ts';
import {archivedAt} from '../../machines/policies/session/session-refs.ts';
import {type SessionStatus, sessionStatus} from '../../machines/policies/session/session-status.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {SessionEntry} from '../../services/contracts/session.ts';
import {isFolder} from '../../services/sessions/agency-config.ts';
import type {Sessions} from './session-composition.ts';

/** A session as `ls` and `show` display it, with the fields of `--json`. */
export type SessionView = {
  readonly run_id: string;
  readonly repo_id: string;
  readonly name: string;
  readonly status: SessionStatus;
  readonly runner: string;
  readonly parent_branch: string;
  readonly branch: string;
  readonly worktree_path: string;
  readonly repo_root: string;
  readonly session_name: string;
  readonly session_exists: boolean;
  readonly created_at: string;
  readonly archived_at: string | null;
  readonly last_event: string | null;
  /** Why the record cannot be used. */
  readonly problem: string | null;
};

export async function viewsOf(
  {tmux, events}: Pick<Sessions, 'tmux' | 'events'>,
  entries: readonly SessionEntry[],
): Promise<SessionView[]> {
  const running = new Set(entries.length === 0 ? [] : await runningSessions(tmux));
  return Promise.all(
    entries.map(async (entry) => {
      const {meta, runId, repoId} = entry;
      const session = sessionName(runId);
      const lastEvent = meta ? await events.last(meta) : null;
      const hasSession = running.has(session);
      const hasWorktree = isFolder(meta?.worktree_path ?? '');
      return {
        run_id: runId,
        repo_id: repoId,
        name: meta?.name ?? '',
        status: sessionStatus(entry, {hasWorktree, hasSession, lastEvent}),
        runner: meta?.runner ?? '',
        parent_branch: meta?.parent_branch ?? '',
        branch: meta?.branch ?? '',
        worktree_path: meta?.worktree_path ?? '',
        repo_root: meta?.repo_root ?? '',
        session_name: session,
        session_exists: hasSession,
        created_at: meta?.created_at ?? '',
        archived_at: meta ? archivedAt(meta) || null : null,
        last_event: lastEvent,
        problem: entry.problem,
      };
    }),
  );
}

/** Shell completions for a session: names, and ids once the user begins to type one. */
export async function sessionCandidatesOf({
  store,
}: Pick<Sessions, 'store'>): Promise<Array<{value: string; about: string}>> {
  const entries = await store.list();
  return entries.flatMap(({runId, meta}) => {
    const about = meta?.branch ?? 'broken';
    const isNamed = meta !== null && archivedAt(meta) === '' && /^[a-z][a-z0-9-]*$/.test(meta.name);
    return [...(isNamed ? [{value: meta.name, about}] : []), {value: runId, about}];
  });
}

async function runningSessions(tmux: Sessions['tmux']): Promise<readonly string[]> {
  try {
    return await tmux.listSessions();
  } catch (error) {
    // Without tmux no session runs.
    if (error instanceof AppError && error.code === 'E_TMUX_NOT_INSTALLED') return [];
    throw error;
  }
}
