import {createHash, randomBytes} from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {systemErrorCode} from '../contracts/errors.ts';
import {fileKind} from '../system/file-kind.ts';

type Store = {readonly folder: string};

/**
 * One idle folder per store, kept by this process: creating and removing one costs a task as much as git
 * does.
 */
const resting = new Map<string, string>();
/** More settings than this in one folder are unusual. */
const maxGitFolders = 4;
const gitFolderName = /^git-[0-9a-f]{64}$/;

/** Runs a job in a folder of its own. It contains only git folders, which are reused only if unmodified. */
export async function withWorkFolder<T>(store: Store, job: (work: string) => Promise<T>): Promise<T> {
  const work = restingIn(store) ?? newFolder(store);
  let isTidy = false;
  try {
    const result = await job(work);
    isTidy = isFolder(work) && tidy(work);
    return result;
  } finally {
    if (isTidy) rest(store, work);
    else removeQuietly(work);
  }
}

function newFolder({folder}: Store): string {
  const work = path.join(folder, `work.${process.pid}.${randomBytes(6).toString('hex')}`);
  mkdirSync(work, {mode: 0o700});
  return work;
}

function restingIn({folder}: Store): string | undefined {
  const work = resting.get(folder);
  if (work === undefined) return undefined;
  resting.delete(folder);
  if (isFolder(work) && tidy(work)) return work;
  removeQuietly(work);
  return undefined;
}

/** One is enough: the jobs of a task run one after another. */
function rest({folder}: Store, work: string): void {
  if (resting.has(folder)) {
    removeQuietly(work);
    return;
  }
  resting.set(folder, work);
  if (!isWatched) process.once('exit', removeResting);
  isWatched = true;
}

let isWatched = false;

function removeResting(): void {
  for (const work of resting.values()) removeQuietly(work);
}

/** Leaves only git folders; false if that fails. */
function tidy(work: string): boolean {
  try {
    const names = readdirSync(work);
    const others = names.filter((name) => !gitFolderName.test(name));
    for (const name of others) rmSync(path.join(work, name), {recursive: true, force: true});
    return names.length - others.length <= maxGitFolders;
  } catch {
    return false;
  }
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, {recursive: true, force: true, maxRetries: 3});
  } catch {
    // A git that is still exiting writes there; the next process removes it.
  }
}

/** What our git folder takes from the user's repository. */
export type GitFolderSettings = {
  readonly objectFormat: string;
  readonly ignoreCase: boolean;
  /** The user's global ignore file. */
  readonly excludesFile: string;
  readonly infoExclude: string;
};
/** By name, relative to the folder. */
type Files = Readonly<Record<string, Buffer>>;

/**
 * A git folder of our own, so that git never reads a repository's settings, hooks and attributes: what is not
 * there cannot run. Bytes are taken as they are, and no attribute hides a change. An agent may have tampered
 * with an existing one: it is reused only if it is unchanged to the byte, and never written to.
 */
export function makeGitFolder(work: string, settings: GitFolderSettings): string {
  const files = filesOf(settings);
  const digest = createHash('sha256');
  for (const [name, content] of Object.entries(files))
    digest.update(`${name} ${content.length}\0`).update(content);
  const usual = path.join(work, `git-${digest.digest('hex')}`);
  if (isAsMade(usual, files)) return usual;
  // A modified one is left where it is; the replacement is removed with the job.
  const isTaken = lstatSync(usual, {throwIfNoEntry: false}) !== undefined;
  const folder = isTaken ? path.join(work, `git.${randomBytes(6).toString('hex')}`) : usual;
  for (const each of ['', 'info', 'refs']) mkdirSync(path.join(folder, each), {mode: 0o700});
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, file), content, {flag: 'wx', mode: 0o600});
  }
  return folder;
}

function filesOf({objectFormat, ignoreCase, excludesFile, infoExclude}: GitFolderSettings): Files {
  const config = [
    '[core]',
    `repositoryFormatVersion = ${objectFormat === 'sha1' ? 0 : 1}`,
    'bare = false',
    'hooksPath = /dev/null',
    'fsmonitor = false',
    'untrackedCache = false',
    'autocrlf = false',
    'quotePath = false',
    // Names that other systems treat as `.git` are ordinary here: git would leave such files out.
    'protectNTFS = false',
    'protectHFS = false',
    `ignoreCase = ${ignoreCase}`,
    `excludesFile = ${quoted(fileKind(excludesFile) === 'file' ? excludesFile : '/dev/null')}`,
    '[diff]',
    'renameLimit = 1000',
    ...(objectFormat === 'sha1' ? [] : ['[extensions]', `objectFormat = ${objectFormat}`]),
    '',
  ];
  return {
    HEAD: Buffer.from('ref: refs/heads/none\n'),
    config: Buffer.from(config.join('\n')),
    'info/attributes': Buffer.from('* -text !eol !ident !working-tree-encoding !diff\n'),
    'info/exclude': fileKind(infoExclude) === 'file' ? readFileSync(infoExclude) : Buffer.alloc(0),
  };
}

const layout = {
  '': ['HEAD', 'config', 'info/', 'refs/'],
  info: ['attributes', 'exclude'],
  refs: [],
} as const;

function isAsMade(folder: string, files: Files): boolean {
  if (!isFolder(folder)) return false;
  const isComplete = Object.entries(layout).every(
    ([below, names]) => kindsIn(path.join(folder, below)).join('\0') === names.join('\0'),
  );
  return (
    isComplete && Object.entries(files).every(([file, content]) => isSame(path.join(folder, file), content))
  );
}

/** Sorted names; folders with a slash, anything but files and folders with a question mark. */
function kindsIn(folder: string): string[] {
  try {
    return readdirSync(folder, {withFileTypes: true})
      .map((entry) => `${entry.name}${entry.isFile() ? '' : entry.isDirectory() ? '/' : '?'}`)
      .sort();
  } catch {
    return ['?'];
  }
}

function isSame(file: string, content: Buffer): boolean {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return fstatSync(handle).size === content.length && readFileSync(handle).equals(content);
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
}

function isFolder(place: string): boolean {
  return lstatSync(place, {throwIfNoEntry: false})?.isDirectory() ?? false;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** Removes the work folders of processes that died. */
export function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^work\.(\d+)\.[0-9a-f]{12}$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(path.join(folder, name), {recursive: true, force: true});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH';
  }
}
