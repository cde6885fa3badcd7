import {assign, setup} from 'xstate';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import type {Wait} from './policies/job/waiting.ts';

export type RetryWaitInput = {readonly wait: Wait};
export type RetryWaitCommand =
  /** Somebody does not want to wait any longer. */
  | {readonly type: 'retry.now'}
  /** The machine slept, or its clock was set. */
  | {readonly type: 'clock.changed'};
/** `left`: milliseconds, as of the last look. */
type RetryWaitContext = RetryWaitInput & {left: number};

/** For whoever waits. */
export function waitInput(wait: Wait | null): RetryWaitInput {
  if (wait === null) throw new Error('There is nothing to wait for');
  return {wait};
}

/** The wall clock is looked at again after so long: the timer of a sleeping machine stands still. */
const longestLook = 30_000;

/** Waits for a time on the wall clock, or until somebody wants to try now. Whoever leaves it waits no more. */
export const retryWaitMachine = setup({
  types: {
    input: {} as RetryWaitInput,
    context: {} as RetryWaitContext,
    events: {} as RetryWaitCommand,
  },
  actors: {
    /** Tells the views of the wait while it lasts, and takes their wish to end it. */
    announceWait: callbackNotProvided<RetryWaitCommand, RetryWaitInput>('announceWait'),
    /** Other terminals read it from the disk. */
    recordWait: promiseNotProvided<void, RetryWaitInput>('recordWait'),
    /** How many milliseconds are left. */
    readClock: promiseNotProvided<number, RetryWaitInput>('readClock'),
    /** What is known of the limit is forgotten, and the run that waits is due. Warns of what it cannot write. */
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
