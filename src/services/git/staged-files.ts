import {createHash} from 'node:crypto';
import {lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {versionOf} from './change-store.ts';
import {stagedEntries} from './commit-index.ts';
import {statsOrNull} from './file-sizes.ts';
import {gitFolderOf, readRepository} from './read-repository.ts';
import {lookingGit} from './repository.ts';
import type {Environment, Git} from './safe-git.ts';
import {rawEntries} from './tree-diff.ts';

type Index = {readonly file: string; readonly version: string; readonly bytes: Buffer | null};
type Look = {readonly env: Environment; readonly signal: AbortSignal};
export type IndexChanges = {
  /** Files staged or unstaged that differ from the working files. */
  readonly staged: readonly string[];
  /** Files whose changes git was told to overlook. */
  readonly overlooked: readonly string[];
};
type Staged = {readonly file: string; readonly mode: string; readonly id: string};

/** A larger index is not remembered. */
const maxIndexBytes = 64 * 1024 * 1024;
/** A larger file is not compared but reported. */
const maxFileBytes = 64 * 1024 * 1024;

/** What an agent stages is in no diff of the files, but in the user's next commit. */
export class IndexMemory {
  #before: Index | null = null;

  /** Free if the index is unchanged. */
  remember(top: string): void {
    const file = indexOf(top);
    const version = versionOf(file);
    if (this.#before?.file === file && this.#before.version === version) return;
    const stats = statsOrNull(file);
    const isKept = stats?.isFile() === true && stats.size <= maxIndexBytes;
    this.#before = {file, version, bytes: isKept ? readOrNull(file) : null};
  }

  /** Asks git only after a change. */
  async changesSince(top: string, {env, signal}: Look): Promise<IndexChanges> {
    const before = this.#before;
    if (before === null || before.file !== indexOf(top) || before.version === versionOf(before.file))
      return {staged: [], overlooked: []};
    const git = lookingGit(top, env, signal);
    const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', '--no-ext-diff'];
    const {text} = await git.run([...args, await lastCommit(git)]);
    const other = [...rawEntries(text)]
      .map(({file, after}) => ({file, ...after}))
      .filter((entry) => !isInFiles(top, entry));
    const overlooked = await overlookedIn(git);
    const known = await withOld(before, async (env) => ({
      staged: other.length === 0 ? new Set<string>() : await knownIn(git, env, other),
      overlooked: new Set(overlooked.length === 0 ? [] : await overlookedIn(git, env)),
    }));
    return {
      staged: other.map(({file}) => file).filter((file) => !known?.staged.has(file)),
      overlooked: overlooked.filter((file) => !known?.overlooked.has(file)),
    };
  }
}

const submodule = '160000';
const link = '120000';
const nothing = '000000';

/** Before the first commit everything that is staged is new. */
async function lastCommit(git: Git): Promise<string> {
  const {code} = await git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {answers: [0, 1]});
  return code === 0 ? 'HEAD' : (await git.feed(['hash-object', '-t', 'tree', '--stdin'], '')).trim();
}

const indexOf = (top: string): string => path.join(gitFolderOf(top) ?? path.join(top, '.git'), 'index');

type OldIndex = Readonly<Record<'GIT_INDEX_FILE', string>>;

/** Null if the old index was not remembered. */
async function withOld<T>({bytes}: Index, ask: (env: OldIndex) => Promise<T>): Promise<T | null> {
  if (bytes === null) return null;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'blackbird-'));
  try {
    const old = path.join(folder, 'index');
    writeFileSync(old, bytes, {mode: 0o600});
    return await ask({GIT_INDEX_FILE: old});
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

/** The files whose index entries are the same as before. */
async function knownIn(git: Git, env: OldIndex, files: readonly Staged[]): Promise<ReadonlySet<string>> {
  const found = await stagedEntries(
    git,
    files.map(({file}) => file),
    env,
  );
  const entries = 'entries' in found ? found.entries : new Map<string, Staged>();
  const isSame = ({file, mode, id}: Staged) => {
    const entry = entries.get(file);
    return mode === nothing ? entry === undefined : entry?.id === id && entry.mode === mode;
  };
  return new Set(files.filter(isSame).map(({file}) => file));
}

/** Files marked `skip-worktree` or `assume-unchanged`: git shows no change of them, and commits none. */
async function overlookedIn(git: Git, env: Partial<OldIndex> = {}): Promise<string[]> {
  const {text} = await git.run(['ls-files', '-v', '-z'], {env});
  return text.split('\0').flatMap((line) => (/^([a-z]|S) /.test(line) ? [line.slice(2)] : []));
}

/**
 * Whether the working file is what is staged, as git would store it: line endings and large files may be
 * stored differently.
 */
function isInFiles(top: string, {file, mode, id}: Staged): boolean {
  const place = path.join(top, file);
  const stats = statsOrNull(place);
  if (stats === null || mode === nothing) return stats === null && mode === nothing;
  const hash = (content: Buffer) =>
    createHash(id.length === 40 ? 'sha1' : 'sha256')
      .update(`blob ${content.length}\0`)
      .update(content)
      .digest('hex');
  if (mode === submodule) return commitIn(place) === id;
  if (stats.isSymbolicLink()) return mode === link && hash(Buffer.from(readlinkSync(place))) === id;
  if (!stats.isFile() || stats.size > maxFileBytes || mode !== modeOf(stats.mode)) return false;
  const content = readOrNull(place);
  if (content === null) return false;
  const oid = () => createHash('sha256').update(content).digest('hex');
  const stored = [
    () => content,
    () => Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    () =>
      Buffer.from(
        `version https://git-lfs.github.com/spec/v1\noid sha256:${oid()}\nsize ${content.length}\n`,
      ),
  ];
  return stored.some((form) => hash(form()) === id);
}

/** What is checked out in a nested repository. */
function commitIn(folder: string): string | undefined {
  const {head, refs} = readRepository(folder) ?? {head: '', refs: null};
  return head.startsWith('ref: ') ? refs?.get(head.slice(5)) : head;
}

const modeOf = (mode: number): string => (mode & 0o100 ? '100755' : '100644');

function readOrNull(file: string): Buffer | null {
  try {
    return lstatSync(file).isFile() ? readFileSync(file) : null;
  } catch {
    // Deleted or unreadable, so not what is staged.
    return null;
  }
}
