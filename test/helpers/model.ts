import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
  fromCallback,
  type Snapshot,
} from 'xstate';
import {createObserver} from '../../src/machines/observe.ts';
import {type ReplayedActor, replayEntry} from '../../src/machines/replay.ts';
import type {JournalEntry} from '../../src/services/contracts/journal.ts';

type Transition = AnyStateNode['always'] extends ReadonlyArray<infer T> | undefined ? T : never;

export type Exploration = {
  /** The machine is started once for each. */
  readonly inputs?: readonly unknown[];
  /** Events with the data that guards and assigns read; all others are sent without data. */
  readonly payloads?: readonly AnyEventObject[];
  /** What, besides the state value, distinguishes two snapshots. */
  readonly key?: (snapshot: AnyMachineSnapshot) => unknown;
};

/** Far more than a machine that fits on a page has; reaching it means that `key` counts something. */
const snapshotLimit = 5_000;

/**
 * Explores a machine from each input with effects that do nothing, sends every event in every situation, and
 * returns the transitions, eventless ones included, that were never taken. Every step is journalled and
 * redacted like a real one, and must lead to the same state when replayed.
 */
export function unreachedTransitions(machine: AnyStateMachine, exploration: Exploration = {}): string[] {
  const {inputs = [undefined], payloads = [], key = () => null} = exploration;
  const inert = withoutEffects(machine);
  const transitions = transitionsOf(inert.root);
  const events = eventsFor(transitions, payloads);
  const taken = new Set<Transition>();
  const known = new Set<string>();
  const open: Situation[] = [];

  const visit = (start: {input: unknown} | Situation, event: AnyEventObject | null) => {
    let told: JournalEntry | null = null;
    const {inspect} = createObserver({
      now: () => '',
      onEntry: (entry) => {
        told = JSON.parse(JSON.stringify(entry));
      },
    });
    const actor = createActor(inert, {
      ...start,
      inspect: (inspection) => {
        inspect(inspection);
        if (inspection.type !== '@xstate.microstep') return;
        for (const transition of inspection._transitions) taken.add(transition as Transition);
      },
    });
    actor.subscribe({error: () => {}});
    actor.start();
    // An unhandled event changes nothing, except that an unhandled error ends the machine.
    const isTaken = event !== null && inert.getTransitionData(actor.getSnapshot(), event).length > 0;
    if (isTaken) actor.send(event);
    const snapshot = actor.getSnapshot();
    if (snapshot.status === 'error') throw snapshot.error;
    const before = 'replayed' in start ? start.replayed : null;
    const replayed = isTaken || before === null ? replay(machine, before, told) : before;
    const name = JSON.stringify([snapshot.value, key(snapshot)]);
    if (snapshot.status !== 'active' || known.has(name)) return;
    known.add(name);
    open.push({snapshot: actor.getPersistedSnapshot(), replayed});
    if (known.size > snapshotLimit)
      throw new Error(`more than ${snapshotLimit} situations, the last: ${name}`);
  };

  for (const input of inputs) visit({input}, null);
  for (let situation = open.shift(); situation; situation = open.shift()) {
    for (const event of events) visit(situation, event);
  }
  return transitions.filter((transition) => !taken.has(transition)).map(nameOf);
}

type Situation = {readonly snapshot: Snapshot<unknown>; readonly replayed: ReplayedActor | null};

function replay(
  machine: AnyStateMachine,
  before: ReplayedActor | null,
  entry: JournalEntry | null,
): ReplayedActor | null {
  if (entry === null) throw new Error('the observer was told nothing');
  const {actor, difference} = replayEntry(before, entry, machine);
  if (difference !== null)
    throw new Error(`replay differs: ${JSON.stringify({recorded: entry, replayed: difference})}`);
  return actor;
}

function withoutEffects(machine: AnyStateMachine): AnyStateMachine {
  const names = Object.keys(machine.implementations.actors as Record<string, unknown>);
  return machine.provide({actors: Object.fromEntries(names.map((name) => [name, fromCallback(() => {})]))});
}

function transitionsOf(node: AnyStateNode): Transition[] {
  const own = [...node.transitions.values()].flat() as Transition[];
  return [...(node.always ?? []), ...own, ...Object.values(node.states).flatMap(transitionsOf)];
}

function eventsFor(
  transitions: readonly Transition[],
  payloads: readonly AnyEventObject[],
): readonly AnyEventObject[] {
  const types = new Set(transitions.map(({eventType}) => eventType as string));
  types.delete('');
  for (const {type} of payloads) types.delete(type);
  return [...payloads, ...[...types].map((type) => ({type}))];
}

function nameOf({source, eventType, target}: Transition): string {
  return `${source.id} -- ${eventType || 'always'} --> ${target?.[0]?.id ?? '(stays)'}`;
}
