import {existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {fileKind} from '../system/file-kind.ts';

/** Why nothing can be said of changes. */
export const noRepository = 'there is no git repository';

/** The nearest folder upwards with a repository in it. An empty `.git` is none. */
export function findRepository(start: string): string | null {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const found = path.join(folder, '.git');
    if (existsSync(path.join(found, 'HEAD')) || fileKind(found) === 'file') return folder;
    if (path.dirname(folder) === folder) return null;
  }
}

/** The repository that a folder is in, whatever links lead there; null where there is none, or no such folder. */
export function repositoryOf(folder: string): string | null {
  try {
    return findRepository(realpathSync(folder));
  } catch {
    return null;
  }
}
