import fc from 'fast-check';

/**
 * The same cases in every `npm test`, so that a failure points to the change; `npm run fuzz` uses and prints
 * a new seed.
 */
const seed = Number(process.env.FUZZ_SEED ?? 206);

fc.configureGlobal({seed});

const asked = process.env.FUZZ_RUNS;

/** How often a property is tried: `runs` in `npm test`, as requested in `npm run fuzz`. */
export const runsOf = (runs: number): number => (asked === undefined ? runs : Number(asked));

export default fc;
