import {statSync} from 'node:fs';

/**
 * What is at a path, following links. A dangling, circular or forbidden path is not an error: there is
 * nothing we could use.
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
