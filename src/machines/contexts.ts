import type {InspectedEntry, JournalEntry} from '../services/contracts/journal.ts';
import {contextOf, createReplayer} from './replay.ts';

export type KnownContext = NonNullable<JournalEntry['context']> | null;

/**
 * The context of one actor after each of its entries, by replay; null where its beginning is not known. The inspector's
 * page replays by itself: it can look back when the process is long gone, and costs the process nothing.
 */
export function contextsOf(entries: readonly InspectedEntry[]): KnownContext[] {
  const replay = createReplayer();
  let last: KnownContext = null;
  return entries.map((entry) => {
    const context = contextOf(replay(entry)) ?? null;
    // An exception ends an actor without a context of its own.
    last = context ?? (entry.status === 'active' ? null : last);
    return last;
  });
}
