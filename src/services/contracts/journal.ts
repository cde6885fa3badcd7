import type {RunRecord} from './run.ts';

/** Raised when a line of an older Blackbird would be read wrongly. */
export const journalFormat = 1;

/** JSON as it stands in a journal: texts of people and agents are gone, see `redaction.ts`. */
export type JournalValue =
  | null
  | boolean
  | number
  | string
  | readonly JournalValue[]
  | {readonly [key: string]: JournalValue};

/** The first line of a journal, and again the first line of every Blackbird that goes on with it. */
export type JournalHeader = {
  readonly kind: 'header';
  readonly format: number;
  /** The version that wrote what follows. */
  readonly blackbird: string;
  readonly at: string;
  readonly run_id: string;
  readonly task_id: string;
  /** The machines that were there when it began. */
  readonly machines: readonly string[];
};

/** A transition as it stands in its machine: the `index`-th one of `source` for `event` ('' for eventless). */
export type TakenTransition = {
  /** The id of the state node, `segment.active`. */
  readonly source: string;
  readonly event: string;
  readonly index: number;
  /** The id of the state node it leads to; null when it stays. */
  readonly target: string | null;
};

export type EntryKind =
  /** The actor began; `event` carries its input. */
  | 'started'
  /** The actor was there before this journal began: where it stood, with its context. */
  | 'standing'
  | 'event'
  /** The event that ended the actor, by its kind of end. */
  | 'done'
  | 'error'
  | 'stopped';

/** One event that one actor took, and where it stands since. */
export type JournalEntry = {
  readonly kind: EntryKind;
  /** Counts the entries of a process, of which a journal holds those that concern its run; a source counts its own. */
  readonly seq: number;
  readonly at: string;
  /** The path of the actor, `engine/executor/task:2`, unique in its process. */
  readonly actor: string;
  readonly parent: string | null;
  /** The id of its machine, the key in `machines/machines.ts`. */
  readonly machine: string;
  readonly event: {readonly type: string; readonly [key: string]: JournalValue};
  readonly state: JournalValue;
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** Every transition of the step in its order, the eventless ones too; none when nobody took the event. */
  readonly transitions: readonly TakenTransition[];
  /** Only where replay begins: `standing`. Elsewhere replay tells it. */
  readonly context?: {readonly [key: string]: JournalValue};
};

/** The last line of a journal that grew too long; its run went on. */
export type JournalCut = {readonly kind: 'truncated'; readonly at: string; readonly bytes: number};

export type JournalLine = JournalHeader | JournalEntry | JournalCut;

/** What is looked at: the machines of a process that runs, or of a run as it was recorded. */
export interface InspectionSource {
  /** Those so far, oldest first. A live source keeps the latest only. */
  entries(): readonly InspectedEntry[];
  /** Hears of every entry after those; never called where nothing more can come. */
  subscribe(listener: (entry: InspectedEntry) => void): () => void;
  /** Whether more can come; looked at again while somebody listens. */
  standing(): SourceStanding | Promise<SourceStanding>;
}

/** `lost`: it stands still in the middle, because its Blackbird died. */
export type SourceStanding = 'live' | 'ended' | 'lost';

/** Actors are unique within their session: the process that wrote them, counted from 1. */
export type InspectedEntry = JournalEntry & {readonly session: number};

/** Where journals are kept. Nothing here throws or answers: the journal is one-way. */
export interface JournalSink {
  append(run: Pick<RunRecord, 'task_id' | 'run_id'>, entries: readonly JournalEntry[]): void;
  /** Writes what is held back before it returns: at the end of a job, and of the process. */
  flush(): void;
}
