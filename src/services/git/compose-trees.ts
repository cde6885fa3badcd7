import path from 'node:path';
import type {TreeSpan} from '../contracts/changes.ts';
import {type Git, GitFailure} from './safe-git.ts';
import {type Entry, isSame, type Merged, mergeEntries, noMode, type Triple} from './three-way.ts';
import {difference} from './tree-diff.ts';

/** Joins spans with no foreign changes between them and drops empty ones. */
export function joinSpans(spans: readonly TreeSpan[]): TreeSpan[] {
  const joined: TreeSpan[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (span.from === span.to) continue;
    if (last?.to === span.from) joined[joined.length - 1] = {from: last.from, to: span.to};
    else joined.push({from: span.from, to: span.to});
  }
  return joined;
}

/**
 * Two trees with only the paths the spans touched: before the first span and after the last. What others
 * changed between two spans is on both sides, so it does not show in the diff.
 */
export async function composeTrees(git: Git, spans: readonly TreeSpan[], work: string): Promise<TreeSpan> {
  const diffs = await Promise.all(spans.map(({from, to}) => difference(git, from, to)));
  const touched = new Map<string, {readonly before: Entry; readonly after: Entry}>();
  for (const diff of diffs) {
    const between = diff.flatMap(({file, before}) => {
      const earlier = touched.get(file);
      if (!earlier || isSame(earlier.after, before)) return [];
      return {file, base: earlier.after, ours: earlier.before, theirs: before};
    });
    const rebased = await withOthersEdits(git, between, work);
    for (const {file, before, after} of diff)
      touched.set(file, {before: rebased.get(file) ?? touched.get(file)?.before ?? before, after});
  }
  const sides = [...touched];
  const [from, to] = await Promise.all([
    treeOf(
      git,
      sides.map(([file, {before}]) => ({file, ...before})),
      path.join(work, 'before.index'),
    ),
    treeOf(
      git,
      sides.map(([file, {after}]) => ({file, ...after})),
      path.join(work, 'after.index'),
    ),
  ]);
  return {from, to};
}

/**
 * The files as they were before the task, plus what others changed since. Overlapping lines cannot be
 * attributed, so they are kept: better to show too much than too little.
 */
async function withOthersEdits(
  git: Git,
  between: readonly Triple[],
  work: string,
): Promise<ReadonlyMap<string, Entry>> {
  if (between.length === 0) return new Map();
  const merged = await mergeEntries(git, between, work).catch((error: unknown): readonly Merged[] => {
    // Content borrowed from a deleted repository cannot be merged; whatever displays it says so.
    if (error instanceof GitFailure && error.kind === 'failed') return [];
    throw error;
  });
  return new Map(merged.flatMap((each) => ('entry' in each ? [[each.file, each.entry]] : [])));
}

async function treeOf(
  git: Git,
  entries: ReadonlyArray<Entry & {readonly file: string}>,
  index: string,
): Promise<string> {
  const env = {GIT_INDEX_FILE: index};
  const input = entries
    .filter(({mode}) => mode !== noMode)
    .map(({mode, id, file}) => `${mode} ${id}\t${file}\0`)
    .join('');
  await git.feed(['update-index', '-z', '--index-info'], input, {env});
  // Content may still be borrowed from a deleted repository; whatever displays it says so.
  return (await git.run(['write-tree', '--missing-ok'], {env})).text.trim();
}
