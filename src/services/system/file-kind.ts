import {statSync} from 'node:fs';

/**
 * What stands at a path, through links. A path that leads nowhere, into a loop, or where we may not look
 * is no reason to fail: nothing that we could use is there.
 */
export function fileKind(place: string): 'file' | 'folder' | 'other' | null {
  try {
    const found = statSync(place);
    if (found.isFile()) return 'file';
    return found.isDirectory() ? 'folder' : 'other';
  } catch {
    return null;
  }
}
