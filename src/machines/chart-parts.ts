import {type DoneActorEvent, type ErrorActorEvent, stateIn} from 'xstate';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';

// What the charts have in common.

/** For guards and actions: what an actor came to. */
export function outputIn<Output>({event}: {event: DoneActorEvent<Output>}): Output {
  return event.output;
}

/** For actions: the event itself, as it is sent on to a child. */
export const eventIn = <Event>({event}: {event: Event}): Event => event;

/** For actions: why an actor failed. */
export const errorIn = ({event}: {event: ErrorActorEvent}) => ({error: event.error});

/** For actions: the record as an actor wrote it. */
export const recordIn = ({event}: {event: DoneActorEvent<RunRecord>}) => ({run: event.output});

/** For machines whose final states have outputs of their own: the machine's is that of the one it ended in. */
export function finalOutput<Output>({event}: {event: {readonly output: unknown}}): Output {
  return event.output as Output;
}

/** Asks whatever runs to stop; again forces it. */
export type PauseCommand = {readonly type: 'run.pause'; readonly reason: PauseReason};

/** Why it pauses, and whether it was asked for in another terminal. */
export type PauseWish = {readonly reason: PauseReason; readonly isAskedElsewhere?: true};
export type PauseNews = {readonly type: 'engine.pausing'; readonly isForced: boolean} & PauseWish;

/** For views: why it pauses. The wish can be entered by a pause only. */
export const pauseNews = (
  event: {readonly type: string} & Partial<PauseWish>,
  isForced: boolean,
): PauseNews => ({
  type: 'engine.pausing',
  reason: event.reason ?? 'user_interrupt',
  isForced,
  ...(event.isAskedElsewhere && {isAskedElsewhere: true}),
});

/** Whether the stop was asked for in another terminal. */
export type StopWish = {readonly isAskedElsewhere?: true};
export type StopNews = {readonly type: 'engine.stopping'} & StopWish;

/** For views: nothing more begins. */
export const stopNews = ({isAskedElsewhere}: {readonly type: string} & StopWish): StopNews => ({
  type: 'engine.stopping',
  ...(isAskedElsewhere && {isAskedElsewhere}),
});

export const runPause = ({reason}: {readonly reason: PauseReason}): PauseCommand => ({
  type: 'run.pause',
  reason,
});

/** Asks whoever chooses what comes next to begin nothing more. */
export type StopCommand = {readonly type: 'executor.stopAfterTask'};
export type LoopCommand = PauseCommand | StopCommand;

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

/** For machines that remember why something failed and go on there. */
export const failedBy = <Target extends string>(target: Target) =>
  ({target, actions: {type: 'rememberError', params: errorIn}}) as const;

/** What a step came to, with the kind of step it was. */
export function stepOf<Kind extends string>(type: Kind) {
  return <Output>({event}: {event: DoneActorEvent<Output>}) => ({type, output: event.output});
}

/** What a person asked for while it worked says how it ended. */
export function byWish<Target extends string, Action extends string>(target: Target, type: Action) {
  return [
    {guard: 'isPauseAsked', target, actions: {type, params: {wish: 'pause'}}},
    {guard: 'isStopAsked', target, actions: {type, params: {wish: 'stop'}}},
    {target, actions: {type, params: {wish: 'none'}}},
  ] as const;
}

/**
 * How a process of ours is stopped: asked, and after a while or a second Ctrl+C made to end. Whatever comes of it, what it left
 * behind is looked for in `sweeping`.
 */
export function stoppingStates<Ask extends string, Force extends string>(ask: Ask, force: Force) {
  return {
    interrupting: {
      entry: ask,
      always: [
        {guard: 'hasExited', target: 'sweeping'},
        {guard: 'isForced', target: 'killing'},
      ],
      after: {graceWindow: 'killing'},
    },
    killing: {
      entry: force,
      always: {guard: 'hasExited', target: 'sweeping'},
      after: {killWindow: 'sweeping'},
    },
  } as const;
}
