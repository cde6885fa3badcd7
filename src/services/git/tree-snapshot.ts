import {createHash} from 'node:crypto';
import {lstatSync, type Stats, writeFileSync} from 'node:fs';
import path from 'node:path';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {type ChangeStore, copyIndex, KeptIndex, makeGitFolder} from './change-store.ts';
import {asAlternates, openRepository, type Repository} from './repository.ts';
import {createGit, type Environment, type Git, GitFailure, gitEnvironment} from './safe-git.ts';

export type SnapshotJob = {
  readonly store: ChangeStore;
  /** A folder for this job alone. */
  readonly work: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Folders of objects that need not be stored again; submodules add theirs. */
  readonly borrowed: Set<string>;
  /** Files that are in view already stay in view. */
  readonly keepIgnored: boolean;
};

/** Files above this size are compared by size and time: their content is neither shown nor worth a copy. */
const maxContentBytes = 8 * 1024 * 1024;
/** The same for files that LFS keeps outside of git. */
const maxLfsBytes = 64 * 1024;
/** A project that would take longer than this to record has other files in it than a task's. */
const maxTotalBytes = 4 * 1024 * 1024 * 1024;
const deepestSubmodule = 5;

/** Writes the working files of a repository as a tree. `leftOut` are paths that are never part of it. */
export async function writeTree(
  repository: Repository,
  job: SnapshotJob,
  {leftOut = [], depth = 0}: {leftOut?: readonly string[]; depth?: number} = {},
): Promise<string> {
  job.borrowed.add(repository.objects);
  const name = depth === 0 ? 'main' : createHash('sha256').update(repository.top).digest('hex').slice(0, 16);
  const index = new KeptIndex(job.store, job.work, name);
  const hasIndex = index.open();
  const git = snapshotGit(repository, job, index.file);
  const write = () => writeTreeOnce({repository, job, git, index: index.file, leftOut, depth});
  try {
    return await write();
  } catch (error) {
    // An index that is broken, or whose objects are gone, is only a cache: begin again without it.
    if (!hasIndex || !(error instanceof GitFailure) || error.kind !== 'failed') throw error;
    index.forget();
    return await write();
  } finally {
    index.keep();
  }
}

type Snapshot = {
  readonly repository: Repository;
  readonly job: SnapshotJob;
  readonly git: Git;
  readonly index: string;
  readonly leftOut: readonly string[];
  readonly depth: number;
};

async function writeTreeOnce(snapshot: Snapshot): Promise<string> {
  const {repository, job, git, leftOut} = snapshot;
  const scope = ['.', ...leftOut.map(except)];
  const list = async (args: readonly string[]) =>
    (await git.run(['ls-files', '-z', ...args])).text.split('\0').slice(0, -1);

  const [isDirty, others, ignored, tracked] = await Promise.all([
    git.run(['update-index', '--refresh'], {answers: [0, 1]}).then(({code}) => code === 1),
    list(['-o', '--exclude-standard', '--', ...scope]),
    list(['-i', '-c', '--exclude-standard']),
    repository.ignoredButTracked(job),
  ]);
  const modified = isDirty ? await list(['-m', '-d', '--', ...scope]) : [];
  // What is tracked may be ignored only since the rules changed.
  const wanted = isWithin(ignored, tracked)
    ? tracked
    : await repository.ignoredButTracked(job, {afresh: true});
  const isLeftOut = (file: string) => leftOut.some((each) => file === each || file.startsWith(`${each}/`));
  const forced = withoutAll(wanted, ignored).filter((file) => !isLeftOut(file));
  const dropped = job.keepIgnored ? [] : withoutAll(ignored, wanted);

  const nested = others.filter((file) => file.endsWith('/')).map((file) => file.slice(0, -1));
  const changed = [...others.filter((file) => !file.endsWith('/')), ...modified];
  const files = await statsOf(repository.top, [...changed, ...forced]);
  const bulky = await bulkyFiles(files, git);
  checkTotal(files, bulky);

  if (dropped.length > 0) {
    const input = dropped.map((file) => `${file}\0`).join('');
    await git.feed(['update-index', '-z', '--force-remove', '--stdin'], input);
  }
  const add = async (flag: string, pathspecs: readonly string[]) => {
    const file = `${snapshot.index}.paths`;
    writeFileSync(file, pathspecs.map((each) => `${each}\0`).join(''));
    const from = [`--pathspec-from-file=${file}`, '--pathspec-file-nul'];
    // A file that cannot be read is left out; it does not keep the others from being seen.
    await git.run(['add', flag, '--ignore-errors', ...from], {answers: [0, 1]});
  };
  if (changed.some((file) => !bulky.has(file))) {
    await add('-A', [...scope, ...nested.map(except), ...[...bulky.keys()].map(except)]);
  }
  const small = forced.filter((file) => files.has(file) && !bulky.has(file));
  if (small.length > 0) await add('-f', small.map(literally));

  const tree = (await git.run(['write-tree'])).text.trim();
  return nested.length + bulky.size === 0 ? tree : composeTree(snapshot, nested, bulky);
}

