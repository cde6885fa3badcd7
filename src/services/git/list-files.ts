import {realpathSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {findRepository} from './find-repository.ts';
import {lookingGit} from './repository.ts';
import type {Environment} from './safe-git.ts';

export type ListFilesOptions = {
  /** The paths are told from here, and nothing outside of it is. */
  readonly root: string;
  readonly env: Environment;
  readonly timeLimitMs?: number;
  /** Outside of git nothing says what does not belong to a project; a walk ends somewhere. */
  readonly walkLimit?: number;
};

/**
 * The files of a project that a person may want to name: tracked ones and new ones, without what is ignored.
 * Where git cannot tell, what a walk through the folders finds.
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
    // Whatever git has against it, the files are there to be named.
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
    // From the top, because git runs there; the state folder is ours and no file of the project.
    const within = below === '' ? [] : ['--', `:(top,literal)${below}`];
    const {text} = await git.run(['ls-files', '-z', ...args, ...within]);
    return text.split('\0').filter((file) => file !== '');
  };
  const [known, gone] = await Promise.all([list('-c', '-o', '--exclude-standard'), list('-d')]);
  const deleted = new Set(gone);
  const files = known.filter((file) => !deleted.has(file) && !file.endsWith('/'));
  // A file in conflict is listed once for each side.
  return [...new Set(files.map((file) => path.relative(folder, path.join(top, file))))].filter(isOfProject);
}

const isOfProject = (file: string) => file !== '.blackbird' && !file.startsWith(`.blackbird${path.sep}`);

/** Folder by folder, nearest first, so that a limit leaves out what is deepest. Links are not followed. */
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

/** Folders of tools, as most ignore lists have them. */
const leftOut = new Set(['.git', '.hg', '.svn', '.blackbird', 'node_modules', '.venv', '__pycache__']);
