import {createHash} from 'node:crypto';
import {type Stats, writeFileSync} from 'node:fs';
import path from 'node:path';
import {type ChangeStore, copyIndex, KeptIndex, versionOf} from './change-store.ts';
import {bulkyFiles, checkTotal, describeFiles, fingerprint, statsOf} from './file-sizes.ts';
import {asAlternates, isObjectId, openRepository, type Repository} from './repository.ts';
import {createGit, type Environment, type Git, GitFailure, gitEnvironment} from './safe-git.ts';
import {makeGitFolder} from './work-folders.ts';

export type SnapshotJob = {
  readonly store: ChangeStore;
  /** A folder used by this job only. */
  readonly work: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Object folders whose content need not be stored again; submodules add theirs. */
  readonly borrowed: Set<string>;
  readonly written: WrittenTrees;
  /** Files in this tree stay tracked even if they are ignored now; null if there is no such tree. */
  readonly since: string | null;
};

/**
 * By index: the version this process left and the tree written from it, which can be reused. If anyone else
 * wrote the index, it may claim that a changed file is unchanged, so it is rebuilt.
 */
export type WrittenTrees = Map<
  string,
  {readonly version: string; readonly tree: string | null; readonly ignored: Ignored | null}
>;

/** The files of an index that are ignored, and the version of the ignore rules outside the working tree. */
type Ignored = {readonly rules: string; readonly files: readonly string[]};

const deepestRepository = 5;
/** Further nested repositories are one entry each: looking into one takes several git processes. */
const maxRepositories = 20;

/** Writes the working files of a repository as a tree, without the paths in `leftOut`. */
export async function writeTree(
  repository: Repository,
  job: SnapshotJob,
  {leftOut = [], depth = 0}: {leftOut?: readonly string[]; depth?: number} = {},
): Promise<string> {
  job.borrowed.add(repository.objects);
  const name = depth === 0 ? 'main' : createHash('sha256').update(repository.top).digest('hex').slice(0, 16);
  const index = new KeptIndex(job.store, job.work, name);
  // Read before they are copied, so that a concurrent change gives a different version next time.
  const rules = [repository.infoExclude, repository.excludesFile].map(versionOf).join();
  const git = snapshotGit(repository, job, index.file);
  const last = job.written.get(name);
  const isOwn = last?.version === index.version();
  const hasIndex = isOwn && index.open();
  const known = isOwn ? last.tree : null;
  const ignored = isOwn && last.ignored?.rules === rules ? last.ignored.files : null;
  const write = (kept: Pick<Snapshot, 'isNew' | 'known' | 'ignored' | 'since'>) =>
    writeTreeOnce({repository, job, git, index: index.file, leftOut, depth, ...kept});
  const rebuild = () => {
    // It relies on objects that are here now; the next snapshot looks whether they still are.
    repository.noteObjects();
    // A rebuilt index does not know which files were tracked.
    return write({isNew: true, known: null, ignored: null, since: depth === 0 ? job.since : null});
  };
  const written = async () => {
    try {
      const found = hasIndex ? await write({isNew: false, known, ignored, since: null}) : await rebuild();
      // An index relies on borrowed objects that the user's `gc` may have dropped since.
      if (hasIndex && repository.hasOtherObjects()) {
        repository.noteObjects();
        await git.run(['rev-list', '--objects', '--quiet', found.tree]);
      }
      return found;
    } catch (error) {
      // An index that is corrupt or whose objects are gone is only a cache: start over without it.
      if (!hasIndex || !(error instanceof GitFailure) || error.kind !== 'failed') throw error;
      index.forget();
      return await rebuild();
    } finally {
      index.keep();
    }
  };
  const {tree, isAllOfIndex, ignored: files} = await written();
  job.written.set(name, {
    version: index.version(),
    tree: isAllOfIndex ? tree : null,
    ignored: files && {rules, files},
  });
  return tree;
}

