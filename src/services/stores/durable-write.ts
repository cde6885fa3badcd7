import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import {promisify} from 'node:util';
import {AppError, shellWord, systemErrorCode} from '../contracts/errors.ts';
import {namesIfAny} from './folder-names.ts';
import {syncFailure, writeFailure} from './store-errors.ts';

// Only the syncs are asynchronous: they wait for the disk, while keys and signals are handled.
const sync = promisify(fsync);

/** Temporary files this process is writing; any other with its pid is from an earlier process. */
const inFlight = new Set<string>();

/**
 * Replaces a file so that after a crash at any moment either the old or the new content is complete. On failure the old
 * file stays and the temporary one is removed.
 */
export async function writeDurably(
  file: string,
  content: string | Buffer,
  {keepMode = false} = {},
): Promise<void> {
  const folder = path.dirname(file);
  const current = modeOf(file);
  const mode = keepMode ? (current ?? 0o666) : 0o600;
  const temporary = path.join(folder, `.${path.basename(file)}.${process.pid}.${suffix()}.tmp`);
  // An existing name is refused, even a link.
  const handle = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  inFlight.add(temporary);
  try {
    try {
      // The umask applies to a new file only.
      if (keepMode && current !== null) fchmodSync(handle, mode);
      writeAll(handle, typeof content === 'string' ? Buffer.from(content) : content);
      await sync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  } finally {
    inFlight.delete(temporary);
  }
  await syncFolder(folder, file);
}

/** Removes a file so that it stays removed after a crash. Does nothing if there is none. */
export async function removeDurably(file: string): Promise<void> {
  try {
    unlinkSync(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw writeFailure(file, 'file', error);
  }
  await syncFolder(path.dirname(file), file);
}

/** Need not be secret: an existing name is refused. Loading crypto would slow down every start. */
const suffix = () => Math.random().toString(16).slice(2).padEnd(12, '0').slice(0, 12);

/** Creates a folder of ours and refuses a link. True if it is new. */
export async function ensurePrivateFolder(folder: string): Promise<boolean> {
  const isNew = makePrivateFolder(folder);
  if (isNew) await syncFolder(path.dirname(folder), folder);
  return isNew;
}

function makePrivateFolder(folder: string): boolean {
  try {
    try {
      mkdirSync(folder, {mode: 0o700});
      return true;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
      requireRealFolder(folder);
      return false;
    }
  } catch (error) {
    throw error instanceof AppError ? error : writeFailure(folder, 'folder', error);
  }
}

function requireRealFolder(folder: string): void {
  const found = lstatSync(folder);
  if (found.isDirectory()) return;
  const kind = found.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
  throw new AppError('E_STORE_UNSAFE', `${folder} is ${kind}; Blackbird writes only into a real folder`, {
    next: [{command: `ls -ld ${shellWord(folder)}`, why: 'see what it is, then move it aside'}],
  });
}

/** Removes temporary files of dead writers. Those of live writers are left alone. */
export function removeLeftovers(file: string): void {
  sweep(path.dirname(file), `.${path.basename(file)}.`, /^(\d+)\.[0-9a-f]{12}\.tmp$/);
}

/** The same for all files in a folder that is ours alone: an unfinished file may never be written again. */
export function removeLeftoversIn(folder: string): void {
  sweep(folder, '.', /\.(\d+)\.[0-9a-f]{12}\.tmp$/);
}

function sweep(folder: string, prefix: string, pattern: RegExp): void {
  for (const name of namesIfAny(folder)) {
    if (!name.startsWith(prefix)) continue;
    const pid = pattern.exec(name.slice(prefix.length))?.[1];
    const leftover = path.join(folder, name);
    if (pid !== undefined && !isWriting(Number(pid), leftover)) removeQuietly(leftover);
  }
}

function writeAll(handle: number, bytes: Buffer): void {
  let offset = 0;
  while (offset < bytes.length) {
    const written = writeSync(handle, bytes, offset);
    // A short write is normal on a nearly full disk; zero bytes would loop forever.
    if (written === 0) throw Object.assign(new Error('no bytes were written'), {code: 'EIO'});
    offset += written;
  }
  if (fstatSync(handle).size !== bytes.length) {
    throw Object.assign(new Error('the file is incomplete'), {code: 'EIO'});
  }
}

/** Null if there is none. A link is refused: replacing it would separate it from its target. */
function modeOf(file: string): number | null {
  const found = lstatSync(file, {throwIfNoEntry: false});
  if (!found) return null;
  if (found.isSymbolicLink()) {
    throw new AppError('E_STORE_UNSAFE', `${file} is a symbolic link; Blackbird does not write through it`, {
      next: [{command: `ls -l ${shellWord(file)}`, why: 'see where it leads; a plain file can be written'}],
    });
  }
  if (!found.isFile()) throw new Error('it is not a regular file');
  if ((found.mode & 0o200) === 0) throw Object.assign(new Error('it is read-only'), {code: 'EACCES'});
  return found.mode & 0o777;
}

/** Makes the names in a folder durable after a file was put there. */
export async function syncFolder(folder: string, written: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await sync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw syncFailure(written, error);
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It is gone or cannot be removed: neither is why a write fails.
  }
}

function isWriting(pid: number, temporary: string): boolean {
  if (pid === process.pid) return inFlight.has(temporary);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH';
  }
}
