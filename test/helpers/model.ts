import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
  fromCallback,
  type Snapshot,
} from 'xstate';

type Transition = AnyStateNode['always'] extends ReadonlyArray<infer T> | undefined ? T : never;

export type Exploration = {
  /** One start of the machine for each. */
  readonly inputs?: readonly unknown[];
  /** Events with the data that guards and assigns read; every other event is sent bare. */
  readonly payloads?: readonly AnyEventObject[];
  /** What, besides the state value, makes two snapshots different. */
  readonly key?: (snapshot: AnyMachineSnapshot) => unknown;
};

/** Far more than a machine that fits on a page has; reaching it means that `key` counts something. */
const snapshotLimit = 5_000;

/**
 * Walks a machine from each input with effects that do nothing, sends every event in every situation, and
 * names the transitions, eventless ones too, that no walk takes.
 */
export function unreachedTransitions(machine: AnyStateMachine, exploration: Exploration = {}): string[] {
  const {inputs = [undefined], payloads = [], key = () => null} = exploration;
  const inert = withoutEffects(machine);
  const transitions = transitionsOf(inert.root);
  const events = eventsFor(transitions, payloads);
  const taken = new Set<Transition>();
  const known = new Set<string>();
  const open: Array<Snapshot<unknown>> = [];

  const visit = (start: {input: unknown} | {snapshot: Snapshot<unknown>}, event: AnyEventObject | null) => {
    const actor = createActor(inert, {
      ...start,
      inspect: (inspection) => {
        if (inspection.type !== '@xstate.microstep') return;
        for (const transition of inspection._transitions) taken.add(transition as Transition);
      },
    });
    actor.subscribe({error: () => {}});
    actor.start();
    // What nobody takes changes nothing, except that an error nobody takes ends the machine.
    if (event && inert.getTransitionData(actor.getSnapshot(), event).length > 0) actor.send(event);
    const snapshot = actor.getSnapshot();
    if (snapshot.status === 'error') throw snapshot.error;
    const name = JSON.stringify([snapshot.value, key(snapshot)]);
    if (snapshot.status !== 'active' || known.has(name)) return;
    known.add(name);
    open.push(actor.getPersistedSnapshot());
    if (known.size > snapshotLimit)
      throw new Error(`more than ${snapshotLimit} situations, the last: ${name}`);
  };

  for (const input of inputs) visit({input}, null);
  for (let snapshot = open.shift(); snapshot; snapshot = open.shift()) {
    for (const event of events) visit({snapshot}, event);
  }
  return transitions.filter((transition) => !taken.has(transition)).map(nameOf);
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
