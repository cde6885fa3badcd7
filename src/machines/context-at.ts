import type {InspectionSource, JournalEntry} from '../services/contracts/journal.ts';
import {contextOf, createReplayer} from './replay.ts';

/**
 * The context of an actor after one entry, by replay of what it took until then. Of an actor that has ended,
 * the last one it had; null where its beginning is not known.
 */
export function contextAt(
  source: Pick<InspectionSource, 'entries'>,
  session: number,
  seq: number,
): NonNullable<JournalEntry['context']> | null {
  const entries = source.entries().filter((entry) => entry.session === session && entry.seq <= seq);
  const actor = entries.findLast((entry) => entry.seq === seq)?.actor;
  const replay = createReplayer();
  let context: JournalEntry['context'] | null = null;
  for (const entry of entries) {
    if (entry.actor === actor)
      context = contextOf(replay(entry)) ?? (entry.status === 'active' ? null : context);
  }
  return context ?? null;
}
