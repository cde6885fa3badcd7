import * as z from 'zod';
import type {PlanCheck} from './stores.ts';

export const sideEffectKinds = [
  /** The plan file, by somebody else than Blackbird. */
  'plan',
  'settings',
  'repository_gone',
  /** Commits, branches, tags, stashes, what is checked out. */
  'refs',
  'ignored_files',
  'nested_repository',
  'large_file',
  'binary_file',
] as const;

/** Something a task did that its diff does not show, or does not show well. */
export const sideEffectSchema = z.looseObject({
  kind: z.enum(sideEffectKinds),
  text: z.string(),
  path: z.string().optional(),
});
export type SideEffect = z.infer<typeof sideEffectSchema>;

/** What is around the files of a project. */
export type Surroundings = {
  /** The settings files by the names they are told by, with their content; null where there is none. */
  readonly settings: ReadonlyMap<string, string | null>;
  /** Null where there is no repository. */
  readonly repository: RepositoryState | null;
};

export type RepositoryState = {
  /** The branch or commit that is checked out, as git writes it. */
  readonly head: string;
  /** Every ref with what it points to. */
  readonly refs: ReadonlyMap<string, string>;
};

/** Ignored files and folders that are new; `names` are the first of them. */
export type NewIgnored = {readonly count: number; readonly names: readonly string[]};

export interface SurroundingsReader {
  /** Never fails: what cannot be read is not there. */
  look(): Promise<Surroundings>;
  /** Those that were created since a time. A folder that is ignored as a whole counts as one. Never fails. */
  ignoredSince(time: string): Promise<NewIgnored>;
}

/** The plan before and after somebody else wrote it. */
export type ForeignPlanEdit = {readonly before: PlanCheck; readonly after: PlanCheck};
