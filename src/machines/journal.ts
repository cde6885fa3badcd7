import type {AnyEventObject} from 'xstate';
import type {JournalEntry, JournalSink} from '../services/contracts/journal.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {createObserver, type EntryListener, type Observer} from './observe.ts';

type RunName = Pick<RunRecord, 'task_id' | 'run_id'>;

/** More than anything does before a run begins; beyond it, where everybody stands says enough. */
const mostHeldBack = 500;

/**
 * Observes machines and gives every run the entries that concern it. Those of the actors above a run go to
 * the run that is being worked on; what comes before one is known is held back for it.
 */
export function createJournal({
  sink,
  now,
  observe,
}: {
  sink: JournalSink;
  now: () => string;
  /** Hears of every entry as well. */
  observe?: EntryListener;
}): Pick<Observer, 'inspect'> {
  let run: RunName | null = null;
  let heldBack: JournalEntry[] = [];

  const holdBack = (entry: JournalEntry) => {
    heldBack.push(entry);
    if (heldBack.length > mostHeldBack) heldBack = [...observer.standing.all()];
  };

  const beginRun = (next: RunName, entry: JournalEntry) => {
    if (run?.run_id === next.run_id) sink.append(run, [entry]);
    // The actors above it were there before: this journal begins with where they stand.
    else if (run) sink.append(next, [...observer.standing.above(entry.actor), entry]);
    else sink.append(next, [...heldBack, entry]);
    run = next;
    heldBack = [];
  };

  const route = (entry: JournalEntry, event: AnyEventObject) => {
    const begun = entry.kind === 'started' ? runIn(event.input) : null;
    if (begun) {
      beginRun(begun, entry);
    } else if (entry.machine === 'task' && entry.kind === 'started' && run) {
      run = null;
      heldBack = [...observer.standing.above(entry.actor), entry];
    } else if (run) {
      sink.append(run, [entry]);
    } else {
      holdBack(entry);
    }
    if (entry.machine === 'engine' && entry.state === 'idle') endJob();
  };

  const endJob = () => {
    if (!run) return;
    sink.flush();
    run = null;
    heldBack = [...observer.standing.all()];
  };

  const observer = createObserver({
    now,
    onEntry: (entry, event) => {
      route(entry, event);
      try {
        observe?.(entry, event);
      } catch {
        // Whoever watches fails alone.
      }
    },
  });
  return {inspect: observer.inspect};
}

/** The run that an actor is started for. */
function runIn(input: unknown): RunName | null {
  if (typeof input !== 'object' || input === null || !('run' in input)) return null;
  const {run} = input;
  if (typeof run !== 'object' || run === null || !('run_id' in run) || !('task_id' in run)) return null;
  const {run_id, task_id} = run;
  return typeof run_id === 'string' && typeof task_id === 'string' ? {run_id, task_id} : null;
}
