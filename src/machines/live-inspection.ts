import type {InspectedEntry, InspectionSource, JournalEntry} from '../services/contracts/journal.ts';

const mostEntries = 5_000;

/** The live machines of this process. Pass `observe` to the engine to watch. */
export type LiveInspection = InspectionSource & {
  readonly observe: (entry: JournalEntry) => void;
  /** Called before another engine of this process is observed, because it counts its entries from the start. */
  readonly beginSession: () => void;
};

export function createLiveInspection(limit = mostEntries): LiveInspection {
  let kept: InspectedEntry[] = [];
  let session = 1;
  const listeners = new Set<(entry: InspectedEntry) => void>();
  return {
    observe: (entry) => {
      const inspected = {...entry, session};
      kept.push(inspected);
      // Trimmed in large pieces, so that a long job does not move the list with every event.
      if (kept.length >= limit * 2) kept = kept.slice(-limit);
      for (const listener of listeners) listener(inspected);
    },
    beginSession: () => {
      if (kept.length > 0) session++;
    },
    entries: () => kept.slice(-limit),
    standing: () => 'live',
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
