import {randomBytes} from 'node:crypto';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {AppError, systemErrorCode} from '../contracts/errors.ts';
import {ensurePrivateFolder} from '../stores/durable-write.ts';
import {ensureStateFolder, type ProjectFolder} from '../stores/project-folder.ts';
import {fileKind} from '../system/file-kind.ts';

/**
 * `.blackbird/changes`: the objects of all snapshots, and the indexes kept between them. The objects are not
 * put into the user's repository: without a ref its `gc` would drop them, and a ref would be theirs to see.
 */
export type ChangeStore = {readonly folder: string; readonly objects: string};

export async function openStore(project: ProjectFolder): Promise<ChangeStore> {
  await ensureStateFolder(project);
  const folder = path.join(project.stateFolder, 'changes');
  const objects = path.join(folder, 'objects');
  for (const each of [folder, objects]) await ensurePrivateFolder(each);
  const link = readdirSync(objects, {withFileTypes: true}).find((entry) => entry.isSymbolicLink());
  if (link) {
    const found = path.join(objects, link.name);
    throw new AppError(
      'E_STORE_UNSAFE',
      `${found} is a symbolic link; Blackbird writes only into a real folder`,
    );
  }
  removeAbandoned(folder);
  return {folder, objects};
}

/** Runs a job with a folder of its own, gone afterwards. */
export async function withWorkFolder<T>(store: ChangeStore, job: (work: string) => Promise<T>): Promise<T> {
  const work = path.join(store.folder, `work.${process.pid}.${randomBytes(6).toString('hex')}`);
  mkdirSync(work, {mode: 0o700});
  try {
    return await job(work);
  } finally {
    try {
      rmSync(work, {recursive: true, force: true, maxRetries: 3});
    } catch {
      // A git that is about to end still writes there; the next process removes it.
    }
  }
}

/** What a git folder of ours takes from the user's repository. */
export type GitFolderSettings = {
  readonly objectFormat: string;
  readonly ignoreCase: boolean;
  /** The user's own list of files to ignore. */
  readonly excludesFile: string;
  readonly infoExclude: string;
};

/**
 * A git folder made for one job, so that git never reads the settings, hooks and attributes of a repository:
 * what is not there cannot be run. Bytes are taken as they are, and no attribute hides a change.
 */
export function makeGitFolder(work: string, settings: GitFolderSettings): string {
  const folder = mkdtempSync(path.join(work, 'git-'));
  for (const each of ['info', 'refs']) mkdirSync(path.join(folder, each), {mode: 0o700});
  const {objectFormat, ignoreCase, excludesFile, infoExclude} = settings;
  const files = {
    HEAD: 'ref: refs/heads/none\n',
    config: [
      '[core]',
      `repositoryFormatVersion = ${objectFormat === 'sha1' ? 0 : 1}`,
      'bare = false',
      'hooksPath = /dev/null',
      'fsmonitor = false',
      'untrackedCache = false',
      'autocrlf = false',
      'quotePath = false',
      `ignoreCase = ${ignoreCase}`,
      `excludesFile = ${quoted(isPlainFile(excludesFile) ? excludesFile : '/dev/null')}`,
      '[diff]',
      'renameLimit = 1000',
      ...(objectFormat === 'sha1' ? [] : ['[extensions]', `objectFormat = ${objectFormat}`]),
      '',
    ].join('\n'),
    'info/attributes': '* -text !eol !ident !working-tree-encoding !diff\n',
    'info/exclude': isPlainFile(infoExclude) ? readFileSync(infoExclude) : '',
  };
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(path.join(folder, file), text, {flag: 'wx', mode: 0o600});
  }
  return folder;
}

/**
 * Copies an index with its own time, a little earlier: git looks closer at files that changed no earlier than
 * the index was written, and a later time would let it overlook them.
 */
export function copyIndex(from: string, to: string): void {
  const found = lstatSync(from, {throwIfNoEntry: false});
  if (!found?.isFile()) return;
  copyFileSync(from, to);
  const time = (Math.floor(found.mtimeMs) - 1) / 1000;
  utimesSync(to, time, time);
}

/** The index of a repository, as its last snapshot left it. Only a cache: any of them will do. */
export class KeptIndex {
  readonly #kept: string;
  readonly file: string;
  #copied: bigint | undefined;

  constructor(store: ChangeStore, work: string, name: string) {
    this.#kept = path.join(store.folder, `${name}.index`);
    this.file = path.join(work, `${name}.index`);
  }

  /** False when there is none. */
  open(): boolean {
    copyIndex(this.#kept, this.file);
    this.#copied = timeOf(this.file);
    return this.#copied !== undefined;
  }

  forget(): void {
    rmSync(this.file, {force: true});
    this.#copied = undefined;
  }

  keep(): void {
    if (timeOf(this.file) !== this.#copied) renameSync(this.file, this.#kept);
  }

  /** Another one after anybody wrote it. */
  version(): string {
    return versionOf(this.#kept);
  }
}

/** Tells a file that was written again, whatever time it was given. */
export function versionOf(file: string): string {
  const found = statSync(file, {bigint: true, throwIfNoEntry: false});
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}` : 'none';
}

/** The copy has a time in the past, whatever git writes has not. (Inodes are used again.) */
const timeOf = (file: string) => statSync(file, {bigint: true, throwIfNoEntry: false})?.mtimeNs;

/** Something that can be read without waiting for anybody. */
export const isPlainFile = (file: string): boolean => fileKind(file) === 'file';

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** Work folders of processes that died. */
function removeAbandoned(folder: string): void {
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
