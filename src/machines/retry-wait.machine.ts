import {assign, setup} from 'xstate';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {Wait} from './policies/job/waiting.ts';

export type RetryWaitInput = {readonly wait: Wait};
export type RetryWaitCommand =
  /** The user does not want to wait any longer. */
  | {readonly type: 'retry.now'}
  /** The computer slept, or its clock was set. */
  | {readonly type: 'clock.changed'};
/** `left`: milliseconds at the last look. */
type RetryWaitContext = RetryWaitInput & {left: number};

/** The input for a wait. */
export function waitInput(wait: Wait | null): RetryWaitInput {
  if (wait === null) throw new Error('There is nothing to wait for');
  return {wait};
}

/** How often the wall clock is read again: timers stand still while the computer sleeps. */
const longestLook = 30_000;

/** Waits for a time on the wall clock, or until the user wants to try now. Leaving the state ends the wait. */
export const retryWaitMachine = setup({
  types: {
    input: {} as RetryWaitInput,
    context: {} as RetryWaitContext,
    events: {} as RetryWaitCommand,
  },
  actors: {
    /** Shows the wait to the views and lets them end it. */
    announceWait: callbackNotProvided<RetryWaitCommand, RetryWaitInput>('announceWait'),
    /** Other terminals read it from disk. */
    recordWait: promiseNotProvided<void, RetryWaitInput>('recordWait'),
    /** How many milliseconds are left. */
    readClock: promiseNotProvided<number, RetryWaitInput>('readClock'),
    /** Clears the known limit and makes the waiting run due. Warns about what it cannot write. */
    forgetLimit: promiseNotProvided<void, RetryWaitInput>('forgetLimit'),
  },
  guards: {
    isDue: (_, left: number) => left <= 0,
  },
  delays: {
    untilNextLook: ({context}) => Math.min(longestLook, context.left),
  },
}).createMachine({
  id: 'retryWait',
  context: ({input}) => ({...input, left: longestLook}),
  invoke: {
    id: 'announceWait',
    src: 'announceWait',
    input: ({context}) => ({wait: context.wait}),
  },
  initial: 'recording',
  states: {
    recording: {
      on: {'retry.now': 'forgetting'},
      invoke: {
        id: 'recordWait',
        src: 'recordWait',
        input: ({context}) => ({wait: context.wait}),
        onDone: 'looking',
      },
    },
    looking: {
      on: {'retry.now': 'forgetting'},
      invoke: {
        id: 'readClock',
        src: 'readClock',
        input: ({context}) => ({wait: context.wait}),
        onDone: [
          {guard: {type: 'isDue', params: ({event}) => event.output}, target: 'due'},
          {target: 'waiting', actions: assign({left: ({event}) => event.output})},
        ],
      },
    },
    waiting: {
      on: {'retry.now': 'forgetting', 'clock.changed': 'looking'},
      after: {untilNextLook: 'looking'},
    },
    forgetting: {
      invoke: {
        id: 'forgetLimit',
        src: 'forgetLimit',
        input: ({context}) => ({wait: context.wait}),
        onDone: 'due',
        onError: 'waiting',
      },
    },
    due: {type: 'final'},
  },
});
