import {setFlagsFromString} from 'node:v8';

/**
 * V8 optimizes what is only lukewarm in threads of its own, and a fork waits for them: it takes twice as long.
 * What is hot (the output of an agent) still gets there within milliseconds.
 */
export function optimizeLate(): void {
  const flag = lateOptimizationFlag(process.versions.node);
  if (flag !== null) setFlagsFromString(flag);
}

/** Null where V8 does not know it: then it would complain on stderr, into whatever is shown there. */
export function lateOptimizationFlag(nodeVersion: string): string | null {
  return nodeVersion.startsWith('20.') ? '--interrupt-budget=500000' : null;
}
