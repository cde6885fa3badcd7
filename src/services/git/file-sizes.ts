import {createHash} from 'node:crypto';
import {lstatSync, readdirSync, readFileSync, type Stats, writeFileSync} from 'node:fs';
import path from 'node:path';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {type Git, GitFailure} from './safe-git.ts';

/**
 * Larger files are compared by size and inode change time (which cannot be set back): their content is
 * neither shown nor worth a copy.
 */
const maxContentBytes = 8 * 1024 * 1024;
/** The limit for files that LFS keeps outside git. */
const maxLfsBytes = 64 * 1024;
/** A project that takes longer than this to record holds more than a task's files. */
const maxTotalBytes = 4 * 1024 * 1024 * 1024;

/** The stats of the files that exist. Names that are not valid text are left to git. */
export async function statsOf(top: string, files: readonly string[]): Promise<Map<string, Stats>> {
  const found = new Map<string, Stats>();
  for (const batch of batches(files, 1000)) {
    for (const file of batch) {
      const stats = statsOrNull(path.join(top, file));
      if (stats !== null && !stats.isDirectory()) found.set(file, stats);
    }
    await nextTurn();
  }
  return found;
}

/** Null if the file does not exist or cannot be reached. */
export function statsOrNull(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    // Deleted, or its parent is no longer a folder.
    return null;
  }
}

export async function bulkyFiles(files: ReadonlyMap<string, Stats>, git: Git): Promise<Map<string, Stats>> {
  const sizes = [...files].filter(([, {size}]) => size > maxLfsBytes);
  if (sizes.length === 0) return new Map();
  const args = ['ls-files', '-z', '-o', '-m', '--exclude-standard', '--', ':(top,attr:filter=lfs)'];
  const lfs = new Set((await git.run(args)).text.split('\0'));
  return new Map(sizes.filter(([file, {size}]) => size > maxContentBytes || lfs.has(file)));
}

export function checkTotal(files: ReadonlyMap<string, Stats>, bulky: ReadonlyMap<string, Stats>): void {
  let total = 0;
  for (const [file, {size}] of files) if (!bulky.has(file)) total += size;
  if (total <= maxTotalBytes) return;
  const gigabytes = (bytes: number) => Math.ceil(bytes / 1024 ** 3);
  throw new GitFailure(
    'large',
    `${gigabytes(total)} GiB of files would have to be recorded; the limit is ${gigabytes(maxTotalBytes)} GiB`,
  );
}

/** Why a file is not recorded. */
export type WhyNot = 'too large to be recorded' | 'cannot be read';

/** Index entries with a note in place of the file's content. */
export async function describeFiles(
  files: ReadonlyMap<string, Stats>,
  {git, work, why}: {git: Git; work: string; why: WhyNot},
): Promise<string[]> {
  const entries: string[] = [];
  let number = 0;
  for (const batch of batches([...files], 200)) {
    const notes = batch.map(([, {size, ctime}]) => {
      const note = `${work}.${number++}`;
      writeFileSync(note, `${size} bytes, changed ${ctime.toISOString()}; ${why}\n`);
      return note;
    });
    const {text} = await git.run(['hash-object', '-w', '--no-filters', '--', ...notes]);
    const ids = text.trim().split('\n');
    entries.push(
      ...batch.map(([file, {mode}], at) => `${mode & 0o100 ? 100755 : 100644} ${ids[at]}\t${file}\0`),
    );
  }
  return entries;
}

export const longestNote = 200;

/** The note in a recorded file, saying why its content is missing. */
export function noteIn(file: string): string | null {
  const stats = statsOrNull(file);
  if (!stats?.isFile() || stats.size > longestNote) return null;
  const [, why] = notePattern.exec(readFileSync(file, 'utf8')) ?? [];
  return why === undefined
    ? null
    : why.startsWith('too')
      ? 'too large to have been recorded'
      : 'could not be read';
}

/** Whether recorded content is such a note. */
export const isNote = (text: string): boolean => notePattern.test(text);

const notePattern = /^\d+ bytes, changed \S+; (too large to be recorded|cannot be read)\n$/;

/** Larger folders are fingerprinted by their first files only. */
const maxFingerprinted = 10_000;

/** Looks like an object id, and changes with any name, size or time below the folder. */
export function fingerprint(folder: string, {objectFormat}: {objectFormat: string}): string {
  const hash = createHash(objectFormat === 'sha1' ? 'sha1' : 'sha256');
  const folders = [folder];
  let seen = 0;
  for (const each of folders) {
    for (const name of namesIn(each)) {
      const file = path.join(each, name);
      const stats = statsOrNull(file);
      if (stats?.isDirectory() && name !== '.git') folders.push(file);
      else if (name !== '.git') hash.update(`${file}\0${stats?.size}\0${stats?.ctimeMs}\0`);
      if (++seen > maxFingerprinted) return hash.digest('hex');
    }
  }
  return hash.digest('hex');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
