import {existsSync, readdirSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {type ChangeStore, isPlainFile, versionOf} from './change-store.ts';
import {createGit, type Environment, type Git, GitFailure, gitEnvironment} from './safe-git.ts';
import type {GitFolderSettings} from './work-folders.ts';

/** What a snapshot needs to know about the user's repository, which is only read. */
export type Repository = GitFolderSettings & {
  /** The folder that contains `.git`, whatever the repository says its work tree is. */
  readonly top: string;
  readonly objects: string;
  /** Files that are tracked although they are ignored. Cached until the index changes, unless asked afresh. */
  ignoredButTracked(look: Look, options?: {afresh: boolean}): Promise<readonly string[]>;
  /** Remembers which objects there are. */
  noteObjects(): void;
  /** Whether objects were added or removed since they were noted; true if they never were. */
  hasOtherObjects(): boolean;
};

/** Even reading the index of a sparse checkout writes objects; they go to our store. */
type Look = {readonly signal: AbortSignal; readonly store: ChangeStore};

/** Opens a repository by its folder, without git's discovery, and checks the answers. */
export async function openRepository(
  top: string,
  {env, signal}: {env: Environment; signal: AbortSignal},
): Promise<Repository> {
  const git = (limit: AbortSignal) => lookingGit(top, env, limit);
  const paths = ['objects', 'info/exclude', 'index'].flatMap((file) => ['--git-path', file]);
  const asked = ['rev-parse', '--path-format=absolute', '--show-object-format', ...paths];
  const [answer, excludes] = await Promise.all([
    git(signal).run(asked),
    git(signal).run(['config', '--type=path', '--get', 'core.excludesFile'], {answers: [0, 1]}),
  ]);
  const [objectFormat = '', objects = '', infoExclude = '', index = '', ...rest] = answer.text.split('\n');
  if (!/^sha\d+$/.test(objectFormat) || !path.isAbsolute(index) || rest.join('') !== '') {
    throw new GitFailure('failed', `git does not understand the repository in ${top}`);
  }

  const excludesFile = path.resolve(top, excludes.text.replace(/\n$/, '') || defaultExcludesFile(env));
  const staged = async (args: readonly string[], {signal: limit, store}: Look) => {
    const {text} = await git(limit).run(['ls-files', '-z', '-s', ...args], {
      env: {
        GIT_LITERAL_PATHSPECS: '1',
        GIT_OBJECT_DIRECTORY: store.objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: asAlternates([objects]),
      },
    });
    return stagedEntries(text);
  };

  let notedObjects = '';
  let known: {version: string; files: readonly string[]} | undefined;
  return {
    top,
    objects,
    objectFormat,
    infoExclude,
    ignoreCase: ignoresCase(top),
    excludesFile,
    ignoredButTracked: async (look, {afresh} = {afresh: false}) => {
      const version = versionOf(index);
      if (known?.version === version && !afresh) return known.files;
      const lists = [infoExclude, excludesFile].filter(isPlainFile).map((file) => `--exclude-from=${file}`);
      const entries = await staged(['-i', '-c', '--exclude-per-directory=.gitignore', ...lists], look);
      const files = entries.flatMap(({mode, file}) => (mode === submodule ? [] : [file]));
      known = {version, files};
      return files;
    },
    noteObjects: () => {
      notedObjects = objectsVersion(objects);
    },
    hasOtherObjects: () => objectsVersion(objects) !== notedObjects,
  };
}

/**
 * A `.GIT` that the folder does not list is `.git` on a case-insensitive file system; anyone can create a
 * listed one.
 */
const ignoresCase = (top: string) => existsSync(path.join(top, '.GIT')) && !readdirSync(top).includes('.GIT');

const submodule = '160000';

export const isObjectId = (text: string) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Git in the user's repository. Its settings are read, so all that name a program are overridden. */
export function lookingGit(top: string, env: Environment, signal: AbortSignal): Git {
  return createGit({
    cwd: top,
    signal,
    env: {...gitEnvironment(env, top), GIT_DIR: path.join(top, '.git'), GIT_WORK_TREE: top},
    settings: ['core.fsmonitor=false', 'core.hooksPath=/dev/null'],
  });
}

/** Object folders in one variable. A colon would end a path, so paths are quoted as git expects. */
export function asAlternates(folders: Iterable<string>): string {
  const quoted = (folder: string) => (/[:"\n]/.test(folder) ? JSON.stringify(folder) : folder);
  return [...folders].map(quoted).join(path.delimiter);
}

function stagedEntries(text: string): Array<{readonly mode: string; readonly file: string}> {
  return text.split('\0').flatMap((entry) => {
    const tab = entry.indexOf('\t');
    return tab < 0 ? [] : [{mode: entry.slice(0, entry.indexOf(' ')), file: entry.slice(tab + 1)}];
  });
}

function defaultExcludesFile(env: Environment): string {
  return path.join(env.XDG_CONFIG_HOME || path.join(env.HOME || os.homedir(), '.config'), 'git', 'ignore');
}

/** Adding or dropping objects changes one of their folders. */
function objectsVersion(objects: string): string {
  return readdirSync(objects)
    .map((name) => `${name}=${versionOf(path.join(objects, name))}`)
    .join();
}
