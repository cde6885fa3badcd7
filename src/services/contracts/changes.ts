import * as z from 'zod';
import type {CommitOutcome, CommitRequest} from './commit.ts';
import {type SideEffect, sideEffectSchema} from './side-effects.ts';

/** Limits on the part of a change that a run record holds; `diff` shows all of it. */
export const reviewLimits = {
  files: 25,
  diffstatBytes: 4_000,
  snippets: 3,
  snippetLines: 20,
  lineLength: 200,
} as const;

/** A short summary of what a run changed. A damaged summary never makes its run unreadable. */
export const reviewSummarySchema = z.looseObject({
  /** Paths from the repository root; a renamed file has its new name. */
  files: z.array(z.string()).catch([]),
  diffstat: z.string().catch(''),
  snippets: z.array(z.looseObject({file: z.string(), snippet: z.string()})).catch([]),
  /** How many files changed; `files` names the first ones. */
  total_files: z.int().optional().catch(undefined),
  /** Why something is missing. */
  note: z.string().optional().catch(undefined),
  /** Files that need a closer look; a run record has them among its own. */
  side_effects: z.array(sideEffectSchema).optional().catch(undefined),
});
export type ReviewSummary = z.infer<typeof reviewSummarySchema>;

/** One file of a change. */
export type ChangedFile = {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'deleted' | 'renamed';
  /** Its name before the rename. */
  readonly from?: string;
  /** Lines added and removed; null if lines make no sense (binary files, other repositories). */
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

/** How a change becomes a summary; passed to the tracker, which does not know the rules. */
export type ReviewRules = {
  /** The files whose patches the summary quotes, most relevant first. */
  readonly filesToQuote: (files: readonly ChangedFile[]) => readonly ChangedFile[];
  readonly summarize: (change: ObservedChange) => ReviewSummary;
};

/** The working files before and after a span of work. */
export type TreeSpan = {readonly from: string; readonly to: string};

/** What happens to one file in an undo. */
export type UndoneFile = {
  readonly path: string;
  readonly kind: 'restored' | 'changed' | 'removed';
};

/** A file that cannot simply be restored. */
export type UndoConflict = {
  readonly path: string;
  readonly reason: string;
  /** With force it is restored to its content before the task; other files are left alone. */
  readonly isForceable: boolean;
};

/** The working files now, and without a change but with later edits of others. */
export type UndoPlan = TreeSpan & {
  readonly files: readonly UndoneFile[];
  readonly conflicts: readonly UndoConflict[];
};

/** What undos took out of the files, and the tree that the next work on them began with. */
export type UndoneSpan = TreeSpan & {readonly now: string};

/** The working files of a project as git trees. The user's own index, stash, branches and objects are not touched. */
export interface ChangeTracker {
  /**
   * The tree of the current working files: tracked and untracked, without ignored ones. With `since`, files in that
   * snapshot are included even if they are ignored now. Null if git cannot tell.
   */
  snapshot(since?: string | null): Promise<string | null>;
  /**
   * Combines several spans of work, oldest first, without what others did between them. A path goes from before the
   * first span that touched it to after the last one; other paths are left out. Throws `E_DIFF_UNAVAILABLE`.
   */
  compose(spans: readonly TreeSpan[]): Promise<TreeSpan>;
  /** Never fails: without git the summary is empty, with a note that says why. Keeps what `diff` needs later. */
  summarize(from: string | null, to: string | null): Promise<ReviewSummary>;
  /** Every file of the change. Throws `E_DIFF_UNAVAILABLE`. */
  files(from: string, to: string): Promise<readonly ChangedFile[]>;
  /** The number of lines of a file in a tree; 0 if it does not exist. Throws `E_DIFF_UNAVAILABLE`. */
  countLines(tree: string, file: string): Promise<number>;
  /** The change as a patch, or as a table of files. Throws `E_DIFF_UNAVAILABLE`. */
  diff(from: string, to: string, options: {readonly stat: boolean}): Promise<string>;
  /**
   * Computes a three-way undo of a change in the current files; writes nothing. With force, conflicting files are
   * restored to their content before the change. Throws `E_UNDO_REFUSED` if git cannot tell.
   */
  planUndo(change: TreeSpan, options: {readonly isForced: boolean}): Promise<UndoPlan>;
  /** Writes all files of a plan, or none if one fails or has changed since the plan was made. */
  applyUndo(plan: TreeSpan): Promise<void>;
  /**
   * Commits exactly this change on the current branch, and with it what undos have taken out since the last commit.
   * Working files and staged changes stay as they are; if that is impossible, nothing is committed and the outcome says
   * why. Idempotent.
   */
  commit(change: TreeSpan, request: CommitRequest, undone?: UndoneSpan): Promise<CommitOutcome>;
}
