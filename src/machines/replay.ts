import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createEmptyActor,
  initialTransition,
  type StateValue,
  transition,
} from 'xstate';
import {messageOf} from '../services/contracts/errors.ts';
import type {InspectedEntry, JournalEntry, JournalValue} from '../services/contracts/journal.ts';
import {findMachine} from './machines.ts';
import {redact, restore} from './policies/inspect/redaction.ts';

/** An actor in replay: its snapshot is dropped once nothing more can happen, but its last context is kept. */
export type ReplayedActor = {
  readonly snapshot: AnyMachineSnapshot | null;
  readonly context?: AnyMachineSnapshot['context'];
};

export type ReplayedState = Pick<JournalEntry, 'state' | 'status'>;

export type ReplayedEntry = {
  readonly actor: ReplayedActor | null;
  /** What replay produced instead of the recorded state, or why it produced nothing; null if both agree. */
  readonly difference: ReplayedState | {readonly problem: string} | null;
};

/**
 * Replays one entry with the pure `transition()` of its machine, from the state after the entries before it. If those
 * were cut off, there is nothing to compare and `actor` stays null.
 */
export function replayEntry(
  before: ReplayedActor | null,
  entry: JournalEntry,
  machine = findMachine(entry.machine)?.machine,
): ReplayedEntry {
  if (!machine) return {actor: null, difference: {problem: `there is no machine ${entry.machine}`}};
  if (before === null && entry.kind !== 'started' && entry.kind !== 'standing') {
    return {actor: null, difference: null};
  }
  if (before?.snapshot === null) {
    return {actor: before, difference: {problem: 'it took an event after its end'}};
  }
  try {
    const snapshot = isThrown(entry) ? thrown(entry) : next(machine, before?.snapshot ?? null, entry);
    const isAlive = snapshot.status === 'active';
    const actor = {snapshot: isAlive ? snapshot : null, context: snapshot.context};
    return {actor, difference: differenceOf(snapshot, entry)};
  } catch (error) {
    const failed = {state: entry.state, status: 'error'} as const;
    // What throws in replay also threw originally, which ended the actor.
    const difference = entry.status === 'error' ? null : {problem: messageOf(error), ...failed};
    return {actor: {snapshot: null}, difference};
  }
}

function next(
  machine: AnyStateMachine,
  before: AnyMachineSnapshot | null,
  {kind, event, state, status, context}: JournalEntry,
): AnyMachineSnapshot {
  if (kind === 'started') return initialTransition(machine, restore(event.input))[0];
  if (kind !== 'standing' && before) return transition(machine, before, restoredEvent(event))[0];
  const snapshot: AnyMachineSnapshot = machine.resolveState({
    value: state as StateValue,
    context: restore(context),
    ...(status === 'stopped' ? {} : {status}),
  });
  // Recreates what it had invoked there: sending to a missing child would fail.
  for (const node of snapshot._nodes) {
    for (const {id} of node.invoke) snapshot.children[id] = createEmptyActor();
  }
  return snapshot;
}

const restoredEvent = (event: JournalEntry['event']) => ({...(restore(event) as object), type: event.type});

/** An exception inside the machine: XState reports that it happened, but not for which event. */
const isThrown = ({kind, actor, event}: JournalEntry): boolean =>
  kind === 'error' && event.type === `xstate.error.actor.${actor.replace(/^.*\//, '').replace(/:\d+$/, '')}`;

const thrown = ({state}: JournalEntry) => ({value: state, status: 'error'}) as AnyMachineSnapshot;

function differenceOf(snapshot: AnyMachineSnapshot, {state, status}: JournalEntry): ReplayedState | null {
  const value = (snapshot.value ?? null) as JournalValue;
  const isSame = snapshot.status === status && canonical(value) === canonical(state);
  return isSame ? null : {state: value, status: snapshot.status};
}

/** The same text for the same value, whatever the order of its regions. */
function canonical(value: JournalValue): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** Replays the entries of many actors and returns the actor after each entry. */
export function createReplayer(): (entry: InspectedEntry) => ReplayedEntry {
  const actors = new Map<string, ReplayedActor | null>();
  return (entry) => {
    const name = `${entry.session}:${entry.actor}`;
    const isFirst = entry.kind === 'started' || entry.kind === 'standing';
    const replayed = replayEntry(isFirst ? null : (actors.get(name) ?? null), entry);
    actors.set(name, replayed.actor);
    return replayed;
  };
}

/** The redacted context of an actor after an entry; null if replay has none. */
export function contextOf({actor}: ReplayedEntry): JournalEntry['context'] | null {
  const context = actor?.context;
  return context === undefined ? null : (redact(context) as NonNullable<JournalEntry['context']>);
}

export type Verification = {
  readonly entries: number;
  /** The entries that replay could compare; the others come before the first start of their actor. */
  readonly compared: number;
  readonly first: {readonly entry: InspectedEntry; readonly difference: object} | null;
};

/** Replays a whole journal and names the first entry that differs. */
export function verifyEntries(entries: readonly InspectedEntry[]): Verification {
  const replay = createReplayer();
  let compared = 0;
  for (const entry of entries) {
    const {actor, difference} = replay(entry);
    if (difference !== null) return {entries: entries.length, compared, first: {entry, difference}};
    if (actor !== null) compared++;
  }
  return {entries: entries.length, compared, first: null};
}
