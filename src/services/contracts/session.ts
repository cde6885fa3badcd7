import * as z from 'zod';
import type {NewSession} from './tmux.ts';

const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/**
 * The record of a session (`meta.json`, schema version 1.0). Unknown fields are kept. The defaults are those of records
 * written by the Go program.
 */
export const sessionMetaSchema = z.looseObject({
  schema_version: z.string().min(1),
  run_id: z.string(),
  repo_id: z.string(),
  name: optionalText,
  runner: optionalText,
  parent_branch: optionalText,
  branch: optionalText,
  worktree_path: optionalText,
  created_at: z.string().min(1),
  /** Our own field: where `agency.json` is looked up, whatever the current folder. */
  repo_root: optionalText,
  flags: z.looseObject({needs_attention: z.boolean().optional()}).nullish(),
  archive: z.looseObject({archived_at: optionalText}).nullish(),
});
export type SessionMeta = z.infer<typeof sessionMetaSchema>;

/** A run folder, usable or not: a broken one is listed, but refused by name. */
export type SessionEntry = {readonly runId: string; readonly repoId: string; readonly file: string} & (
  | {readonly meta: SessionMeta; readonly problem: null}
  | {readonly meta: null; readonly problem: string}
);

/** The content of an `events.jsonl` line besides who and when. */
export type SessionEvent = {
  readonly event:
    | 'resume_attach'
    | 'resume_create'
    | 'resume_restart'
    | 'resume_failed'
    | 'runner_exited'
    | 'stop'
    | 'kill_session'
    | 'clean_started'
    | 'clean_failed'
    | 'clean_finished';
  readonly data: Readonly<Record<string, string | number | boolean | readonly string[]>>;
};

export type SessionChange =
  | {readonly flags: {readonly needs_attention: true}}
  | {readonly archive: {readonly archived_at: string}};

export interface SessionStore {
  list(): Promise<readonly SessionEntry[]>;
  /** Creates the folders of a repository, where its lock is. */
  prepare(repoId: string): Promise<void>;
  /** The record exists before anything it describes. */
  create(meta: SessionMeta): Promise<void>;
  /** Changes some fields of the current file; all others are kept. */
  update(run: SessionMeta, change: SessionChange): Promise<void>;
  /** Removes a record whose worktree was never created. */
  discard(run: SessionMeta): Promise<void>;
  /** Where our worktrees go. */
  worktreePath(repoId: string, runId: string): string;
}

export interface SessionEvents {
  append(run: SessionMeta, event: SessionEvent): Promise<void>;
  /** The name of the last event; null if there is none. */
  last(run: SessionMeta): Promise<string | null>;
}

/** Allows one change of a repository's sessions at a time, across processes. */
export interface RepoLock {
  acquire(repoId: string): Promise<void>;
  release(): Promise<void>;
}

export type SessionLaunch = Pick<NewSession, 'argv' | 'env'>;

/** The runners in `agency.json`; the rest of it is not ours. */
export type AgencyConfig = {
  readonly runners: ReadonlyMap<string, string>;
  readonly runner: string | null;
  readonly parentBranch: string | null;
};

/** A repository as sessions know it: one identity for all its worktrees. */
export type Repository = {
  readonly repoId: string;
  readonly repoKey: string;
  readonly root: string;
  readonly originUrl: string | null;
};
