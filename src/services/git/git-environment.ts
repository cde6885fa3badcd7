import path from 'node:path';
import type {Environment} from './safe-git.ts';

/**
 * The part of the environment git may see: where programs and the user's settings are. No `GIT_*` variable is
 * passed on, no folder of the repository is searched for programs, and no transport (a program named by a
 * setting) is allowed.
 */
export function gitEnvironment(env: Environment, repository: string): Record<string, string> {
  const isForeign = (folder: string) => path.isAbsolute(folder) && !isInside(repository, folder);
  const kept = ['HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'DEVELOPER_DIR'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    PATH: (env.PATH ?? '').split(path.delimiter).filter(isForeign).join(path.delimiter),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

/** A repository at the root of the file system contains everything, so it does not count. */
function isInside(repository: string, folder: string): boolean {
  const way = path.relative(repository, folder);
  return path.dirname(repository) !== repository && way !== '..' && !way.startsWith(`..${path.sep}`);
}
