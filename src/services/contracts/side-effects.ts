import * as z from 'zod';
import type {PlanCheck} from './plan.ts';

const sideEffectKinds = [
  /** The plan file was changed by something other than Blackbird. */
  'plan',
  /** Blackbird's own records of runs and decisions. */
  'records',
  'settings',
  /** The plan was changed through another Blackbird process: by a person, or by an agent. */
  'plan_edits',
  'repository_gone',
  /** Git's own settings, hooks and lists. */
  'git_settings',
  /** Commits, branches, tags, stashes, the current checkout. */
  'refs',
  'ignored_files',
  /** Written after the agent ended and before the decision: not part of what was shown. */
  'late_changes',
  'nested_repository',
  /** Deleted, and the user's git has no copy. */
  'lost_file',
  'large_file',
  'binary_file',
] as const;

/** One field of a task in the plan before and after an edit; `field` is `added` or `removed` for a whole task. */
const planFieldEditSchema = z.looseObject({
  task: z.string(),
  field: z.string(),
  /** Absent if the field was. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  /** The values are too long to keep. */
  is_cut: z.boolean().optional(),
});
export type PlanFieldEdit = z.infer<typeof planFieldEditSchema>;

/** One setting before and after an edit; an absent value means not set. */
const settingEditSchema = z.looseObject({
  key: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  /** The values are too long to keep. */
  is_cut: z.boolean().optional(),
});
export type SettingEdit = z.infer<typeof settingEditSchema>;

/** Something a task did that its diff does not show, or not clearly. */
export const sideEffectSchema = z.looseObject({
  kind: z.enum(sideEffectKinds),
  text: z.string(),
  path: z.string().optional(),
  /** For the plan: the first edits, and how many more there are. */
  edits: z.array(planFieldEditSchema).optional(),
  more_edits: z.int().optional(),
  /** For a settings file with readable content: the first edits, and how many more there are. */
  settings: z.array(settingEditSchema).optional(),
  more_settings: z.int().optional(),
  /** Settings or texts: written through another Blackbird process, by a person or by an agent. */
  is_by_blackbird: z.boolean().optional(),
});
export type SideEffect = z.infer<typeof sideEffectSchema>;

export type SettingsContent = Readonly<Record<string, unknown>>;

/** The state of a project outside its files. */
export type Surroundings = {
  /** The settings files by display name, with a digest; null if missing. */
  readonly settings: ReadonlyMap<string, string | null>;
  /** The parsed settings files by the same names; null if missing, left out if they cannot be parsed. */
  readonly contents?: ReadonlyMap<string, SettingsContent | null>;
  /** Null if there is no repository. */
  readonly repository: RepositoryState | null;
  /** Absent if not looked at, or if there are too many. */
  readonly records?: RecordVersions;
  /** Text by people and reviewers: feedback, drafts, comments. Absent if not looked at. */
  readonly words?: FileVersions;
  /** The latest job records. Absent if not looked at. */
  readonly jobs?: FileVersions;
  /** Files and folders that git ignores, or why it could not tell; absent if not asked for. */
  readonly ignored?: readonly string[] | {readonly why: string};
};

/** Every run record by name, per task folder; the version changes with every write. */
export type RecordVersions = ReadonlyMap<string, FileVersions>;

export type FileVersions = ReadonlyMap<string, string>;

/** This Blackbird, or one of another process. */
export type Writer = 'here' | 'elsewhere';

export type RepositoryState = {
  /** Identifies the repository: another one in its place has another id. */
  readonly id: string;
  /** The branch or commit that is checked out, as git writes it. */
  readonly head: string;
  /** Every ref with its target; null if there were too many to remember. */
  readonly refs: ReadonlyMap<string, string> | null;
  /** Digests of git's own control files, by display name. */
  readonly files: ReadonlyMap<string, string>;
  /** The history of HEAD; absent if git keeps no log. */
  readonly log?: HeadLog;
};

/** Among the refs, a digest of the list of stashes: `refs/stash` is only the first of them. */
export const stashList = 'refs/stash@{…}';