type Snapshot = {
  readonly repository: Repository;
  readonly job: SnapshotJob;
  readonly git: Git;
  readonly index: string;
  /** Nothing is in this index yet. */
  readonly isNew: boolean;
  /** The tree of this index, if already written. */
  readonly known: string | null;
  /** The ignored files of this index, if already known. */
  readonly ignored: readonly string[] | null;
  /** The tree whose files stay tracked, if the index does not know them. */
  readonly since: string | null;
  readonly leftOut: readonly string[];
  readonly depth: number;
};

/** A slower scan re-reads files that were only touched; refresh the index once so that it stops. */
const slowLookMilliseconds = 250;

type Written = Pick<Snapshot, 'ignored'> & {readonly tree: string; readonly isAllOfIndex: boolean};

async function writeTreeOnce(snapshot: Snapshot): Promise<Written> {
  const {repository, job, git, leftOut} = snapshot;
  const scope = ['.', ...leftOut.map(except)];
  const list = async (args: readonly string[]) =>
    (await git.run(['ls-files', '-z', ...args])).text.split('\0').slice(0, -1);

  const began = performance.now();
  const listIgnored = async () => (snapshot.isNew ? [] : list(['-i', '-c', '--exclude-standard']));
  const [seen, asked, tracked] = await Promise.all([
    list(['-o', '-m', '-d', '--exclude-standard', '--', ...scope]),
    snapshot.ignored ?? listIgnored(),
    repository.ignoredButTracked(job),
  ]);
  const changed = seen.filter((file) => !file.endsWith('/'));
  const there = await statsOf(repository.top, changed);
  // Ignore rules change with a visible file, unless they ignore that file itself. So ask again before
  // removing anything from the index, or a file that reappears under such a rule would never be seen.
  const isSame = !seen.some(isRules) && there.size === changed.length && !isTouched(asked, seen);
  const isAsked = snapshot.ignored === null || isSame;
  const ignored = isAsked ? asked : await listIgnored();
  const isSlow = performance.now() - began > slowLookMilliseconds;
  // A tracked file may have become ignored when the rules changed.
  const wanted = isWithin(ignored, tracked)
    ? tracked
    : await repository.ignoredButTracked(job, {afresh: true});
  const isLeftOut = (file: string) => leftOut.some((each) => file === each || file.startsWith(`${each}/`));
  const dropped = job.since === null ? withoutAll(ignored, wanted) : [];

  const nested = seen.filter((file) => file.endsWith('/')).map((file) => file.slice(0, -1));
  const isNested = (file: string) => nested.some((folder) => file.startsWith(`${folder}/`));
  const viewed = snapshot.since === null ? [] : await namesIn(git, snapshot.since);
  const hidden = withoutAll(viewed, seen).filter((file) => !isNested(file));
  const forced = [...new Set([...withoutAll(wanted, ignored), ...hidden])].filter((file) => !isLeftOut(file));
  const files = new Map([...there, ...(await statsOf(repository.top, forced))]);
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
    // An unreadable file does not hide the others; it is reported as such.
    return (await git.run(['add', flag, '--ignore-errors', ...from], {answers: [0, 1]})).code === 0;
  };
  const others = [...scope, ...nested.map(except), ...[...bulky.keys()].map(except)];
  const isAdded =
    (await addFiles(
      git,
      changed.filter((file) => !bulky.has(file)),
    )) || (await add('-A', others));
  const small = forced.filter((file) => files.has(file) && !bulky.has(file));
  const isForced = small.length === 0 || (await add('-f', small.map(literally)));
  const missing = isAdded && isForced ? [] : await list(['-o', '-m', '--exclude-standard', '--', ...others]);
  const unread = await statsOf(repository.top, missing.filter(isPath));

  const isClean = changed.length + dropped.length + small.length === 0;
  if (isSlow) await git.run(['update-index', '-q', '--refresh'], {answers: [0, 1]});
  const tree = isClean && snapshot.known ? snapshot.known : (await git.run(['write-tree'])).text.trim();
  const isAllOfIndex = nested.length + bulky.size + unread.size === 0;
  const isSameIgnored = dropped.length + small.length === 0 && !isTouched(ignored, seen);
  return {
    tree: isAllOfIndex ? tree : await composeTree(snapshot, nested, {bulky, unread}),
    isAllOfIndex,
    ignored: isSameIgnored ? ignored : null,
  };
}

