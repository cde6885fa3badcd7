import type {RunRecord} from './run.ts';

/** Increased when a line of an older Blackbird would be misread. */
export const journalFormat = 1;

/** JSON as stored in a journal: texts of people and agents are removed, see `redaction.ts`. */
export type JournalValue =
  | null
  | boolean
  | number
  | string
  | readonly JournalValue[]
  | {readonly [key: string]: JournalValue};

/** The first line of a journal, and the first line of every Blackbird that continues it. */
export type JournalHeader = {
  readonly kind: 'header';
  readonly format: number;
  /** The version that wrote what follows. */
  readonly blackbird: string;
  readonly at: string;
  readonly run_id: string;
  readonly task_id: string;
  /** The machines that existed when it started. */
  readonly machines: readonly string[];
};

/** A transition in its machine: number `index` of `source` for `event` ('' for eventless). */
export type TakenTransition = {
  /** The id of the state node, `segment.active`. */
  readonly source: string;
  readonly event: string;
  readonly index: number;
  /** The id of the target state node; null if the state does not change. */
  readonly target: string | null;
};

export type EntryKind =
  /** The actor started; `event` carries its input. */
  | 'started'
  /** The actor existed before this journal began: its state, with its context. */
  | 'standing'
  | 'event'
  /** The event that ended the actor, by kind of end. */
  | 'done'
  | 'error'
  | 'stopped';

/** One event that one actor received, and its state afterwards. */
export type JournalEntry = {
  readonly kind: EntryKind;
  /** Counts the entries of a process, of which a journal holds those of its run; a source has its own count. */
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
  /** All transitions of the step in order, including eventless ones; empty if the event was ignored. */
  readonly transitions: readonly TakenTransition[];
  /** Only where replay starts: `standing`. Elsewhere replay computes it. */
  readonly context?: {readonly [key: string]: JournalValue};
};

/** The last line of a journal that grew too long; its run continued. */
export type JournalCut = {readonly kind: 'truncated'; readonly at: string; readonly bytes: number};

export type JournalLine = JournalHeader | JournalEntry | JournalCut;

/** What is inspected: the machines of a live process, or of a recorded run. */
export interface InspectionSource {
  /** All so far, oldest first. A live source keeps only the latest. */
  entries(): readonly InspectedEntry[];
  /** Receives every later entry; never called if nothing more can come. */
  subscribe(listener: (entry: InspectedEntry) => void): () => void;
  /** Whether more can come; polled while someone listens. */
  standing(): SourceStanding | Promise<SourceStanding>;
}

/** `lost`: it stops in the middle, because its Blackbird died. */
export type SourceStanding = 'live' | 'ended' | 'lost';

/** Actors are unique within their session: the process that wrote them, counted from 1. */
export type InspectedEntry = JournalEntry & {readonly session: number};

/** Where journals are written. Nothing here throws or returns anything: the journal is one-way. */
export interface JournalSink {
  append(run: Pick<RunRecord, 'task_id' | 'run_id'>, entries: readonly JournalEntry[]): void;
  /** Writes buffered entries before it returns: at the end of a job, and of the process. */
  flush(): void;
}