export type HeadLog = {
  readonly bytes: number;
  /** Changes with every write; absent if unknown. */
  readonly version?: string;
  /** The last entries. */
  readonly entries: readonly HeadMove[];
};

/** `at`: its offset in the log, in bytes. */
export type HeadMove = {
  readonly at: number;
  readonly from: string;
  readonly to: string;
  /** `commit: Add refunds`. */
  readonly text: string;
};

/** As a segment keeps it while its agent is running, for recovery after a crash. */
export const keptSurroundingsSchema = z.looseObject({
  /** The version of the plan file. */
  plan: z.string().nullable(),
  settings: z.record(z.string(), z.string().nullable()),
  /** Left out if too long. */
  contents: z.record(z.string(), z.record(z.string(), z.unknown()).nullable()).optional().catch(undefined),
  /** Left out if there are too many. */
  words: z.record(z.string(), z.string()).optional().catch(undefined),
  ignored: z.array(z.string()).optional().catch(undefined),
  repository: z
    .looseObject({
      id: z.string(),
      head: z.string(),
      /** Left out if there are too many. */
      refs: z.record(z.string(), z.string()).optional(),
      files: z.record(z.string(), z.string()),
      logBytes: z.int().optional(),
    })
    .nullable(),
});
export type KeptSurroundings = z.infer<typeof keptSurroundingsSchema>;

/** New or changed ignored files and folders; `names` are the first ones. */
export type NewIgnored = FoundFiles & {
  /** There are too many to look at all of them. */
  readonly isCut?: boolean;
  /** Foreign files in Blackbird's own folder. */
  readonly hidden?: FoundFiles;
  /** Files in git's folders that git does not write itself. */
  readonly inGit?: FoundFiles;
  /** Other things that git does not look at. */
  readonly unseen?: FoundFiles;
  /** Ignored files and folders that were removed. */
  readonly removed?: FoundFiles;
  /** Files whose staged content differs from the working file. */
  readonly staged?: FoundFiles;
  /** Files whose changes git was told to overlook (`skip-worktree`, `assume-unchanged`). */
  readonly overlooked?: FoundFiles;
  /** What git could not be asked about, and why. */
  readonly unknown?: readonly Unknown[];
};

export type Unknown = {readonly what: 'staged' | 'ignored' | 'removed'; readonly why: string};

/** How many there are, and the first ones. */
export type FoundFiles = {readonly count: number; readonly names: readonly string[]};

/** The state of a repository before anything is done in it. */
export type RepositoryStanding = {
  /** A commit is checked out instead of a branch. */
  readonly isDetached: boolean;
  /** `a merge`, `a rebase`; null if none is in progress. */
  readonly underWay: string | null;
  /** Files with merge conflicts. */
  readonly conflicts: readonly string[];
};

export interface SurroundingsReader {
  /** Null if there is no repository. Never fails. */
  standing(): Promise<RepositoryStanding | null>;
  /**
   * Never fails: unreadable things count as missing. Before an agent starts, `withIgnored` collects what `ignoredSince`
   * needs.
   */
  look(how?: {withIgnored: boolean}): Promise<Surroundings>;
  /**
   * Ignored files created or changed since a time, and those of `before` that were removed. Several in one ignored
   * folder count as one. Never fails.
   */
  ignoredSince(time: string, before?: Surroundings['ignored']): Promise<NewIgnored>;
  /** Who changed a text from one version to the other ('' if missing); null if anyone but Blackbird took part. */
  writerOf(name: string, from: string, to: string): Writer | null;
  /** Renames these texts to `….planted`, so that nobody takes them for their own; returns those it could rename. */
  putAside(names: readonly string[]): ReadonlySet<string>;
  /** All files of the project, whether git tracks them or not. Never fails. */
  writtenSince(time: string): Promise<NewIgnored>;
}

/** The plan before and after someone else wrote it. */
export type ForeignPlanEdit = {
  readonly before: PlanCheck;
  readonly after: PlanCheck;
  /** Every step was written by a Blackbird, but not by this process. */
  readonly isByBlackbird?: boolean;
};
