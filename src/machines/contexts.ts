import type {InspectedEntry, JournalEntry} from '../services/contracts/journal.ts';
import {contextOf, createReplayer} from './replay.ts';

export type KnownContext = NonNullable<JournalEntry['context']> | null;

/**
 * The context of one actor after each of its entries, by replay; null if its start is unknown. The inspector's page
 * replays by itself, so it works after the process ended and costs the process nothing. Called again with more entries
 * of the same actor, it replays only those: a live job adds some every moment.
 */
export function createContexts(): (entries: readonly InspectedEntry[]) => readonly KnownContext[] {
  let first: InspectedEntry | undefined;
  let contexts: KnownContext[] = [];
  let replay = createReplayer();
  return (entries) => {
    // The page dropped its oldest entries: what is left may lack the start of the actor.
    if (entries[0] !== first || entries.length < contexts.length) {
      first = entries[0];
      contexts = [];
      replay = createReplayer();
    }
    for (const entry of entries.slice(contexts.length)) {
      const context = contextOf(replay(entry)) ?? null;
      // An exception ends an actor without a new context.
      contexts.push(context ?? (entry.status === 'active' ? null : (contexts.at(-1) ?? null)));
    }
    return contexts;
  };
}
