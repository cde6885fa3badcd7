import {realpathSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {findRepository} from './find-repository.ts';
import {lookingGit} from './repository.ts';
import type {Environment} from './safe-git.ts';

export type ListFilesOptions = {
  /** Paths are relative to this folder; nothing outside it is listed. */
  readonly root: string;
  readonly env: Environment;
  readonly timeLimitMs?: number;
  /** Without git nothing says which files belong to the project, so the walk is limited. */
  readonly walkLimit?: number;
};

/**
 * The project files a user may want to name: tracked and new ones, without ignored ones. Without git,
 * whatever a walk through the folders finds.
 */
export async function listFiles({
  root,
  env,
  timeLimitMs = 20_000,
  walkLimit = 50_000,
}: ListFilesOptions): Promise<readonly string[]> {
  const folder = realpathSync(root);
  const top = findRepository(folder);
  if (top !== null) {
    // Whatever git complains about, the files can still be listed.
    const found = await gitFiles(folder, top, env, AbortSignal.timeout(timeLimitMs)).catch(() => null);
    if (found !== null) return found;
  }
  return await walk(folder, walkLimit);
}

async function gitFiles(
  folder: string,
  top: string,
  env: Environment,
  signal: AbortSignal,
): Promise<string[]> {
  const git = lookingGit(top, env, signal);
  const list = async (...args: readonly string[]) => {
    const below = path.relative(top, folder);
    // Relative to the top, where git runs; the state folder is ours, not the project's.
    const within = below === '' ? [] : ['--', `:(top,literal)${below}`];
    const {text} = await git.run(['ls-files', '-z', ...args, ...within]);
    return text.split('\0').filter((file) => file !== '');
  };
  const [known, gone] = await Promise.all([list('-c', '-o', '--exclude-standard'), list('-d')]);
  const deleted = new Set(gone);
  const files = known.filter((file) => !deleted.has(file) && !file.endsWith('/'));
  // A file in conflict is listed once per side.
  return [...new Set(files.map((file) => path.relative(folder, path.join(top, file))))].filter(isOfProject);
}

const isOfProject = (file: string) => file !== '.blackbird' && !file.startsWith(`.blackbird${path.sep}`);

/** Breadth first, so that the limit leaves out the deepest files. Links are not followed. */
async function walk(root: string, limit: number): Promise<string[]> {
  const files: string[] = [];
  const folders = [''];
  for (const folder of folders) {
    const entries = await readdir(path.join(root, folder), {withFileTypes: true}).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory() && !leftOut.has(entry.name)) folders.push(name);
      if (entry.isFile()) files.push(name);
      if (files.length === limit) return files;
    }
    if (folders.length > limit) break;
  }
  return files;
}

/** Tool folders found on most ignore lists. */
const leftOut = new Set(['.git', '.hg', '.svn', '.blackbird', 'node_modules', '.venv', '__pycache__']);
