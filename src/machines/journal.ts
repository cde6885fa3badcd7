import type {AnyEventObject} from 'xstate';
import type {JournalEntry, JournalSink} from '../services/contracts/journal.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {createObserver, type EntryListener, type Observer} from './observe.ts';

type RunName = Pick<RunRecord, 'task_id' | 'run_id'>;

/** More than ever happens before a run starts; beyond it, the current states are enough. */
const mostHeldBack = 500;

/** What one actor works on: a task, or the review of a parent. */
type Scope = {
  /** The run it works on; entries are held back until there is one. */
  run: RunName | null;
  heldBack: JournalEntry[];
};

/**
 * Gives every run the journal entries that concern it: those of its own task or review with all actors below, and those
 * of the actors above (engine, executor), which concern every running task. Entries before the first run are held back
 * for it.
 */
export function createJournal({
  sink,
  now,
  observe,
}: {
  sink: JournalSink;
  now: () => string;
  /** Also receives every entry. */
  observe?: EntryListener;
}): Pick<Observer, 'inspect'> {
  /** By the path of the actor that works on the run. */
  const scopes = new Map<string, Scope>();
  /** The last run that ended: entries between two tasks go there. */
  let ended: RunName | null = null;
  let heldBack: JournalEntry[] = [];

  const scopeOf = (actor: string): Scope | null => {
    for (let path = actor; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
      const scope = scopes.get(path);
      if (scope) return scope;
    }
    return null;
  };

  /** The first entries of a new journal: everything so far, or the current states of the actors above. */
  const beginning = (entry: JournalEntry): JournalEntry[] => {
    const isFirst = scopes.size === 0 && ended === null;
    const before = isFirst ? heldBack : observer.standing.above(entry.actor);
    heldBack = [];
    ended = null;
    return [...before, entry];
  };

  const openScope = (entry: JournalEntry) => scopes.set(entry.actor, {heldBack: beginning(entry), run: null});

  const beginRun = (run: RunName, entry: JournalEntry) => {
    const scope = scopeOf(entry.actor);
    if (scope?.run?.run_id === run.run_id) return sink.append(run, [entry]);
    if (scope) {
      sink.append(run, [...(scope.run ? observer.standing.above(entry.actor) : scope.heldBack), entry]);
      scope.run = run;
      scope.heldBack = [];
      return;
    }
    sink.append(run, beginning(entry));
    scopes.set(entry.parent ?? entry.actor, {run, heldBack: []});
  };

  const addTo = (scope: Scope, entry: JournalEntry) => {
    if (scope.run) sink.append(scope.run, [entry]);
    else scope.heldBack.push(entry);
  };

  const addToAll = (entry: JournalEntry) => {
    if (scopes.size > 0) for (const scope of scopes.values()) addTo(scope, entry);
    else if (ended) sink.append(ended, [entry]);
    else {
      heldBack.push(entry);
      if (heldBack.length > mostHeldBack) heldBack = [...observer.standing.all()];
    }
  };

  const closeScope = (actor: string) => {
    const scope = scopes.get(actor);
    if (!scope) return;
    scopes.delete(actor);
    if (scopes.size > 0) return;
    ended = scope.run;
    // It never started a run: its entries go to whatever comes next.
    heldBack = scope.heldBack;
  };

  const route = (entry: JournalEntry, event: AnyEventObject) => {
    const begun = entry.kind === 'started' ? runIn(event.input) : null;
    const scope = scopeOf(entry.actor);
    if (begun) beginRun(begun, entry);
    else if (entry.machine === 'task' && entry.kind === 'started') openScope(entry);
    else if (scope) addTo(scope, entry);
    else addToAll(entry);
    if (entry.status !== 'active') closeScope(entry.actor);
    if (entry.machine === 'engine' && entry.state === 'idle') endJob();
  };

  const endJob = () => {
    if (scopes.size === 0 && ended === null) return;
    sink.flush();
    scopes.clear();
    ended = null;
    heldBack = [...observer.standing.all()];
  };

  const observer = createObserver({
    now,
    onEntry: (entry, event) => {
      route(entry, event);
      try {
        observe?.(entry, event);
      } catch {
        // A failing observer affects nobody else.
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
