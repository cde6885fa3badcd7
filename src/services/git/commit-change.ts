import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import type {TreeSpan, UndoneSpan} from '../contracts/changes.ts';
import type {CommitOutcome, CommitRequest} from '../contracts/commit.ts';
import {nothingToCommit} from '../contracts/nothing-to-commit.ts';
import {
  type CommitJob,
  overlapWords,
  refuseBlocked,
  refuseFilters,
  refuseInnerRepositories,
  refuseWhileBusy,
  requireIdentity,
  type Side,
  Skipped,
} from './commit-checks.ts';
import {asCommitted} from './commit-content.ts';
import {replaceIndex, stagedEntries} from './commit-index.ts';
import {type Git, GitFailure} from './safe-git.ts';
import {
  type Entry,
  entriesIn,
  indexLines,
  isSame,
  type MergeConflict,
  type Merged,
  mergeEntries,
  noEntry,
  noMode,
  type PlacedEntry,
  type Triple,
  writeEntries,
} from './three-way.ts';
import {difference} from './tree-diff.ts';

/** What goes into a commit: the change of the task, after what undos have taken out of its last commit. */
type Content = {readonly changed: readonly Side[]; readonly undone: readonly Side[]};

/**
 * Makes one commit on top of HEAD with only this change in it. Working files are untouched, and staged
 * changes stay staged on top of the new commit.
 */
export async function commitChange(
  change: TreeSpan,
  undone: UndoneSpan | null,
  request: CommitRequest,
  job: CommitJob,
): Promise<CommitOutcome> {
  try {
    const changed = await difference(job.store, change.from, change.to);
    const content = {changed, undone: undone === null ? [] : await stillUndone(undone, job.store)};
    return await commit(content, request, job);
  } catch (error) {
    if (error instanceof Skipped || error instanceof GitFailure) return {skipped: error.message};
    throw error;
  }
}

/** The changes of the undos, without the files that the user has brought back since. */
async function stillUndone({from, to, now}: UndoneSpan, store: Git): Promise<Side[]> {
  const sides = await difference(store, from, to);
  const entries = await entriesIn(
    store,
    now,
    sides.map(({file}) => file),
  );
  return sides.filter(({file, before}) => !isSame(before, entries.get(file) ?? noEntry));
}

async function commit(content: Content, request: CommitRequest, job: CommitJob): Promise<CommitOutcome> {
  const {user, work, top} = job;
  const {changed} = content;
  const git = user(top);
  const gitFolder = (await git.run(['rev-parse', '--absolute-git-dir'])).text.replace(/\n$/, '');
  const head = await headOf(git);
  const marked = head.sha === null ? [] : await markedCommits(git, head.sha, request);
  for (const sha of changed.length === 0 ? [] : marked)
    if (await isOfChange(sha, content, job)) return {sha, ...onBranch(head)};
  refuseWhileBusy(gitFolder);
  await requireIdentity(git);

  if (changed.length === 0) throw new Skipped(nothingToCommit);
  const files = changed.map(({file}) => file);
  refuseInnerRepositories(top, files);
  await refuseFilters(git, files);
  const tree = head.sha === null ? null : `${head.sha}^{tree}`;
  const {commits, heads} = await changeOnto(tree, content, job, 'head');
  if (commits.length === 0) throw new Skipped('nothing is left to commit: HEAD has the change already');

  // Checked first: a change staged in the same place prevents the commit.
  const staged = await stagedEntries(
    git,
    commits.map(({file}) => file),
  );
  if ('unmerged' in staged) throw new Skipped(`${staged.unmerged} is in conflict in the index`);
  const onTop = commits.map(({file, entry}) => ({
    file,
    base: heads.get(file) ?? noEntry,
    theirs: entry,
    ours: staged.entries.get(file) ?? noEntry,
  }));
  const index = (
    await mergeFor(onTop, job, 'index', (_, file) => {
      throw new Skipped(`${file}: what you have staged is in the same place`);
    })
  ).filter(({file, entry}) => !isSame(entry, staged.entries.get(file) ?? noEntry));

  const sha = await writeCommit(git, {head: head.sha, entries: commits, message: request.message, work});
  // Index first: if Blackbird dies here, the change stays staged and is committed on the next try. In the
  // other order, the user's next commit would revert the change.
  const replaced = await replaceIndex(git, {gitFolder, work, lines: indexLines(index)});
  if (replaced === null) throw new Skipped('another git is changing the index');
  try {
    await moveHead(git, sha, head.sha, request.message);
  } catch (error) {
    replaced.putBack();
    throw error;
  }
  return {sha, ...onBranch(head)};
}

