import {type AnyStateMachine, type AnyStateNode, not} from 'xstate';
import {stateDescription} from '../../state-descriptions.ts';

/** A machine as data: the source of the inspector's drawings and of the diagrams. */
export type Chart = {
  readonly id: string;
  readonly root: ChartState;
  /** In definition order, the root's own first. */
  readonly transitions: readonly ChartTransition[];
};

export type ChartState = {
  /** Unique in the machine; starts with the machine's own id. */
  readonly id: string;
  readonly key: string;
  /** What it means, for readers new to the machine; empty for the machine itself. */
  readonly description: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** The id of the child that is entered first. */
  readonly initial: string | null;
  readonly tags: readonly string[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly invokes: readonly ChartInvoke[];
  readonly states: readonly ChartState[];
};

export type ChartInvoke = {readonly id: string; readonly src: string};

export type ChartTransition = {
  readonly id: string;
  readonly source: string;
  /** The machine's event type; empty for an eventless transition. */
  readonly event: string;
  readonly trigger: Trigger;
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** Empty if the state does not change. */
  readonly targets: readonly string[];
};

export type Trigger = {
  readonly type: 'event' | 'always' | 'after' | 'done' | 'error';
  /** The event, the delay, or the actor or state that ended. */
  readonly name: string;
};

type Transition = NonNullable<AnyStateNode['always']>[number];
/** As in definitions: a name, an object with a type, or an inline function. */
type Named =
  | string
  | {readonly type?: string; readonly params?: unknown; readonly assignment?: unknown}
  | undefined;

export function chartOf(machine: AnyStateMachine): Chart {
  return {id: machine.id, root: stateOf(machine.root), transitions: transitionsOf(machine.root)};
}

/** A machine as other tools read it: its configuration, with functions replaced by their names. */
export function definitionOf(machine: AnyStateMachine): string {
  return JSON.stringify(machine.config, (_, value: unknown) =>
    typeof value === 'function' ? {type: nameOf(value as Named) ?? value.name} : value,
  );
}

/** Every state of a chart, parents before their children. */
export function statesOf(state: ChartState): ChartState[] {
  return [state, ...state.states.flatMap(statesOf)];
}

/** A trigger as shown to readers. */
export function triggerLabel({type, name}: Trigger): string {
  if (type === 'event') return name;
  return type === 'always' ? 'always' : `${type}(${name})`;
}

/** The id without the machine's name: `running.active`. A state with a custom id keeps that. */
export function pathIn(chart: Chart, id: string): string {
  return id.startsWith(`${chart.id}.`) ? id.slice(chart.id.length + 1) : id;
}

/** A state's path, below its parent's; the machine itself has none. */
export const pathOf = (parent: string, key: string): string => (parent === '' ? key : `${parent}.${key}`);

function stateOf(node: AnyStateNode): ChartState {
  const initial = node.type === 'compound' ? node.initial.target?.[0]?.id : undefined;
  return {
    id: node.id,
    key: node.key,
    description: stateDescription(node.machine.id, node.path),
    type: node.type,
    initial: initial ?? null,
    tags: [...node.tags],
    entry: namesOf(node.entry),
    exit: namesOf(node.exit),
    invokes: node.invoke.map(({id, src}) => ({id, src: typeof src === 'string' ? src : 'inline'})),
    states: Object.values(node.states).map(stateOf),
  };
}

function transitionsOf(node: AnyStateNode): ChartTransition[] {
  const own = [...(node.always ? [['', node.always] as const] : []), ...node.transitions];
  return [
    ...own.flatMap(([event, list]) =>
      list.map((transition: Transition, index) => ({
        id: `${node.id}|${event}|${index}`,
        source: node.id,
        event,
        trigger: triggerOf(event),
        guard: guardOf(transition),
        actions: namesOf(transition.actions),
        targets: (transition.target ?? []).map(({id}) => id),
      })),
    ),
    ...Object.values(node.states).flatMap(transitionsOf),
  ];
}

function triggerOf(event: string): Trigger {
  if (event === '') return {type: 'always', name: ''};
  const known = /^xstate\.(done|error)\.(?:actor\.|state\.(?:.*\.)?)(.+)$/.exec(event);
  if (known) return {type: known[1] as 'done' | 'error', name: known[2] as string};
  // A delay is followed by the id of its state; neither has a dot in its own name.
  const delay = /^xstate\.after\.([^.]+)\./.exec(event);
  return delay ? {type: 'after', name: delay[1] as string} : {type: 'event', name: event};
}

function guardOf({guard}: Transition): string | null {
  return guard === undefined ? null : guardName(guard);
}

type Combined = {readonly check?: unknown; readonly guards?: readonly unknown[]};

function guardName(guard: unknown): string {
  const {check, guards = []} = guard as Combined;
  // XState's `not` wraps a guard. Recognized by its `check` function, because a build changes its name.
  const negation = not('any') as Combined;
  if (check !== undefined && check === negation.check) return `not ${guards.map(guardName).join()}`;
  const named = guard as Named;
  const params = typeof named === 'object' && typeof named.params === 'object' ? named.params : null;
  const given = params === null ? '' : `(${Object.values(params).join(', ')})`;
  return `${nameOf(named) ?? 'condition'}${given}`;
}

/** XState keeps delays as internal actions; they are already drawn as transitions. */
function namesOf(actions: readonly unknown[]): string[] {
  return actions.flatMap((action) => {
    const name = nameOf(action as Named) ?? 'action';
    return name === 'raise' || name === 'cancel' ? [] : [name];
  });
}

function nameOf(part: Named): string | null {
  if (typeof part === 'string') return part;
  const name = part?.type?.replace(/^xstate\./, '');
  if (name !== 'assign' || typeof part?.assignment !== 'object') return name ?? null;
  return `assign(${Object.keys(part.assignment as object).join(', ')})`;
}
