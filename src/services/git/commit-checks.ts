import {existsSync} from 'node:fs';
import path from 'node:path';
import {createGit, type Environment, type Git, gitEnvironment} from './safe-git.ts';
import {type Entry, entriesIn, type MergeConflict, noMode} from './three-way.ts';

/** A reason not to commit; the task still counts as done. */
export class Skipped extends Error {}

/** Git in the user's repository, under their name, with every program it could run disabled. */
export function committingGit({
  top,
  env,
  signal,
  cwd,
  more,
}: {
  top: string;
  env: Environment;
  signal: AbortSignal;
  cwd: string;
  more: Readonly<Record<string, string>>;
}): Git {
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
  const told = Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  return createGit({
    cwd,
    signal,
    env: {
      ...gitEnvironment(env, top),
      ...told,
      GIT_DIR: path.join(top, '.git'),
      GIT_WORK_TREE: top,
      ...more,
    },
    // Never commit under an identity that git guesses from the hostname.
    settings: [
      ...['core.fsmonitor=false', 'core.hooksPath=/dev/null'],
      ...['user.useConfigOnly=true', 'i18n.commitEncoding=UTF-8'],
    ],
  });
}

export type CommitJob = {
  /** Works on the recorded trees, with our own settings only. */
  readonly store: Git;
  /** Works in the user's repository, in any folder; every program its settings name is disabled. */
  readonly user: (cwd: string, env?: Readonly<Record<string, string>>) => Git;
  readonly work: string;
  readonly top: string;
};

export type Side = {readonly file: string; readonly before: Entry; readonly after: Entry};

const busyMarks: ReadonlyArray<readonly [file: string, what: string]> = [
  ['MERGE_HEAD', 'a merge'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
];

/** The operation git is in the middle of, such as a merge. */
export const underWayIn = (gitFolder: string): string | null =>
  busyMarks.find(([file]) => existsSync(path.join(gitFolder, file)))?.[1] ?? null;

export function refuseWhileBusy(gitFolder: string): void {
  const what = underWayIn(gitFolder);
  if (what !== null) throw new Skipped(`${what} is in progress`);
}

export async function requireIdentity(git: Git): Promise<void> {
  const ident = (name: string) => git.run(['var', name], {answers: [0, 1, 128]});
  const found = await Promise.all([ident('GIT_AUTHOR_IDENT'), ident('GIT_COMMITTER_IDENT')]);
  if (found.some(({code}) => code !== 0))
    throw new Skipped('git does not know who you are: set user.name and user.email with git config --global');
}

/** A nested repository commits its own files. */
export function refuseInnerRepositories(top: string, files: readonly string[]): void {
  const inner = foldersAbove(files).find((folder) => existsSync(path.join(top, folder, '.git')));
  if (inner !== undefined) throw new Skipped(`${inner} is a repository of its own`);
}

function foldersAbove(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files)
    for (let at = path.dirname(file); at !== '.' && !folders.has(at); at = path.dirname(at)) folders.add(at);
  return [...folders];
}

/** Only the filter program knows what it makes of a file, and we run none. */
export async function refuseFilters(git: Git, files: readonly string[]): Promise<void> {
  const input = files.map((file) => `${file}\0`).join('');
  const answers = (await git.feed(['check-attr', '-z', '--stdin', 'filter'], input)).split('\0');
  for (let at = 0; at + 2 < answers.length; at += 3) {
    const [file = '', , filter = ''] = answers.slice(at, at + 3);
    if (filter !== 'unspecified' && filter !== 'unset')
      throw new Skipped(`${file} goes through the git filter ${filter}`);
  }
}

/** Refuses if HEAD has a file where the change needs a folder, or vice versa, unless the change removes it. */
export async function refuseBlocked(
  git: Git,
  tree: string | null,
  sides: readonly Side[],
  heads: ReadonlyMap<string, Entry>,
): Promise<void> {
  if (tree === null) return;
  const goes = new Set(sides.flatMap(({file, after}) => (after.mode === noMode ? [file] : [])));
  const folders = foldersAbove(sides.flatMap(({file, after}) => (after.mode === noMode ? [] : [file])));
  for (const [file, {mode}] of await entriesIn(git, tree, folders))
    if (mode !== '040000' && !goes.has(file)) throw new Skipped(overlapWords('kind', file, 'HEAD'));
  for (const [file, {mode}] of heads)
    if (mode === '040000') throw new Skipped(overlapWords('kind', file, 'HEAD'));
}

export function overlapWords(conflict: MergeConflict, file: string, where: string): string {
  switch (conflict) {
    case 'missing':
      return `${file} is not in ${where}: it was there, and not committed, before the task`;
    case 'present':
      return `${file} is in ${where}, and was not there before the task`;
    default:
      return `${file} differs from ${where} in the same place: your own change is not committed`;
  }
}
