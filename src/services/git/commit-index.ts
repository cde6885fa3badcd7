import {copyFileSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {systemErrorCode} from '../contracts/errors.ts';
import {statsOrNull} from './file-sizes.ts';
import type {Git} from './safe-git.ts';
import type {Entry} from './three-way.ts';

/** So many paths stand in one command line. */
const pathsAtOnce = 200;

/** What the user has in the index for these files; the name of one that is being merged. */
export async function stagedEntries(
  git: Git,
  files: readonly string[],
): Promise<{readonly entries: ReadonlyMap<string, Entry>} | {readonly unmerged: string}> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < files.length; at += pathsAtOnce) {
    const {text} = await git.run(['ls-files', '-z', '-s', '--', ...files.slice(at, at + pathsAtOnce)], {
      env: {GIT_LITERAL_PATHSPECS: '1'},
    });
    for (const line of text.split('\0')) {
      const [, mode, id, stage, file] = /^(\d{6}) ([0-9a-f]+) (\d)\t([\s\S]+)$/.exec(line) ?? [];
      if (mode === undefined || id === undefined || file === undefined) continue;
      if (stage !== '0') return {unmerged: file};
      entries.set(file, {mode, id});
    }
  }
  return {entries};
}

/** A new index that is ready, under git's own lock. */
export type LockedIndex = {
  /** It becomes the index. */
  readonly commit: () => void;
  /** The index stays what it was. */
  readonly release: () => void;
};

/** Null where another git holds the index, or has just changed it. */
export async function lockIndex(
  git: Git,
  {gitFolder, work, lines}: {gitFolder: string; work: string; lines: string},
): Promise<LockedIndex | null> {
  if (lines === '') return {commit: () => {}, release: () => {}};
  const index = path.join(gitFolder, 'index');
  const own = path.join(work, 'user.index');
  const before = bytesOf(index);
  if (before !== null) copyFileSync(index, own);
  await git.feed(['update-index', '-z', '--index-info'], lines, {env: {GIT_INDEX_FILE: own}});
  const lock = `${index}.lock`;
  try {
    const mode = statsOrNull(index) === null ? 0o666 : statSync(index).mode & 0o777;
    writeFileSync(lock, readFileSync(own), {flag: 'wx', mode});
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return null;
    throw error;
  }
  const release = () => unlinkSync(lock);
  const now = bytesOf(index);
  if (before === null ? now !== null : now === null || !before.equals(now)) {
    release();
    return null;
  }
  return {commit: () => renameSync(lock, index), release};
}

const bytesOf = (file: string): Buffer | null => (statsOrNull(file) === null ? null : readFileSync(file));
