import type {InspectedEntry, JournalEntry} from '../services/contracts/journal.ts';
import {contextOf, createReplayer} from './replay.ts';

export type KnownContext = NonNullable<JournalEntry['context']> | null;

/**
 * The context of one actor after each of its entries, by replay; null if its start is unknown. The inspector's page
 * replays by itself, so it works after the process ended and costs the process nothing.
 */
export function contextsOf(entries: readonly InspectedEntry[]): KnownContext[] {
  const replay = createReplayer();
  let last: KnownContext = null;
  return entries.map((entry) => {
    const context = contextOf(replay(entry)) ?? null;
    // An exception ends an actor without a new context.
    last = context ?? (entry.status === 'active' ? null : last);
    return last;
  });
}
