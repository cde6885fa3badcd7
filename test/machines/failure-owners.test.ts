import {expect, test} from 'vitest';
import {type AnyStateMachine, type AnyStateNode, setup} from 'xstate';
import {promiseNotProvided} from '../../src/machines/actors/not-provided.ts';
import {machines} from '../../src/machines/machines.ts';

// An unhandled failure ends the machine it happens in, and all its actors, in the middle of their work.

type Invocation = {
  readonly machine: AnyStateMachine;
  readonly name: string;
  /** The invoked machine; null for an effect. */
  readonly child: string | null;
  readonly isOwned: boolean;
};

function invocationsOf(machine: AnyStateMachine): Invocation[] {
  const found: Invocation[] = [];
  const nodes: AnyStateNode[] = [machine.root];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    nodes.push(...Object.values(node.states));
    for (const {id, src} of node.invoke) {
      const logic: unknown = typeof src === 'string' ? machine.implementations.actors[src] : src;
      const child = isMachine(logic) ? logic.id : null;
      found.push({machine, name: `${node.id}: ${id}`, child, isOwned: isOwned(node, id)});
    }
  }
  return found;
}

const isMachine = (logic: unknown): logic is AnyStateMachine =>
  typeof logic === 'object' && logic !== null && 'root' in logic;

const isOwned = (node: AnyStateNode, id: string): boolean =>
  node.transitions.has(`xstate.error.actor.${id}`) || (node.parent !== undefined && isOwned(node.parent, id));

/** Every invocation whose failure is handled neither by its machine nor by those that invoked it. */
function unowned(all: readonly AnyStateMachine[]): string[] {
  const invocations = all.flatMap(invocationsOf);
  const reaches = ({machine, isOwned: isTaken}: Invocation, seen: readonly string[]): boolean => {
    if (isTaken) return true;
    if (seen.includes(machine.id)) return false;
    const parents = invocations.filter(({child}) => child === machine.id);
    return parents.length > 0 && parents.every((each) => reaches(each, [...seen, machine.id]));
  };
  return invocations.filter((each) => !reaches(each, [])).map(({name}) => name);
}

test('the failure of every effect and invoked machine is handled', () => {
  const known = machines.map(({machine}) => machine);
  expect(known.flatMap(invocationsOf).length).toBeGreaterThan(80);
  expect(unowned(known)).toEqual([]);
});

const work = {work: promiseNotProvided<void, void>('work')};
const child = setup({actors: work}).createMachine({id: 'child', invoke: {id: 'work', src: 'work'}});
const parent = (onError: {onError?: string}) =>
  setup({actors: {child}}).createMachine({
    id: 'parent',
    initial: 'at',
    states: {at: {invoke: {id: 'child', src: 'child', ...onError}}, broken: {}},
  });

test('names unhandled ones, and accepts a parent as handler', () => {
  expect(unowned([child])).toEqual(['child: work']);
  expect(unowned([parent({}), child])).toEqual(['parent.at: child', 'child: work']);
  expect(unowned([parent({onError: 'broken'}), child])).toEqual([]);
});
