/** Time as the explorer lets it pass: the timers of every chart, due when it says so. */
export type Timers = {
  /** When the next one is due; null if none is set. */
  nextDue(): number | null;
  /** Fires everything that is due at this time, in order. */
  fire(milliseconds: number): void;
  clear(): void;
  /** The durations of the set timers, to tell two states apart. */
  waiting(): readonly number[];
};

type Timer = {readonly due: number; readonly length: number; readonly run: () => void};

/** Replaces the timers of this thread permanently: only an exploration runs in it. */
export function replaceTimers(clock: () => number): Timers {
  const timers = new Map<number, Timer>();
  let count = 0;
  const set = (run: () => void, length = 0) => {
    timers.set(++count, {due: clock() + length, length, run});
    return count;
  };
  const clear = (id: number) => void timers.delete(id);
  Object.assign(globalThis, {setTimeout: set, clearTimeout: clear});
  return {
    nextDue: () => (timers.size === 0 ? null : Math.min(...[...timers.values()].map(({due}) => due))),
    fire: (milliseconds) => {
      const due = [...timers].filter(([, timer]) => timer.due <= milliseconds);
      for (const [id, {run}] of due.sort(([, one], [, other]) => one.due - other.due)) {
        if (timers.delete(id)) run();
      }
    },
    clear: () => timers.clear(),
    waiting: () => [...timers.values()].map(({length}) => length),
  };
}

/** Lets everything happen that needs no time. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
