import {closeSync, openSync, readSync} from 'node:fs';
import {systemErrorCode} from '../contracts/errors.ts';

/** For processes of other users: they exist, but none is ours. */
const denied = 'denied';
let scratch = Buffer.allocUnsafe(64 * 1024);

/** A file in /proc as latin1; null if the process is gone. Needs half the system calls of `readFileSync`. */
export function readProcFile(file: string): string | null {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    let length = readSync(fd, scratch, 0, scratch.length, null);
    while (length === scratch.length) {
      scratch = Buffer.concat([scratch, Buffer.allocUnsafe(length)]);
      length += readSync(fd, scratch, length, scratch.length - length, null);
    }
    return scratch.toString('latin1', 0, length);
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'EACCES' || code === 'EPERM' ? denied : null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
