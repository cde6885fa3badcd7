import type {JournalLine, JournalValue} from './journal.ts';

export const bundleFormat = 1;

type Fields = {readonly [key: string]: JournalValue};

/** What a bug report needs about a task: everything the machines saw, but nothing that a person or an agent wrote. */
export type Bundle = {
  readonly kind: 'blackbird-bundle';
  readonly format: number;
  readonly created_at: string;
  readonly task_id: string;
  readonly versions: Fields;
  readonly config: Fields;
  /** Null if the plan cannot be read; `total` also counts tasks that were left out. */
  readonly plan: {readonly total: number; readonly tasks: readonly Fields[]} | null;
  readonly runs: readonly Fields[];
  readonly journals: readonly BundledJournal[];
  /** Records and lines that could not be read. */
  readonly problems: readonly string[];
};

export type BundledJournal = {readonly run_id: string; readonly lines: readonly JournalLine[]};
