import * as z from 'zod';
import type {PlanCheck} from './plan.ts';

export const sideEffectKinds = [
  /** The plan file, by somebody else than Blackbird. */
  'plan',
  /** What Blackbird keeps of runs and decisions. */
  'records',
  'settings',
  /** The plan, by a Blackbird of another process: a person, or an agent that hides behind one. */
  'plan_edits',
  'repository_gone',
  /** What git itself goes by: its settings, hooks and lists. */
  'git_settings',
  /** Commits, branches, tags, stashes, what is checked out. */
  'refs',
  'ignored_files',
  /** Written after the agent ended and before the decision: no part of what was shown. */
  'late_changes',
  'nested_repository',
  /** Deleted, and the user's git has no copy. */
  'lost_file',
  'large_file',
  'binary_file',
] as const;

/** One field of a task in the plan, as it was and as somebody made it; `field` is `added` or `removed` for a whole task. */
const planFieldEditSchema = z.looseObject({
  task: z.string(),
  field: z.string(),
  /** Absent where the field was. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  /** The values are too long to be kept. */
  is_cut: z.boolean().optional(),
});
export type PlanFieldEdit = z.infer<typeof planFieldEditSchema>;

/** One setting as it was and as somebody made it; absent values are those of settings that are not set. */
const settingEditSchema = z.looseObject({
  key: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  /** The values are too long to be kept. */
  is_cut: z.boolean().optional(),
});
export type SettingEdit = z.infer<typeof settingEditSchema>;

/** Something a task did that its diff does not show, or does not show well. */
export const sideEffectSchema = z.looseObject({
  kind: z.enum(sideEffectKinds),
  text: z.string(),
  path: z.string().optional(),
  /** Of the plan: the first edits, and how many more there are. */
  edits: z.array(planFieldEditSchema).optional(),
  more_edits: z.int().optional(),
  /** Of a settings file, where its content is known: the first edits, and how many more there are. */
  settings: z.array(settingEditSchema).optional(),
  more_settings: z.int().optional(),
  /** Of the project's settings: by a Blackbird of another process, a person or an agent that hides behind one. */
  is_by_blackbird: z.boolean().optional(),
});
export type SideEffect = z.infer<typeof sideEffectSchema>;

export type SettingsContent = Readonly<Record<string, unknown>>;

/** What is around the files of a project. */
export type Surroundings = {
  /** The settings files by the names they are told by, with a digest; null where there is none. */
  readonly settings: ReadonlyMap<string, string | null>;
  /** What the files with keys say, by the same names; null where there is none, left out where it cannot be understood. */
  readonly contents?: ReadonlyMap<string, SettingsContent | null>;
  /** Null where there is no repository. */
  readonly repository: RepositoryState | null;
  /** Absent where nobody looked at them, or where there are too many. */
  readonly records?: RecordVersions;
  /** Files and folders that git ignores; absent where nobody asked for them. */
  readonly ignored?: readonly string[];
};

/** Every run record by its name, in the folder of its task; the version changes with every write. */
export type RecordVersions = ReadonlyMap<string, ReadonlyMap<string, string>>;

export type RepositoryState = {
  /** Which repository it is: another one in its place has another. */
  readonly id: string;
  /** The branch or commit that is checked out, as git writes it. */
  readonly head: string;
  /** Every ref with what it points to; null where they were too many to be remembered. */
  readonly refs: ReadonlyMap<string, string> | null;
  /** Digests of what git itself goes by, by the names they are told by. */
  readonly files: ReadonlyMap<string, string>;
  /** What was checked out or committed, one after another; absent where git keeps no log. */
  readonly log?: HeadLog;
};

/** Among the refs, a digest of the list of stashes: `refs/stash` is only the first of them. */
export const stashList = 'refs/stash@{…}';

export type HeadLog = {
  readonly bytes: number;
  /** Another one after anybody wrote it; absent where nobody remembers. */
  readonly version?: string;
  /** The last entries. */
  readonly entries: readonly HeadMove[];
};

/** `at`: its place in the log, in bytes. */
export type HeadMove = {
  readonly at: number;
  readonly from: string;
  readonly to: string;
  /** `commit: Add refunds`. */
  readonly text: string;
};

/** As a segment keeps it while its agent is at work, for a Blackbird that finds it after a crash. */
export const keptSurroundingsSchema = z.looseObject({
  /** The version of the plan file. */
  plan: z.string().nullable(),
  settings: z.record(z.string(), z.string().nullable()),
  /** Left out where they are too long. */
  contents: z.record(z.string(), z.record(z.string(), z.unknown()).nullable()).optional().catch(undefined),
  /** Left out where there are too many. */
  ignored: z.array(z.string()).optional().catch(undefined),
  repository: z
    .looseObject({
      id: z.string(),
      head: z.string(),
      /** Left out where there are too many. */
      refs: z.record(z.string(), z.string()).optional(),
      files: z.record(z.string(), z.string()),
      logBytes: z.int().optional(),
    })
    .nullable(),
});
export type KeptSurroundings = z.infer<typeof keptSurroundingsSchema>;

/** Ignored files and folders that are new or changed; `names` are the first of them. */
export type NewIgnored = FoundFiles & {
  /** There are too many to look at them all. */
  readonly isCut?: boolean;
  /** Files in Blackbird's own folder that are not Blackbird's. */
  readonly hidden?: FoundFiles;
  /** Files in folders of git that git does not write itself. */
  readonly inGit?: FoundFiles;
  /** What else git does not look at. */
  readonly unseen?: FoundFiles;
  /** Ignored files and folders that are gone. */
  readonly removed?: FoundFiles;
  /** Files that are staged otherwise than they are. */
  readonly staged?: FoundFiles;
};

/** How many there are, and the first of them. */
export type FoundFiles = {readonly count: number; readonly names: readonly string[]};

/** How a repository stands before anything is done in it. */
export type RepositoryStanding = {
  /** A commit is checked out and no branch. */
  readonly isDetached: boolean;
  /** `a merge`, `a rebase`; null where nothing is. */
  readonly underWay: string | null;
  /** Files that a merge left for a person. */
  readonly conflicts: readonly string[];
};

export interface SurroundingsReader {
  /** Null where there is no repository. Never fails. */
  standing(): Promise<RepositoryStanding | null>;
  /** Never fails: what cannot be read is not there. Before an agent begins, `withIgnored` is of use to `ignoredSince`. */
  look(how?: {withIgnored: boolean}): Promise<Surroundings>;
  /**
   * Those that were created or changed since a time, and those of `before` that are gone. Several in a folder that is ignored
   * count as one. Never fails.
   */
  ignoredSince(time: string, before?: readonly string[]): Promise<NewIgnored>;
  /** All files of the project, whatever git thinks of them. Never fails. */
  writtenSince(time: string): Promise<NewIgnored>;
}

/** The plan before and after somebody else wrote it. */
export type ForeignPlanEdit = {
  readonly before: PlanCheck;
  readonly after: PlanCheck;
  /** Every step was written by a Blackbird, only not by this process. */
  readonly isByBlackbird?: boolean;
};
