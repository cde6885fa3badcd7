import type {
  ActorRefLike,
  AnyActor,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  InspectionEvent,
} from 'xstate';
import type {EntryKind, JournalEntry, JournalValue, TakenTransition} from '../services/contracts/journal.ts';
import {redact} from './policies/inspect/redaction.ts';

/** `event` is the unredacted event of the entry: for looking only, never to be kept. */
export type EntryListener = (entry: JournalEntry, event: AnyEventObject) => void;

/** What one observer sees of its machines. */
export type Observer = {
  /** For the `inspect` option of every root actor to watch. */
  readonly inspect: (inspection: InspectionEvent) => void;
  /** The current states of the actors, outermost first: what a journal that begins here starts with. */
  readonly standing: {
    readonly all: () => readonly JournalEntry[];
    readonly above: (actor: string) => readonly JournalEntry[];
  };
};

type Transition = Extract<InspectionEvent, {type: '@xstate.microstep'}>['_transitions'][number];

type Seen = {
  readonly path: string;
  readonly parent: Seen | null;
  readonly machine: string;
  readonly ref: AnyActor;
  isStarted: boolean;
  transitions: TakenTransition[];
  /** How many children with this id were seen. */
  readonly children: Map<string, number>;
};

/** One actor between the first and the last microstep of an event. */
type Step = {readonly seen: Seen; readonly event: AnyEventObject; snapshot: AnyMachineSnapshot};

/**
 * Turns XState inspection events into entries, in causal order. It only observes: a failure here changes nothing for
 * the machines.
 */
export function createObserver({now, onEntry}: {now: () => string; onEntry: EntryListener}): Observer {
  const actors = new WeakMap<ActorRefLike, Seen>();
  const byPath = new Map<string, Seen>();
  const roots = new Map<string, number>();
  let seq = 0;
  let step: Step | null = null;

  const register = (ref: AnyActor) => {
    const logic: unknown = ref.logic;
    if (!isMachine(logic)) return;
    const parent = (ref._parent && actors.get(ref._parent)) ?? null;
    const id = parent ? ref.id : logic.id;
    const counts = parent?.children ?? roots;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    const name = count === 1 ? id : `${id}:${count}`;
    const path = parent ? `${parent.path}/${name}` : name;
    const seen: Seen = {
      path,
      parent,
      machine: logic.id,
      ref,
      isStarted: false,
      transitions: [],
      children: new Map(),
    };
    actors.set(ref, seen);
    byPath.set(path, seen);
  };

  const entryOf = (seen: Seen, kind: EntryKind, event: AnyEventObject, snapshot: AnyMachineSnapshot) => ({
    kind,
    seq,
    at: now(),
    actor: seen.path,
    parent: seen.parent?.path ?? null,
    machine: seen.machine,
    event: redact(event) as JournalEntry['event'],
    // A machine that failed to start has none.
    state: (snapshot.value ?? null) as JournalValue,
    status: snapshot.status,
    transitions: seen.transitions,
  });

  const tell = (seen: Seen, kind: EntryKind, event: AnyEventObject, snapshot: AnyMachineSnapshot) => {
    seq++;
    const entry: JournalEntry = entryOf(seen, kind, event, snapshot);
    seen.transitions = [];
    if (entry.status !== 'active') byPath.delete(seen.path);
    onEntry(entry, event);
  };

  const standing = (seen: Seen): JournalEntry => {
    const snapshot: AnyMachineSnapshot = seen.ref.getSnapshot();
    const context = redact(snapshot.context) as NonNullable<JournalEntry['context']>;
    return {...entryOf(seen, 'standing', {type: 'standing'}, snapshot), transitions: [], context};
  };

  const endStep = () => {
    if (step === null) return;
    const {seen, event, snapshot} = step;
    step = null;
    tell(seen, kindOf(snapshot.status), event, snapshot);
  };

  const look = (inspection: InspectionEvent) => {
    switch (inspection.type) {
      case '@xstate.actor':
        register(inspection.actorRef as AnyActor);
        return;
      case '@xstate.microstep': {
        const seen = actors.get(inspection.actorRef);
        if (!seen) return;
        // The microsteps of a child's start arrive in the middle of its parent's, before the start is reported.
        if (seen.isStarted && step?.seen !== seen) {
          endStep();
          step = {seen, event: inspection.event, snapshot: inspection.snapshot as AnyMachineSnapshot};
        }
        if (step?.seen === seen) step.snapshot = inspection.snapshot as AnyMachineSnapshot;
        for (const each of inspection._transitions) seen.transitions.push(describe(each));
        return;
      }
      case '@xstate.event': {
        endStep();
        const {event, sourceRef} = inspection;
        const seen = actors.get(inspection.actorRef);
        if (seen && !seen.isStarted && event.type === 'xstate.init') {
          seen.isStarted = true;
          tell(seen, 'started', event, seen.ref.getSnapshot());
        }
        const source = sourceRef && actors.get(sourceRef);
        // Thrown inside the machine itself: XState tells only the parent.
        if (source && byPath.has(source.path) && event.type === `xstate.error.actor.${source.ref.id}`) {
          tell(source, 'error', event, source.ref.getSnapshot());
        }
        return;
      }
      case '@xstate.snapshot':
        if (step?.seen === actors.get(inspection.actorRef)) endStep();
        return;
    }
  };

  return {
    inspect: (inspection) => {
      try {
        look(inspection);
      } catch {
        // An observer must neither end an agent nor block a pause.
        step = null;
      }
    },
    standing: {
      all: () => [...byPath.values()].filter(({isStarted}) => isStarted).map(standing),
      above: (actor) => {
        const above: Seen[] = [];
        for (let seen = byPath.get(actor)?.parent; seen; seen = seen.parent) above.unshift(seen);
        return above.map(standing);
      },
    },
  };
}

const isMachine = (logic: unknown): logic is AnyStateMachine =>
  typeof logic === 'object' && logic !== null && 'root' in logic && 'getTransitionData' in logic;

function kindOf(status: AnyMachineSnapshot['status']): EntryKind {
  return status === 'active' ? 'event' : status;
}

const described = new WeakMap<Transition, TakenTransition>();

function describe(transition: Transition): TakenTransition {
  const known = described.get(transition);
  if (known) return known;
  const {source, eventType, target} = transition;
  const siblings: readonly Transition[] =
    (eventType === '' ? source.always : source.transitions.get(eventType)) ?? [];
  const description = {
    source: source.id,
    event: eventType,
    index: siblings.indexOf(transition),
    target: target?.[0]?.id ?? null,
  };
  described.set(transition, description);
  return description;
}
