import fc from 'fast-check';

/** The same cases in every `npm test`, so that it fails for what changed; `npm run fuzz` takes another seed and prints it. */
const seed = Number(process.env.FUZZ_SEED ?? 206);

fc.configureGlobal({seed});

const asked = process.env.FUZZ_RUNS;

/** How often a property is tried: `runs` in `npm test`, as often as was asked in `npm run fuzz`. */
export const runsOf = (runs: number): number => (asked === undefined ? runs : Number(asked));

export default fc;