/** Paths an index can hold: no `.git`, in any spelling. */
const isPath = (file: string) => !/(^|\/)\.git(\/|$)/i.test(file);
const isRules = (file: string) => path.posix.basename(file).toLowerCase() === '.gitignore';

/** Whether any of these is new, changed or deleted. */
const isTouched = (files: readonly string[], seen: readonly string[]) =>
  files.length > 0 && withoutAll(files, seen).length < files.length;

/**
 * Adds files by name, so that git need not search for them again. False if it has to: for a name that is not
 * valid text, or a path an index cannot hold.
 */
async function addFiles(git: Git, files: readonly string[]): Promise<boolean> {
  if (files.length === 0) return true;
  if (files.some((file) => file.includes('\ufffd'))) return false;
  const input = files.map((file) => `${file}\0`).join('');
  try {
    await git.tell(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], input);
    return true;
  } catch (error) {
    if (!(error instanceof GitFailure) || error.kind !== 'failed') throw error;
    return false;
  }
}

/** Empty if the tree is gone: whatever displays the change says so. */
async function namesIn(git: Git, tree: string): Promise<string[]> {
  if (!isObjectId(tree)) return [];
  const {code, text} = await git.run(['ls-tree', '-r', '-z', '--name-only', tree], {answers: [0, 128]});
  return code === 0 ? text.split('\0').slice(0, -1) : [];
}

/** The tree plus what git leaves out: files of submodules and nested repositories, large and unreadable files. */
async function composeTree(
  {repository, job, git, index, depth}: Snapshot,
  nested: readonly string[],
  {bulky, unread}: Readonly<Record<'bulky' | 'unread', ReadonlyMap<string, Stats>>>,
): Promise<string> {
  const file = `${index}.composed`;
  copyIndex(index, file);
  const composed = () => ({
    GIT_INDEX_FILE: file,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: asAlternates(job.borrowed),
  });
  const entries: string[] = [];
  for (const [place, folder] of nested.entries()) {
    if (folder.includes('\ufffd')) continue;
    const inner = await openRepository(path.join(repository.top, folder), job).catch(() => null);
    const isOurs =
      inner?.objectFormat === repository.objectFormat && depth < deepestRepository && place < maxRepositories;
    const tree = inner && isOurs ? await writeTree(inner, job, {depth: depth + 1}).catch(() => null) : null;
    if (tree !== null) await git.run(['read-tree', `--prefix=${folder}/`, tree], {env: composed()});
    // One entry that changes whenever anything in it does, whatever git thinks of it.
    else entries.push(`160000 ${fingerprint(path.join(repository.top, folder), repository)}\t${folder}\0`);
  }
  entries.push(
    ...(await describeFiles(bulky, {git, work: `${index}.large`, why: 'too large to be recorded'})),
    ...(await describeFiles(unread, {git, work: `${index}.unread`, why: 'cannot be read'})),
  );
  if (entries.length > 0) {
    await git.feed(['update-index', '-z', '--index-info'], entries.join(''), {env: composed()});
  }
  return (await git.run(['write-tree'], {env: composed()})).text.trim();
}

/** Git on a repository's working files, with our own index, git folder and object store. */
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

/** Only the settings in the git folder we wrote apply. */
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

const isWithin = (files: readonly string[], others: readonly string[]) =>
  withoutAll(files, others).length === 0;

function withoutAll(files: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return files.filter((file) => !known.has(file));
}
