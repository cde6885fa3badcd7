import {expect, test} from 'vitest';
import {assign, createMachine, setup} from 'xstate';
import {promiseNotProvided} from '../../src/machines/actors/not-provided.ts';
import {unreachedTransitions} from '../helpers/model.ts';

const door = setup({
  types: {context: {} as {keys: number}, events: {} as {type: 'turn' | 'push' | 'drop'}},
  actors: {open: promiseNotProvided<void, void>('open')},
  guards: {hasTwoKeys: ({context}) => context.keys > 1},
}).createMachine({
  id: 'door',
  context: {keys: 0},
  initial: 'shut',
  states: {
    shut: {
      on: {turn: {actions: assign({keys: ({context}) => Math.min(context.keys + 1, 2)})}, push: 'moving'},
      always: {guard: 'hasTwoKeys', target: 'moving'},
    },
    moving: {invoke: {id: 'open', src: 'open', onDone: 'wide', onError: 'shut'}, after: {100: 'shut'}},
    wide: {type: 'final'},
    forgotten: {on: {drop: 'shut'}, always: {guard: () => false, target: 'shut'}},
  },
});

test('names the transitions that no walk takes, including eventless ones', () => {
  expect(unreachedTransitions(door, {key: ({context}) => context.keys})).toEqual([
    'door.forgotten -- always --> door.shut',
    'door.forgotten -- drop --> door.shut',
  ]);
});

test('sees no further than its key: what only a counter tells apart is not explored', () => {
  expect(unreachedTransitions(door)).toEqual([
    'door.shut -- always --> door.moving',
    'door.forgotten -- always --> door.shut',
    'door.forgotten -- drop --> door.shut',
  ]);
});

test('refuses a key that never repeats', () => {
  const counter = createMachine({
    id: 'counter',
    context: {count: 0},
    on: {count: {actions: assign({count: ({context}) => context.count + 1})}},
  });
  expect(() => unreachedTransitions(counter, {key: ({context}) => context.count})).toThrow(
    'more than 5000 situations',
  );
});

test('refuses a machine that decides on text, which no journal keeps', () => {
  const listener = setup({types: {events: {} as {type: 'said'; words: string}}}).createMachine({
    id: 'listener',
    initial: 'open',
    states: {open: {on: {said: {guard: ({event}) => event.words === 'sesame', target: 'in'}}}, in: {}},
  });
  expect(() => unreachedTransitions(listener, {payloads: [{type: 'said', words: 'sesame'}]})).toThrow(
    /^replay differs: .*"replayed":\{"state":"open","status":"active"\}/,
  );
});
