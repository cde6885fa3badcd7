import type {ChangeTracker} from '../../services/contracts/changes.ts';

/** Two looks at the files within this time are one: whoever changes them then does so during the next run. */
const momentMilliseconds = 250;

/**
 * A run that follows at once on one that changed nothing begins with the very files that one ended with, so
 * they are not looked at twice. After any change they are: the rules of what is ignored may be new.
 */
export function withSameFiles(changes: ChangeTracker, monotonicNow: () => number): ChangeTracker {
  let unchanged: {readonly tree: string; readonly at: number} | null = null;
  return {
    ...changes,
    snapshot: async (since = null) => {
      const known = unchanged;
      unchanged = null;
      if (since === null && known && monotonicNow() - known.at <= momentMilliseconds) return known.tree;
      const tree = await changes.snapshot(since);
      if (tree !== null && tree === since) unchanged = {tree, at: monotonicNow()};
      return tree;
    },
  };
}
