import type {ChangeTracker, ReviewSummary} from '../../src/services/contracts/changes.ts';
import type {CommitOutcome} from '../../src/services/contracts/commit.ts';

export type FakeChanges = ChangeTracker & {
  /** The current tree; null without git. */
  tree: string | null;
  /** The requested commits, and their results. */
  readonly commits: string[];
  commitOutcome: CommitOutcome;
  /** How often the files were read. */
  looks: number;
};

/** The summary of a run without git. */
export const noSummary: ReviewSummary = {
  files: [],
  diffstat: '',
  snippets: [],
  note: 'there is no git repository',
};

/** The files as a single word. Initially null: nothing is recorded, as outside git. */
export function createFakeChanges(): FakeChanges {
  const changes: FakeChanges = {
    tree: null,
    commits: [],
    commitOutcome: {sha: 'c0ffee0000000000000000000000000000000000', branch: 'main'},
    looks: 0,
    snapshot: async () => {
      changes.looks += 1;
      return changes.tree;
    },
    compose: async (spans) => {
      const worked = spans.filter(({from, to}) => from !== to);
      const [first, ...others] = worked.length === 0 ? spans : worked;
      if (first === undefined) throw new Error('nothing was recorded');
      if (others.length === 0) return first;
      return {from: worked.map(({from}) => from).join('+'), to: worked.map(({to}) => to).join('+')};
    },
    summarize: async (from, to) =>
      from === null || to === null
        ? noSummary
        : {files: from === to ? [] : [`${from}-${to}`], diffstat: '', snippets: []},
    files: async (from, to) =>
      from === to ? [] : [{path: `${from}-${to}`, kind: 'changed', lines: {added: 1, removed: 0}}],
    countLines: async () => 3,
    diff: async (from, to) => `${from} ${to}`,
    planUndo: async ({from, to}, {isForced}) => {
      const now = changes.tree ?? '';
      const path = `${from}-${to}`;
      if (now === from) return {from: now, to: now, files: [], conflicts: []};
      const conflicts = now === to ? [] : [{path, reason: 'edited since', isForceable: true}];
      if (conflicts.length > 0 && !isForced) return {from: now, to: now, files: [], conflicts};
      return {from: now, to: from, files: [{path, kind: 'changed'}], conflicts};
    },
    commit: async ({from, to}, {mark}) => {
      changes.commits.push(`${from}-${to} ${mark.value}`);
      return changes.commitOutcome;
    },
    applyUndo: async ({to}) => {
      changes.tree = to;
    },
  };
  return changes;
}