/** The tree with what git would not put into it: the files of submodules, other repositories, large files. */
async function composeTree(
  {repository, job, git, index, depth}: Snapshot,
  nested: readonly string[],
  bulky: ReadonlyMap<string, Stats>,
): Promise<string> {
  const file = `${index}.composed`;
  copyIndex(index, file);
  const composed = () => ({
    GIT_INDEX_FILE: file,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: asAlternates(job.borrowed),
  });
  const entries: string[] = [];
  const submodules = await repository.submodulesAmong(nested, job);
  for (const folder of nested) {
    const inner = await openRepository(path.join(repository.top, folder), job).catch(() => null);
    if (inner === null || folder.includes('\ufffd')) continue;
    const isOurs =
      submodules.has(folder) && inner.objectFormat === repository.objectFormat && depth < deepestSubmodule;
    const tree = isOurs ? await writeTree(inner, job, {depth: depth + 1}).catch(() => null) : null;
    const commit = tree === null ? await inner.head(job.signal) : null;
    if (tree !== null) await git.run(['read-tree', `--prefix=${folder}/`, tree], {env: composed()});
    if (commit !== null) entries.push(`160000 ${commit}\t${folder}\0`);
  }
  entries.push(...(await describeFiles(bulky, {git, work: `${index}.notes`})));
  if (entries.length > 0) {
    await git.feed(['update-index', '-z', '--index-info'], entries.join(''), {env: composed()});
  }
  return (await git.run(['write-tree'], {env: composed()})).text.trim();
}

/** Index entries that hold a note in place of a large file's content. */
async function describeFiles(
  files: ReadonlyMap<string, Stats>,
  {git, work}: {git: Git; work: string},
): Promise<string[]> {
  const entries: string[] = [];
  let number = 0;
  for (const batch of batches([...files], 200)) {
    const notes = batch.map(([, {size, mtime}]) => {
      const note = `${work}.${number++}`;
      writeFileSync(note, `${size} bytes, changed ${mtime.toISOString()}; too large to be recorded\n`);
      return note;
    });
    const {text} = await git.run(['hash-object', '-w', '--no-filters', '--', ...notes]);
    const ids = text.trim().split('\n');
    entries.push(
      ...batch.map(([file, {mode}], at) => `${mode & 0o100 ? 100755 : 100644} ${ids[at]}\t${file}\0`),
    );
  }
  return entries;
}

/** Git on the working files of a repository, with an index, a git folder and an object store that are ours. */
function snapshotGit(repository: Repository, job: SnapshotJob, index: string): Git {
  const {store, work, env, signal, borrowed} = job;
  const gitFolder = makeGitFolder(work, repository);
  return createGit({
    cwd: repository.top,
    signal,
    env: {
      ...storeEnvironment({env, top: repository.top, gitFolder, store, borrowed}),
      GIT_WORK_TREE: repository.top,
      GIT_INDEX_FILE: index,
    },
  });
}

/** Nobody's settings but those of the git folder, which we wrote. */
export function storeEnvironment({
  env,
  top,
  gitFolder,
  store,
  borrowed,
}: {
  env: Environment;
  top: string;
  gitFolder: string;
  store: ChangeStore;
  borrowed: ReadonlySet<string>;
}): Record<string, string> {
  return {
    ...gitEnvironment(env, top),
    HOME: gitFolder,
    XDG_CONFIG_HOME: gitFolder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_DIR: gitFolder,
    GIT_OBJECT_DIRECTORY: store.objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: asAlternates(borrowed),
  };
}

const literally = (file: string) => `:(top,literal)${file}`;
const except = (file: string) => `:(top,exclude,literal)${file}`;

/** What is there of the files. One whose name is no text is left to git. */
async function statsOf(top: string, files: readonly string[]): Promise<Map<string, Stats>> {
  const found = new Map<string, Stats>();
  for (const batch of batches(files, 1000)) {
    for (const file of batch) {
      const stats = statsOrNull(path.join(top, file));
      if (stats !== null && !stats.isDirectory()) found.set(file, stats);
    }
    await nextTurn();
  }
  return found;
}

function statsOrNull(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    // Deleted, or below something that is no folder any more.
    return null;
  }
}

async function bulkyFiles(files: ReadonlyMap<string, Stats>, git: Git): Promise<Map<string, Stats>> {
  const sizes = [...files].filter(([, {size}]) => size > maxLfsBytes);
  if (sizes.length === 0) return new Map();
  const args = ['ls-files', '-z', '-o', '-m', '--exclude-standard', '--', ':(top,attr:filter=lfs)'];
  const lfs = new Set((await git.run(args)).text.split('\0'));
  return new Map(sizes.filter(([file, {size}]) => size > maxContentBytes || lfs.has(file)));
}

function checkTotal(files: ReadonlyMap<string, Stats>, bulky: ReadonlyMap<string, Stats>): void {
  let total = 0;
  for (const [file, {size}] of files) if (!bulky.has(file)) total += size;
  if (total <= maxTotalBytes) return;
  const gigabytes = (bytes: number) => Math.ceil(bytes / 1024 ** 3);
  throw new GitFailure(
    'large',
    `${gigabytes(total)} GiB of files would have to be recorded, ${gigabytes(maxTotalBytes)} GiB are the limit`,
  );
}

const isWithin = (files: readonly string[], others: readonly string[]) =>
  withoutAll(files, others).length === 0;

function withoutAll(files: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return files.filter((file) => !known.has(file));
}

function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
