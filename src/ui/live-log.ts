import {createStore, type Store} from './store.ts';

/** Lines kept in memory; the log file has all of them. */
const liveLines = 2_000;

export type LiveLog<T> = {
  push(line: T): void;
  /** Counts changes, throttled to one per `interval`. */
  readonly version: Store<number>;
  readonly length: number;
  /** How many lines were dropped from the start. */
  readonly dropped: number;
  slice(from: number, to: number): T[];
};

/**
 * A ring buffer with throttled notifications, for a stream that may be faster than any screen. Lines are
 * formatted only when drawn.
 */
export function createLiveLog<T>({
  capacity = liveLines,
  interval = 100,
}: {
  capacity?: number;
  interval?: number;
} = {}): LiveLog<T> {
  const ring: T[] = [];
  let next = 0;
  let total = 0;
  const version = createStore(0);
  let isScheduled = false;

  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      version.set(version.get() + 1);
    }, interval).unref();
  };

  return {
    push: (line) => {
      ring[next] = line;
      next = (next + 1) % capacity;
      total++;
      schedule();
    },
    version,
    get length() {
      return ring.length;
    },
    get dropped() {
      return total - ring.length;
    },
    slice: (from, to) => {
      const first = total > capacity ? next : 0;
      const lines: T[] = [];
      for (let index = Math.max(0, from); index < Math.min(to, ring.length); index++) {
        const line = ring[(first + index) % capacity];
        if (line !== undefined) lines.push(line);
      }
      return lines;
    },
  };
}
