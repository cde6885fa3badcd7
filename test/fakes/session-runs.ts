import type {SessionEntry, SessionMeta} from '../../src/services/contracts/session.ts';

export const runId = '20260110120000-a3f2';
export const repoId = '2bb51811aefd999f';
export const session = `agency_${runId}`;

export function sessionMeta(fields: Partial<SessionMeta> = {}): SessionMeta {
  return {
    schema_version: '1.0',
    run_id: runId,
    repo_id: repoId,
    name: 'refunds',
    runner: 'claude',
    parent_branch: 'main',
    branch: 'agency/refunds-a3f2',
    worktree_path: '/worktrees/refunds',
    created_at: '2026-01-10T12:00:00Z',
    repo_root: '/repo',
    ...fields,
  };
}

export function sessionEntry(fields: Partial<SessionMeta> = {}): SessionEntry {
  const meta = sessionMeta(fields);
  return {
    runId: meta.run_id,
    repoId: meta.repo_id,
    file: `/runs/${meta.run_id}/meta.json`,
    meta,
    problem: null,
  };
}

export function brokenEntry(id: string): SessionEntry {
  return {runId: id, repoId, file: `/runs/${id}/meta.json`, meta: null, problem: 'it is empty'};
}
