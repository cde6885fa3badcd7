import type {SessionEntry} from '../../../services/contracts/session.ts';
import {archivedAt} from './session-refs.ts';

export type SessionStatus =
  | 'broken'
  | 'archived'
  | 'worktree missing'
  | 'needs attention'
  | 'active'
  | 'idle';

/** What is known about a run: its folder, its session and its last event. */
export type SessionFacts = {
  readonly hasWorktree: boolean;
  readonly hasSession: boolean;
  readonly lastEvent: string | null;
};

export function sessionStatus({meta}: Pick<SessionEntry, 'meta'>, facts: SessionFacts): SessionStatus {
  if (meta === null) return 'broken';
  if (!facts.hasWorktree) return archivedAt(meta) === '' ? 'worktree missing' : 'archived';
  // The flag is never cleared; any event after the stop supersedes it.
  if (meta.flags?.needs_attention && facts.lastEvent === 'stop') return 'needs attention';
  return facts.hasSession ? 'active' : 'idle';
}
