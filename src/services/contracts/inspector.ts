import type {InspectionSource, JournalValue} from './journal.ts';

/** What the inspector's page asks for first: everything that does not change while it is open. */
export type InspectorFacts = {
  /** What is looked at: a task, a run, a process. */
  readonly title: string;
  readonly version: string;
  /** Charts as `machines/policies/chart.ts` makes them; the server only passes them on. */
  readonly charts: readonly unknown[];
  /** What a reader should know before they trust what they see. */
  readonly notices: readonly string[];
  /** More may come while it is looked at. */
  readonly follows: boolean;
};

export type Inspected = {
  /** Asked for when a page opens, so that a process nobody looks at draws nothing. */
  readonly facts: () => InspectorFacts;
  readonly source: InspectionSource;
  /** The context of an actor after one entry, redacted; null where nobody can tell. */
  readonly contextAt: (session: number, seq: number) => JournalValue | null;
};

/** A page that is being served. */
export interface Inspector {
  readonly url: string;
  readonly port: number;
  /** Random for every server; whoever does not know it reads nothing. */
  readonly token: string;
  close(): void;
}
