import {spawn} from 'node:child_process';
import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {systemErrorCode} from '../contracts/errors.ts';
import type {LockHolder, ProcessLock} from '../contracts/lock.ts';
import {isExecutable} from '../system/executables.ts';
import {despiteGroupSignals} from '../system/group-signals.ts';
import {liveHolder, lockFailure, parseHolder, thisHolder} from './lock-holder.ts';

/** Where util-linux installs it. Not from PATH: two processes must never choose differently. */
const flockPrograms = ['/usr/bin/flock', '/bin/flock'];

export function findFlock(): string | null {
  return flockPrograms.find((program) => isExecutable(program)) ?? null;
}

/**
 * A lock held by the kernel: `flock` locks the open file we pass to it, and the lock outlives the helper
 * until we close the file or die. The file is never deleted, because then two processes could lock two
 * different files of the same name.
 */
export function createKernelLock(file: string, flock: string): ProcessLock {
  return {
    acquire: async ({waitSeconds}) => {
      const handle = await openLockFile(file);
      try {
        if (!(await lockHandle(flock, handle, waitSeconds))) {
          const holder = liveHolder(await readHolder(handle));
          await close(handle);
          return {acquired: false, holder};
        }
        await nameHolder(handle, JSON.stringify(thisHolder()));
      } catch (error) {
        await close(handle);
        throw lockFailure(file, error);
      }
      const release = async () => {
        await nameHolder(handle, '');
        await close(handle);
      };
      return {acquired: true, lock: {release}};
    },

    holder: async () => {
      try {
        const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
        try {
          return liveHolder(await readHolder(handle));
        } finally {
          await close(handle);
        }
      } catch (error) {
        if (systemErrorCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

async function openLockFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    throw lockFailure(file, error);
  }
}

/** False if someone else held it for the whole wait. The kernel queues us; there is no polling. */
async function lockHandle(flock: string, handle: FileHandle, waitSeconds: number): Promise<boolean> {
  const wait = waitSeconds > 0 ? ['-w', String(waitSeconds)] : ['-n'];
  const {code, signal} = await despiteGroupSignals(() => flockOnce(flock, [...wait, '3'], handle));
  if (code === 0 || code === 1) return code === 0;
  throw new Error(`${flock} ended with ${signal ?? `exit code ${code}`}`);
}

type Exit = {readonly code: number | null; readonly signal: NodeJS.Signals | null};

function flockOnce(flock: string, args: readonly string[], handle: FileHandle): Promise<Exit> {
  return new Promise((resolve, reject) => {
    // In its own session, or the terminal's Ctrl+C would end the helper and fail the wait.
    const helper = spawn(flock, args, {stdio: ['ignore', 'ignore', 'ignore', handle.fd], detached: true});
    helper.once('error', reject);
    helper.once('exit', (code, signal) => resolve({code, signal}));
  });
}

async function readHolder(handle: FileHandle): Promise<LockHolder | null> {
  const buffer = Buffer.alloc(4096);
  const {bytesRead} = await handle.read(buffer, 0, buffer.length, 0);
  return parseHolder(buffer.toString('utf8', 0, bytesRead));
}

/** The name is only informative; the lock works without it, even on a full disk. */
async function nameHolder(handle: FileHandle, text: string): Promise<void> {
  try {
    await handle.truncate(0);
    if (text !== '') await handle.write(text, 0);
  } catch {
    // The refused process is then told "another process".
  }
}

async function close(handle: FileHandle): Promise<void> {
  // Whatever it reports, the file is closed and the lock released.
  await handle.close().catch(() => {});
}
