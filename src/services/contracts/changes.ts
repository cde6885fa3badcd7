import * as z from 'zod';
import type {CommitOutcome, CommitRequest} from './commit.ts';
import {type SideEffect, sideEffectSchema} from './side-effects.ts';

/** So much of a change a run record carries; the whole of it is what `diff` shows. */
export const reviewLimits = {
  files: 25,
  diffstatBytes: 4_000,
  snippets: 3,
  snippetLines: 20,
  lineLength: 200,
} as const;

/** What a run changed, in a few lines. A damaged summary never makes its run unreadable. */
export const reviewSummarySchema = z.looseObject({
  /** Paths from the top of the repository; a renamed file with its new name. */
  files: z.array(z.string()).catch([]),
  diffstat: z.string().catch(''),
  snippets: z.array(z.looseObject({file: z.string(), snippet: z.string()})).catch([]),
  /** How many files changed; `files` names the first of them. */
  total_files: z.int().optional().catch(undefined),
  /** Why there is less to see than there should be. */
  note: z.string().optional().catch(undefined),
  /** Files that need a closer look; a run record has them among its own. */
  side_effects: z.array(sideEffectSchema).optional().catch(undefined),
});
export type ReviewSummary = z.infer<typeof reviewSummarySchema>;

/** One file of a change. */
export type ChangedFile = {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'deleted' | 'renamed';
  /** Its name before it was renamed. */
  readonly from?: string;
  /** Lines added and removed; null where lines mean nothing (binary files, other repositories). */
  readonly lines: {readonly added: number; readonly removed: number} | null;
};

/** A change before it is cut to a summary. */
export type ObservedChange = {
  readonly files: readonly ChangedFile[];
  readonly diffstat: string;
  readonly patches: ReadonlyArray<{readonly file: string; readonly patch: string}>;
  /** Large and binary files, and repositories inside this one. */
  readonly notable?: readonly SideEffect[];
};

/** How a change becomes a summary; the tracker applies it without knowing it. */
export type ReviewRules = {
  /** The files whose patches the summary quotes, most telling first. */
  readonly filesToQuote: (files: readonly ChangedFile[]) => readonly ChangedFile[];
  readonly summarize: (change: ObservedChange) => ReviewSummary;
};

/** The working files before and after a stretch of work. */
export type TreeSpan = {readonly from: string; readonly to: string};

/** What becomes of one file when a change is taken back. */
export type UndoneFile = {
  readonly path: string;
  readonly kind: 'restored' | 'changed' | 'removed';
};

/** A file that cannot simply go back to what it was. */
export type UndoConflict = {
  readonly path: string;
  readonly reason: string;
  /** By force it gets the content it had before the task; others stay as they are. */
  readonly isForceable: boolean;
};

/** The working files now and with a change taken out of them, later edits of others kept. */
export type UndoPlan = TreeSpan & {
  readonly files: readonly UndoneFile[];
  readonly conflicts: readonly UndoConflict[];
};

/** The working files of a project as git trees. The user's own index, stash, branches and objects stay as they are. */
export interface ChangeTracker {
  /**
   * The tree of the working files as they are now: tracked and untracked ones, without what is ignored.
   * With `since`, what was in view at that snapshot stays in view, even if it is ignored by now.
   * Null where git cannot tell.
   */
  snapshot(since?: string | null): Promise<string | null>;
  /**
   * One change out of several stretches of work, oldest first, without what others did between them. A path
   * goes from what it was before the first stretch that touched it to what it was after the last one; paths
   * that no stretch touched are left out. Throws `E_DIFF_UNAVAILABLE`.
   */
  compose(spans: readonly TreeSpan[]): Promise<TreeSpan>;
  /** Never fails: without git the summary is empty, with a note that says why. Keeps what `diff` needs later. */
  summarize(from: string | null, to: string | null): Promise<ReviewSummary>;
  /** Every file of the change. Throws `E_DIFF_UNAVAILABLE`. */
  files(from: string, to: string): Promise<readonly ChangedFile[]>;
  /** How many lines a file of a tree has; none where it is not there. Throws `E_DIFF_UNAVAILABLE`. */
  countLines(tree: string, file: string): Promise<number>;
  /** The change as a patch, or as a table of files. Throws `E_DIFF_UNAVAILABLE`. */
  diff(from: string, to: string, options: {readonly stat: boolean}): Promise<string>;
  /**
   * What has to be written to take a change out of the files as they are now, three-way; writes nothing. By force,
   * files in conflict get the content they had before the change. Throws `E_UNDO_REFUSED` where git cannot tell.
   */
  planUndo(change: TreeSpan, options: {readonly isForced: boolean}): Promise<UndoPlan>;
  /** Writes all files of a plan, or none of them where one fails or has changed since the plan was made. */
  applyUndo(plan: TreeSpan): Promise<void>;
  /**
   * One commit of exactly this change on what is checked out. Working files and what the user has staged stay as they
   * are; where both cannot be, nothing is committed and the outcome says why. Done twice, it is done once.
   */
  commit(change: TreeSpan, request: CommitRequest): Promise<CommitOutcome>;
}
