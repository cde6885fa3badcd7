/** What can be known about agents beforehand: how long tasks take, what they cost, how often they fail or ask. */
export type Odds = {
  /** Minutes and dollars of past runs; one is drawn for each task. */
  readonly samples: ReadonlyArray<{readonly minutes: number; readonly costUsd: number}>;
  /** From 0 to 1. */
  readonly fail: number;
  readonly ask: number;
};

export type Draw = {
  readonly outcome: 'done' | 'failed' | 'asks';
  readonly milliseconds: number;
  readonly costUsd: number;
};

/** The random outcomes of one night: the same seed, night, task and attempt always give the same. */
export function drawer(odds: Odds, seed: number, night: number): (taskId: string, attempt: number) => Draw {
  return (taskId, attempt) => {
    const next = randomNumbers(hashOf(`${seed}/${night}/${attempt}/${taskId}`));
    const sample = odds.samples[Math.floor(next() * odds.samples.length)] ?? {minutes: 0, costUsd: 0};
    const luck = next();
    const outcome = luck < odds.fail ? 'failed' : luck < odds.fail + odds.ask ? 'asks' : 'done';
    return {outcome, milliseconds: Math.round(sample.minutes * 60_000), costUsd: sample.costUsd};
  };
}

/** Samples around a given number, from half to one and a half of it, with the number as mean. */
export function samplesAround(minutes: number, costUsd: number): Odds['samples'] {
  return Array.from({length: 21}, (_, index) => {
    const factor = 0.5 + index / 20;
    return {minutes: minutes * factor, costUsd: costUsd * factor};
  });
}

/** FNV-1a; it only has to spread well. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Mulberry32: small, fast and good enough. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
