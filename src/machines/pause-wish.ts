import {stateIn} from 'xstate';
import type {PauseReason} from '../services/contracts/run.ts';

/** Asks whatever runs to stop; again forces it. */
export type PauseCommand = {readonly type: 'run.pause'; readonly reason: PauseReason};

/**
 * A region of every machine that starts others: once a pause was asked for, nothing more is begun, whatever
 * was being written when it came.
 */
export const pauseWish = {
  initial: 'none',
  states: {
    none: {on: {'run.pause': 'pausing'}},
    pausing: {id: 'pausing'},
  },
} as const;

/** The same for a machine that can also be asked to stop after the task at hand. */
export const stopWish = {
  initial: 'none',
  states: {
    none: {on: {'executor.stopAfterTask': 'stopping', 'run.pause': 'pausing'}},
    stopping: {id: 'stopping', on: {'run.pause': 'pausing'}},
    pausing: {id: 'pausing'},
  },
} as const;

export const isPauseAsked = stateIn('#pausing');