/** The entries the change produces in a tree, and the ones it replaces. */
async function changeOnto(
  tree: string | null,
  {changed, undone}: Content,
  {work, ...rest}: CommitJob,
  name: string,
): Promise<{readonly commits: readonly PlacedEntry[]; readonly heads: ReadonlyMap<string, Entry>}> {
  const job = {...rest, work: path.join(work, name)};
  mkdirSync(job.work, {mode: 0o700});
  const git = job.user(job.top);
  const sides = await asCommitted(changed, job);
  const files = new Set([...undone, ...changed].map(({file}) => file));
  const heads = tree === null ? new Map<string, Entry>() : await entriesIn(git, tree, [...files]);
  const {gone, left} = await withoutUndone(heads, undone, job);
  await refuseBlocked(git, tree, [...gone, ...sides], heads);
  const merged = await mergeFor(triplesOf(sides, left), job, 'merged', (conflict, file) => {
    throw new Skipped(overlapWords(conflict, file, 'HEAD'));
  });
  const entries = new Map([...left, ...merged.map(({file, entry}) => [file, entry] as const)]);
  const placed = [...entries].map(([file, entry]) => ({file, entry}));
  return {commits: placed.filter(({file, entry}) => !isSame(entry, heads.get(file) ?? noEntry)), heads};
}

/** These entries as the undos would leave them. One that is something else by now stays as it is. */
async function withoutUndone(
  heads: ReadonlyMap<string, Entry>,
  undone: readonly Side[],
  {work, ...rest}: CommitJob,
): Promise<{readonly gone: readonly Side[]; readonly left: ReadonlyMap<string, Entry>}> {
  if (undone.length === 0) return {gone: [], left: heads};
  const job = {...rest, work: path.join(work, 'undone')};
  mkdirSync(job.work, {mode: 0o700});
  try {
    const files = undone.map(({file}) => file);
    refuseInnerRepositories(job.top, files);
    await refuseFilters(job.user(job.top), files);
    const sides = await asCommitted(undone, job);
    const merged = await mergeFor(triplesOf(sides, heads), job, 'merged', () => {});
    const left = new Map([...heads, ...merged.map(({file, entry}) => [file, entry] as const)]);
    return {gone: sides.filter(({file, after}) => isSame(after, left.get(file) ?? noEntry)), left};
  } catch (error) {
    // Such files are never committed: their undo is not either.
    if (error instanceof Skipped) return {gone: [], left: heads};
    throw error;
  }
}

const triplesOf = (sides: readonly Side[], ours: ReadonlyMap<string, Entry>): Triple[] =>
  sides.map(({file, before, after}) => ({
    file,
    base: before,
    theirs: after,
    ours: ours.get(file) ?? noEntry,
  }));

/** Anyone can write a trailer: a commit is ours only if it makes exactly this change to its parent. */
async function isOfChange(sha: string, content: Content, job: CommitJob): Promise<boolean> {
  const git = job.user(job.top);
  const {code, text} = await git.run(['rev-parse', '-q', '--verify', `${sha}^`], {answers: [0, 1, 128]});
  const parent = code === 0 ? `${text.trim()}^{tree}` : null;
  const made = await difference(git, parent ?? (await git.feed(['mktree'], '')).trim(), `${sha}^{tree}`);
  try {
    const {commits} = await changeOnto(parent, content, job, `of-${sha}`);
    const entries = new Map(commits.map(({file, entry}) => [file, entry]));
    return (
      made.length === commits.length &&
      made.every(({file, after}) => isSame(after, entries.get(file) ?? {mode: '', id: ''}))
    );
  } catch (error) {
    if (error instanceof Skipped) return false;
    throw error;
  }
}

