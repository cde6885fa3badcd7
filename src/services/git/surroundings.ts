import {lstatSync, readFileSync, realpathSync} from 'node:fs';
import path from 'node:path';
import type {NewIgnored, SurroundingsReader} from '../contracts/side-effects.ts';
import {findRepository} from './find-repository.ts';
import {readRefs} from './read-refs.ts';
import type {Environment} from './safe-git.ts';

/** So many ignored entries are looked at, and so many of the new ones are named. */
const [maxEntries, maxNames] = [5_000, 5];

export function createSurroundingsReader({
  root,
  stateFolder,
  settings,
  env,
  timeLimitMs = 5_000,
}: {
  root: string;
  stateFolder: string;
  /** By the names they are told by. */
  settings: Readonly<Record<string, string>>;
  env: Environment;
  timeLimitMs?: number;
}): SurroundingsReader {
  const repository = () => {
    const folder = realFolder(root);
    return folder === null ? null : findRepository(folder);
  };
  return {
    look: async () => {
      const top = repository();
      return {
        settings: new Map(Object.entries(settings).map(([name, file]) => [name, contentOf(file)])),
        repository: top === null ? null : readRefs(top),
      };
    },

    ignoredSince: async (time) => {
      const top = repository();
      if (top === null) return none;
      const {lookingGit} = await import('./repository.ts');
      const args = ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory', '--', '.'];
      const own = path.relative(top, realFolder(stateFolder) ?? stateFolder);
      try {
        const git = lookingGit(top, env, AbortSignal.timeout(timeLimitMs));
        const {text} = await git.run([...args, `:(top,exclude,literal)${own}`]);
        const entries = text.split('\0').slice(0, -1).slice(0, maxEntries);
        const since = Date.parse(time);
        const fresh = entries.filter((entry) => createdAt(path.join(top, entry)) >= since);
        return {count: fresh.length, names: fresh.slice(0, maxNames)};
      } catch {
        // A git that cannot tell has said so in the summary of the change.
        return none;
      }
    },
  };
}

const none: NewIgnored = {count: 0, names: []};

/** Systems without a time of birth tell that of the last change. */
function createdAt(file: string): number {
  try {
    const {birthtimeMs, ctimeMs} = lstatSync(file);
    return birthtimeMs > 0 ? birthtimeMs : ctimeMs;
  } catch {
    return 0;
  }
}

function contentOf(file: string): string | null {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : 'not a file';
  } catch {
    return null;
  }
}

function realFolder(folder: string): string | null {
  try {
    return realpathSync(folder);
  } catch {
    return null;
  }
}
