import {createStore, type Store} from './store.ts';

/** So many lines of what an agent does are kept; all of it is in its log. */
export const liveLines = 2_000;

export type LiveLog<T> = {
  push(line: T): void;
  /** Counts what happened; changes at most once in `interval`, however much comes. */
  readonly version: Store<number>;
  readonly length: number;
  /** How many lines came before the first one that is kept. */
  readonly dropped: number;
  slice(from: number, to: number): T[];
};

/**
 * The last lines of a stream that may be faster than any screen. Nothing is made of a line before it is
 * looked at, and nobody is told of it more often than an eye can follow.
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
  let isAnnounced = false;

  const announce = () => {
    if (isAnnounced) return;
    isAnnounced = true;
    setTimeout(() => {
      isAnnounced = false;
      version.set(version.get() + 1);
    }, interval).unref();
  };

  return {
    push: (line) => {
      ring[next] = line;
      next = (next + 1) % capacity;
      total++;
      announce();
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
