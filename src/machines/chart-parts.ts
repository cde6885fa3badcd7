import {type DoneActorEvent, type ErrorActorEvent, stateIn} from 'xstate';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';

// What the charts have in common.

/** For guards and actions: the output of an actor. */
export function outputIn<Output>({event}: {event: DoneActorEvent<Output>}): Output {
  return event.output;
}

/** For actions: the event itself, to forward it to a child. */
export const eventIn = <Event>({event}: {event: Event}): Event => event;

/** For actions: why an actor failed. */
export const errorIn = ({event}: {event: ErrorActorEvent}) => ({error: event.error});

/** For actions: the record that an actor wrote. */
export const recordIn = ({event}: {event: DoneActorEvent<RunRecord>}) => ({run: event.output});

/** For machines whose final states have their own outputs: the output of the final state it ended in. */
export function finalOutput<Output>({event}: {event: {readonly output: unknown}}): Output {
  return event.output as Output;
}

/** Asks whatever is running to stop; a second one forces it. */
export type PauseCommand = {readonly type: 'run.pause'; readonly reason: PauseReason};

/** Why it pauses, and whether another terminal asked for it. */
export type PauseWish = {readonly reason: PauseReason; readonly isAskedElsewhere?: true};
export type PauseFact = {readonly type: 'engine.pausing'; readonly isForced: boolean} & PauseWish;

/** For views: why it pauses. Only a pause leads to this state. */
export const pauseFact = (
  event: {readonly type: string} & Partial<PauseWish>,
  isForced: boolean,
): PauseFact => ({
  type: 'engine.pausing',
  reason: event.reason ?? 'user_interrupt',
  isForced,
  ...(event.isAskedElsewhere && {isAskedElsewhere: true}),
});

/** Whether another terminal asked for the stop. */
export type StopWish = {readonly isAskedElsewhere?: true};
export type StopFact = {readonly type: 'engine.stopping'} & StopWish;

const stopFact = ({event: {isAskedElsewhere}}: {readonly event: StopWish}): StopFact => ({
  type: 'engine.stopping',
  ...(isAskedElsewhere && {isAskedElsewhere}),
});

/** Nothing more starts. Views hear of it before the work does, not on entry: then they know whether it waited. */
export const stopAnnounced = {
  target: 'stopping',
  actions: {type: 'announce', params: stopFact},
} as const;

export const runPause = ({reason}: {readonly reason: PauseReason}): PauseCommand => ({
  type: 'run.pause',
  reason,
});

/** Asks for nothing more to be started. */
export type StopCommand = {readonly type: 'executor.stopAfterTask'};
export type LoopCommand = PauseCommand | StopCommand;

/**
 * A region of every machine that starts others: after a pause request nothing more starts, whatever was being written
 * at that moment.
 */
export const pauseWish = {
  initial: 'none',
  states: {
    none: {on: {'run.pause': 'pausing'}},
    pausing: {id: 'pausing'},
  },
} as const;

/** The same for a machine that can also be asked to stop after the current task. */
export const stopWish = {
  initial: 'none',
  states: {
    none: {on: {'executor.stopAfterTask': 'stopping', 'run.pause': 'pausing'}},
    stopping: {id: 'stopping', on: {'run.pause': 'pausing'}},
    pausing: {id: 'pausing'},
  },
} as const;

export const isPauseAsked = stateIn('#pausing');

/** For machines that remember why something failed and continue from there. */
export const failTo = <Target extends string>(target: Target) =>
  ({target, actions: {type: 'rememberError', params: errorIn}}) as const;

/** The output of a step, tagged with the kind of step. */
export function jobStep<Kind extends string>(type: Kind) {
  return <Output>({event}: {event: DoneActorEvent<Output>}) => ({type, output: event.output});
}

/** The user's request decides how it ended. */
export function byWish<Target extends string, Action extends string>(target: Target, type: Action) {
  return [
    {guard: 'isPauseAsked', target, actions: {type, params: {wish: 'pause'}}},
    {guard: 'isStopAsked', target, actions: {type, params: {wish: 'stop'}}},
    {target, actions: {type, params: {wish: 'none'}}},
  ] as const;
}

/**
 * How a process is stopped: asked first, then forced after a while or by a second Ctrl+C. In any case `sweeping` looks
 * for what it left behind.
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
