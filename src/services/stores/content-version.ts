import {createHash} from 'node:crypto';
import {closeSync, constants, lstatSync, openSync, readFileSync} from 'node:fs';

/** Far more than any record. */
const maxBytes = 64n * 1024n * 1024n;

export type Seen = {readonly stat: string; readonly version: string};

/**
 * The version of a file's content; '' if there is none. A hard link or another mode is not an edit, so an entry that
 * changed is read again; its change time cannot be forged. Anything that is not a file counts by itself: an agent may
 * have put a link in its place.
 */
export function contentVersion(file: string, known: Map<string, Seen> = new Map()): string {
  try {
    const found = lstatSync(file, {bigint: true});
    const stat = `${found.ino} ${found.size} ${found.ctimeNs}`;
    if (!found.isFile() || found.size > maxBytes) return stat;
    const seen = known.get(file);
    if (seen?.stat === stat) return seen.version;
    const version = digestOf(file);
    // An unreadable one may still be written.
    if (version === null) return stat;
    known.set(file, {stat, version});
    return version;
  } catch {
    // Removed since its folder was read.
    return '';
  }
}

function digestOf(file: string): string | null {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return createHash('sha256').update(readFileSync(handle)).digest('hex');
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}
