import path from 'node:path';
import type {FoundFiles} from '../contracts/side-effects.ts';
import {statsOrNull} from './file-sizes.ts';
import {lookingGit} from './repository.ts';
import type {Environment} from './safe-git.ts';

export type IgnoredLook = {readonly env: Environment; readonly signal: AbortSignal; readonly leftOut: string};

/** What git ignores in a repository: files, and folders with a trailing slash, except below `leftOut`. */
export async function ignoredIn(folder: string, {env, signal, leftOut}: IgnoredLook): Promise<string[]> {
  const args = ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory', '--', '.'];
  const {text} = await lookingGit(folder, env, signal).run([...args, `:(top,exclude,literal)${leftOut}`]);
  const names = text.split('\0').slice(0, -1);
  // If some files in it are tracked, git lists the others although they are excluded.
  return names.filter((name) => !name.startsWith(`${leftOut}/`));
}

/** A task begins right after the previous one ended, so git's last answer is reused while it is this fresh. */
const freshMilliseconds = 2_000;
/** How many names are remembered. */
const maxNames = 20_000;

/** What a repository ignored when git was last asked. */
export class IgnoredMemory {
  #last: {readonly top: string; readonly names: readonly string[]; readonly at: number} | null = null;

  keep(top: string, names: readonly string[]): readonly string[] {
    this.#last = {top, names, at: performance.now()};
    return names;
  }

  /** The ignored files that exist. */
  async now(top: string, ask: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const last = this.#last;
    const isFresh = last?.top === top && performance.now() - last.at < freshMilliseconds;
    const names = isFresh ? last.names.filter((name) => isThere(top, name)) : this.keep(top, await ask());
    return names.slice(0, maxNames);
  }

  /** The ones that are gone; empty for a different repository. */
  gone(top: string, names: readonly string[]): FoundFiles {
    const isSame = this.#last === null || this.#last.top === top;
    const gone = isSame ? names.filter((name) => !isThere(top, name)) : [];
    return {count: gone.length, names: gone.slice(0, shownNames)};
  }
}

const shownNames = 5;
/** A name that is not valid text cannot be looked up. */
const isThere = (top: string, name: string): boolean =>
  name.includes('\ufffd') || statsOrNull(path.join(top, name)) !== null;
