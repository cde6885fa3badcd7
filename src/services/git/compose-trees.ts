import path from 'node:path';
import type {TreeSpan} from '../contracts/changes.ts';
import type {Git} from './safe-git.ts';
import {rawEntries} from './tree-diff.ts';

/** Stretches with nothing done by others between them are one; those that changed nothing are none. */
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
 * Two trees that hold nothing but the paths the stretches touched, each as it was before the first of them and
 * after the last. What nobody touched is the same on both sides and need not be there.
 */
export async function composeTrees(git: Git, spans: readonly TreeSpan[], work: string): Promise<TreeSpan> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev'];
  const diffs = await Promise.all(spans.map(({from, to}) => git.run([...args, from, to])));
  const touched = new Map<string, {readonly before: Entry; readonly after: Entry}>();
  for (const {text} of diffs) {
    for (const {file, before, after} of rawEntries(text))
      touched.set(file, {before: touched.get(file)?.before ?? before, after});
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

type Entry = {readonly mode: string; readonly id: string};

const nothing = '000000';

async function treeOf(
  git: Git,
  entries: ReadonlyArray<Entry & {readonly file: string}>,
  index: string,
): Promise<string> {
  const env = {GIT_INDEX_FILE: index};
  const input = entries
    .filter(({mode}) => mode !== nothing)
    .map(({mode, id, file}) => `${mode} ${id}\t${file}\0`)
    .join('');
  await git.feed(['update-index', '-z', '--index-info'], input, {env});
  // Content may still be borrowed from a repository that is gone; whatever shows it says so.
  return (await git.run(['write-tree', '--missing-ok'], {env})).text.trim();
}