type Head = {readonly sha: string | null; readonly branch: string | null};

const onBranch = ({branch}: Head) => (branch === null ? {} : {branch});

async function headOf(git: Git): Promise<Head> {
  const [commit, ref] = await Promise.all([
    git.run(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], {answers: [0, 1, 128]}),
    git.run(['symbolic-ref', '-q', '--short', 'HEAD'], {answers: [0, 1]}),
  ]);
  return {
    sha: commit.code === 0 ? commit.text.trim() : null,
    branch: ref.code === 0 ? ref.text.trim() : null,
  };
}

/** How many commits back to look for an earlier try. */
const searchedCommits = '200';

/** Includes a commit of a Blackbird that died before it could record it. */
async function markedCommits(git: Git, head: string, {mark}: CommitRequest): Promise<string[]> {
  const trailers = `%(trailers:key=${mark.trailer},valueonly,separator=%x00)`;
  const args = ['rev-list', `--max-count=${searchedCommits}`, `--format=%x01%H%x00${trailers}%x00`, head];
  const {text} = await git.run(args);
  const commits = text
    .split('\x01')
    .slice(1)
    .map((entry) => entry.split('\0'));
  return commits.flatMap(([sha = '', ...values]) => (values.slice(0, -1).includes(mark.value) ? [sha] : []));
}

/** Merges all paths, except those that cannot be merged; `onConflict` may refuse because of one. */
async function mergeFor(
  triples: readonly Triple[],
  {store, user, work}: CommitJob,
  name: string,
  onConflict: (conflict: MergeConflict, file: string) => void,
): Promise<PlacedEntry[]> {
  const merged = await mergeEntries(store, triples, path.join(work, name));
  const entries = merged.flatMap((each: Merged): PlacedEntry[] => {
    if ('entry' in each) return [each];
    onConflict(each.conflict, each.file);
    return [];
  });
  // Merge results are in our store; the commit needs them in the repository.
  const known = new Set(triples.flatMap(({base, ours, theirs}) => [base.id, ours.id, theirs.id]));
  const fresh = entries.filter(({entry}) => entry.mode !== noMode && !known.has(entry.id));
  const folder = path.join(work, `${name}-fresh`);
  await writeEntries(store, fresh, folder, work);
  for (const {file} of fresh)
    await user(folder).run(['hash-object', '-w', '--no-filters', '--', path.join(folder, file)]);
  return entries;
}

async function writeCommit(
  git: Git,
  {
    head,
    entries,
    message,
    work,
  }: {head: string | null; entries: readonly PlacedEntry[]; message: string; work: string},
): Promise<string> {
  const env = {GIT_INDEX_FILE: path.join(work, 'commit.index')};
  await git.run(head === null ? ['read-tree', '--empty'] : ['read-tree', head], {env});
  await git.feed(['update-index', '-z', '--index-info'], indexLines(entries), {env});
  const tree = (await git.run(['write-tree'], {env})).text.trim();
  const file = path.join(work, 'message');
  writeFileSync(file, message);
  const parents = head === null ? [] : ['-p', head];
  return (await git.run(['commit-tree', tree, ...parents, '-F', file])).text.trim();
}

/** Only from the expected commit, so that a concurrent commit is never lost. */
async function moveHead(git: Git, sha: string, from: string | null, message: string): Promise<void> {
  const [subject = ''] = message.split('\n');
  const {code} = await git.run(
    ['update-ref', '-m', `blackbird: ${subject}`, 'HEAD', sha, from ?? '0'.repeat(sha.length)],
    {answers: [0, 1, 128]},
  );
  if (code !== 0) throw new Skipped('HEAD moved while the commit was made');
}
