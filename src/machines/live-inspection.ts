import type {InspectedEntry, InspectionSource, JournalEntry} from '../services/contracts/journal.ts';

const mostEntries = 5_000;

/** The machines of this very process as they go on. Give `observe` to `createEngine`. */
export type LiveInspection = InspectionSource & {readonly observe: (entry: JournalEntry) => void};

export function createLiveInspection(limit = mostEntries): LiveInspection {
  let kept: InspectedEntry[] = [];
  const listeners = new Set<(entry: InspectedEntry) => void>();
  return {
    observe: (entry) => {
      const inspected = {...entry, session: 1};
      kept.push(inspected);
      // Cut in large pieces, so that a long job does not move the list with every event.
      if (kept.length >= limit * 2) kept = kept.slice(-limit);
      for (const listener of listeners) listener(inspected);
    },
    entries: () => kept.slice(-limit),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
