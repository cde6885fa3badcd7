import fc from 'fast-check';

/** The same in every `npm test`, so that it fails for what changed; `npm run fuzz` takes another one and tells it. */
export const seed = Number(process.env.FUZZ_SEED ?? 206);

const asked = process.env.FUZZ_RUNS;

/** How often a property is tried: `runs` in `npm test`, as often as was asked in `npm run fuzz`. */
export const runsOf = (runs: number): number => (asked === undefined ? runs : Number(asked));

/** A failure names its seed, its path and the smallest case that fails. */
export function fuzz<T>(property: fc.IRawProperty<T>, runs: number): Promise<void> | void {
  return fc.assert(property, {seed, numRuns: runsOf(runs)}) as Promise<void> | void;
}
