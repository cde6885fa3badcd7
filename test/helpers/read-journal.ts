import type {InspectedEntry} from '../../src/services/contracts/journal.ts';
import {inspectJournal, type JournalSummary} from '../../src/services/journal/read-journal.ts';

export type ReadJournal = JournalSummary & {readonly entries: readonly InspectedEntry[]};

/** Everything in a journal now. */
export function readJournal(file: string): ReadJournal {
  const {summary, entries} = inspectJournal(file);
  return {...summary(), entries: entries()};
}
