import {randomBytes} from 'node:crypto';
import {
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import path from 'node:path';
import type {Adapter} from 'lowdb';
import {AppError, messageOf, systemErrorCode} from '../contracts/errors.ts';
import {depthOf} from './json-text.ts';

/** Deeper JSON can be read but never written back: `JSON.stringify` overflows. */
const depthLimit = 64;

export type DurableFileOptions<T> = {
  readonly file: string;
  /** What the file is, for messages: "plan", "run record". */
  readonly what: string;
  /** Turns checked JSON into the value; throws what is wrong with it. */
  readonly parse: (json: unknown, text: string) => T;
  /** The text of a value, given the text it replaces. */
  readonly render: (value: T, previous: string | null) => string;
  readonly maxBytes: number;
  /** Keep the mode an existing file has, instead of making it private. */
  readonly keepMode?: boolean;
};

/**
 * The lowdb adapter of every store. What `write` has acknowledged survives a power cut; a file that
 * cannot be read is reported and never replaced.
 */
export class DurableFile<T> implements Adapter<T> {
  readonly #options: DurableFileOptions<T>;
  #text: string | null = null;
  #hasCleaned = false;

  constructor(options: DurableFileOptions<T>) {
    this.#options = options;
  }

  async read(): Promise<T | null> {
    const {file, what, parse, maxBytes} = this.#options;
    const text = await readWholeFile(file, what, maxBytes);
    this.#text = null;
    if (text === null) return null;
    try {
      const value = parse(parseJson(text), text);
      this.#text = text;
      return value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw corrupt(file, what, messageOf(error));
    }
  }

  async write(value: T): Promise<void> {
    const {file, what, render, keepMode = false} = this.#options;
    const text = render(value, this.#text);
    try {
      if (!this.#hasCleaned) await removeLeftovers(file);
      this.#hasCleaned = true;
      await writeDurably(file, text, {keepMode});
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw writeFailure(file, what, error);
    }
    this.#text = text;
  }
}

/**
 * Replaces a file so that after a crash at any moment either the old or the new content is there,
 * whole. On failure the old file stands and the temporary one is gone.
 */
export async function writeDurably(file: string, text: string, {keepMode = false} = {}): Promise<void> {
  const folder = path.dirname(file);
  const mode = await modeFor(file, keepMode);
  const temporary = path.join(
    folder,
    `.${path.basename(file)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`,
  );
  const {O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW} = constants;
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    try {
      if (keepMode) await handle.chmod(mode);
      await writeAll(handle, Buffer.from(text, 'utf8'));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch((cause: unknown) => {
      if (systemErrorCode(cause) !== 'ENOENT') throw cause;
    });
    throw error;
  }
  await syncFolder(folder);
}

/** Creates a folder of ours and refuses one that leads elsewhere. */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, {mode: 0o700});
    await syncFolder(path.dirname(folder));
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw writeFailure(folder, 'folder', error);
    const found = await lstat(folder);
    if (found.isDirectory()) return;
    const kind = found.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
    throw new AppError('E_STORE_UNSAFE', `${folder} is ${kind}; Blackbird writes only into a real folder`, {
      next: [{command: `ls -ld ${folder}`, why: 'see what it is, then move it aside'}],
    });
  }
}

/** The text of a file, or null when there is none. Never waits on a pipe, never reads without a bound. */
export async function readWholeFile(file: string, what: string, maxBytes: number): Promise<string | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw readFailure(file, what, error);
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw corrupt(file, what, 'it is not a regular file');
    if (found.size > maxBytes) {
      throw corrupt(file, what, `it is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB`);
    }
    const bytes = await handle.readFile();
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof TypeError) throw corrupt(file, what, 'it is not UTF-8 text');
    throw readFailure(file, what, error);
  } finally {
    await handle.close();
  }
}

/** JSON that can be written back: an object, and not too deep. */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw new Error('it is empty');
  if (text.startsWith('\ufeff')) throw new Error('it begins with a byte order mark');
  if (depthOf(text) > depthLimit) throw new Error(`it is nested deeper than ${depthLimit} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not valid JSON: ${messageOf(error)}${placeOf(error, text)}`);
  }
  if (value === null) throw new Error('it holds null');
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('it does not hold a JSON object');
  return value;
}

export function corrupt(file: string, what: string, reason: string): AppError {
  return new AppError('E_STORE_CORRUPT', `the ${what} ${file} cannot be used: ${reason}`, {
    details: [
      ['file', file],
      ['reason', reason],
    ],
    next: [
      {command: `git checkout -- ${path.basename(file)}`, why: 'if it is under version control'},
      {command: `mv ${file} ${file}.broken`, why: 'or move it aside; Blackbird will not overwrite it'},
    ],
  });
}

function readFailure(file: string, what: string, cause: unknown): AppError {
  return new AppError('E_STORE_READ', `cannot read the ${what} ${file}: ${messageOf(cause)}`, {cause});
}

function writeFailure(file: string, what: string, cause: unknown): AppError {
  const code = systemErrorCode(cause);
  const reason = (code && writeReasons[code]) ?? messageOf(cause);
  const kept = 'nothing was changed';
  return new AppError('E_STORE_WRITE', `cannot write the ${what} ${file}: ${reason}; ${kept}`, {cause});
}

const writeReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENAMETOOLONG: 'the name is too long',
};

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const {bytesWritten} = await handle.write(bytes, offset);
    // A short write is normal on a nearly full disk; none at all would loop for ever.
    if (bytesWritten === 0) throw Object.assign(new Error('no bytes were written'), {code: 'EIO'});
    offset += bytesWritten;
  }
  const {size} = await handle.stat();
  if (size !== bytes.length) throw Object.assign(new Error('the file is incomplete'), {code: 'EIO'});
}

/** 0600, or what the file has now. A link is refused: replacing it would split it from its target. */
async function modeFor(file: string, keepMode: boolean): Promise<number> {
  try {
    const found = await lstat(file);
    if (found.isSymbolicLink()) {
      throw new AppError(
        'E_STORE_UNSAFE',
        `${file} is a symbolic link; Blackbird does not write through it`,
        {
          next: [{command: `ls -l ${file}`, why: 'see where it leads; a plain file can be written'}],
        },
      );
    }
    if (found.isDirectory()) throw Object.assign(new Error('it is a folder'), {code: 'EISDIR'});
    if ((found.mode & 0o200) === 0) throw Object.assign(new Error('it is read-only'), {code: 'EACCES'});
    return keepMode ? found.mode & 0o777 : 0o600;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0o600;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Temporary files of writers that died. One whose writer lives, or that is new, is left alone. */
async function removeLeftovers(file: string): Promise<void> {
  const folder = path.dirname(file);
  const prefix = `.${path.basename(file)}.`;
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix)
      ? /^(\d+)\.[0-9a-f]{12}\.tmp$/.exec(name.slice(prefix.length))?.[1]
      : undefined;
    if (pid === undefined || isAlive(Number(pid))) continue;
    await unlink(path.join(folder, name)).catch((error: unknown) => {
      // Somebody else cleaned it first.
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    });
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

/** " (line 3, column 5)" where the parser tells a position. */
function placeOf(error: unknown, text: string): string {
  const position = /position (\d+)/.exec(messageOf(error))?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
}

/** What tells one version of a file from the next without reading it. */
export async function versionOf(file: string): Promise<string | null> {
  try {
    const {dev, ino, size, mtimeNs, ctimeNs} = await stat(file, {bigint: true});
    return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
