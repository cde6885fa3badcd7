import {copyFileSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {systemErrorCode} from '../contracts/errors.ts';
import {statsOrNull} from './file-sizes.ts';
import type {Git} from './safe-git.ts';
import type {Entry} from './three-way.ts';

/** Keeps the command line short enough. */
const pathsAtOnce = 200;

/** The index entries for these files, or the name of one with unmerged entries. */
export async function stagedEntries(
  git: Git,
  files: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{readonly entries: ReadonlyMap<string, Entry>} | {readonly unmerged: string}> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at < files.length; at += pathsAtOnce) {
    const {text} = await git.run(['ls-files', '-z', '-s', '--', ...files.slice(at, at + pathsAtOnce)], {
      env: {GIT_LITERAL_PATHSPECS: '1', ...env},
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

/** The new index, already in place. */
export type ReplacedIndex = {
  /** Restores the old index, unless it was changed since. */
  readonly putBack: () => void;
};

/** Null if another git holds the index lock or has just changed the index. */
export async function replaceIndex(
  git: Git,
  {gitFolder, work, lines}: {gitFolder: string; work: string; lines: string},
): Promise<ReplacedIndex | null> {
  if (lines === '') return {putBack: () => {}};
  const index = path.join(gitFolder, 'index');
  const own = path.join(work, 'user.index');
  const before = bytesOf(index);
  if (before !== null) copyFileSync(index, own);
  await git.feed(['update-index', '-z', '--index-info'], lines, {env: {GIT_INDEX_FILE: own}});
  const after = readFileSync(own);
  if (!swap(index, before, after)) return null;
  return {putBack: () => void swap(index, after, before)};
}

/**
 * Under git's own lock, and only if the index is unchanged. Synchronous: a process that dies leaves no lock
 * behind.
 */
function swap(index: string, from: Buffer | null, to: Buffer | null): boolean {
  const lock = `${index}.lock`;
  const mode = statsOrNull(index) === null ? 0o666 : statSync(index).mode & 0o777;
  try {
    writeFileSync(lock, to ?? '', {flag: 'wx', mode});
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    rmSync(lock, {force: true});
    throw error;
  }
  const now = bytesOf(index);
  const isAsBefore = from === null ? now === null : now?.equals(from) === true;
  if (isAsBefore && to !== null) renameSync(lock, index);
  else {
    if (isAsBefore) rmSync(index, {force: true});
    unlinkSync(lock);
  }
  return isAsBefore;
}

const bytesOf = (file: string): Buffer | null => (statsOrNull(file) === null ? null : readFileSync(file));
