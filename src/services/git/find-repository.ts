import {existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {fileKind} from '../system/file-kind.ts';

/** Why changes cannot be tracked. */
export const noRepository = 'there is no git repository';

/** The nearest parent folder with a repository. An empty `.git` does not count. */
export function findRepository(start: string): string | null {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const found = path.join(folder, '.git');
    if (existsSync(path.join(found, 'HEAD')) || fileKind(found) === 'file') return folder;
    if (path.dirname(folder) === folder) return null;
  }
}

/** The repository a folder is in, with links resolved; null if there is none or the folder does not exist. */
export function repositoryOf(folder: string): string | null {
  try {
    return findRepository(realpathSync(folder));
  } catch {
    return null;
  }
}
