import fc, {runsOf} from '../helpers/fast-check.ts';

/** A failure names its seed, its path and the smallest case that fails. */
export function fuzz<T>(property: fc.IRawProperty<T>, runs: number): Promise<void> | void {
  return fc.assert(property, {numRuns: runsOf(runs)}) as Promise<void> | void;
}
