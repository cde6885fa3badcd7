import type {InspectedEntry, InspectionSource, SourceStanding} from '../../src/services/contracts/journal.ts';

/** An entry of the run machine; a test overrides the fields it is about. */
export function entry(fields: Partial<InspectedEntry> = {}): InspectedEntry {
  return {
    kind: 'event',
    seq: 1,
    session: 1,
    at: '2026-01-01T00:00:00.000Z',
    actor: 'run',
    parent: null,
    machine: 'run',
    event: {type: 'run.pause'},
    state: 'running',
    status: 'active',
    transitions: [],
    ...fields,
  };
}

export type FakeSource = InspectionSource & {
  readonly listeners: Set<(entry: InspectedEntry) => void>;
  stands: SourceStanding;
  add(...entries: readonly InspectedEntry[]): void;
};

/** A source fed by a test. */
export function fakeSource(...first: readonly InspectedEntry[]): FakeSource {
  const entries = [...first];
  const listeners = new Set<(entry: InspectedEntry) => void>();
  const source: FakeSource = {
    entries: () => entries,
    stands: 'live',
    standing: () => source.stands,
    listeners,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add: (...more) => {
      for (const each of more) {
        entries.push(each);
        for (const listener of listeners) listener(each);
      }
    },
  };
  return source;
}
