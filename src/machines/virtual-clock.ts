import type {ActorOptions, AnyActorLogic} from 'xstate';

/** Drives the delays of machines. */
export type Clock = NonNullable<ActorOptions<AnyActorLogic>['clock']>;

export type VirtualClock = Clock & {
  /** Milliseconds since 1970, as far as the clock has advanced. */
  now(): number;
  /** Advances to the next timer and fires it; false if there is none. */
  advance(): boolean;
};

/** A clock that stands still until it is advanced. Timers of the same moment fire in the order they were set. */
export function createVirtualClock(start: number): VirtualClock {
  type Timer = {readonly at: number; readonly number: number; readonly ring: () => void};
  const timers = new Map<number, Timer>();
  let time = start;
  let count = 0;
  return {
    now: () => time,
    setTimeout: (ring: () => void, milliseconds: number) => {
      const number = ++count;
      timers.set(number, {at: time + Math.max(0, milliseconds), number, ring});
      return number;
    },
    clearTimeout: (number: number) => void timers.delete(number),
    advance: () => {
      let next: Timer | undefined;
      for (const timer of timers.values()) if (!next || timer.at < next.at) next = timer;
      if (!next) return false;
      timers.delete(next.number);
      time = Math.max(time, next.at);
      next.ring();
      return true;
    },
  };
}
