import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import {AppError, messageOf, systemErrorCode} from '../contracts/errors.ts';
import {statsOrNull} from './file-sizes.ts';
import {noMode, type PlacedEntry} from './three-way.ts';

/** Where files go, where they are staged, and where the replaced ones are kept until all are in place. */
export type WritePlace = {readonly top: string; readonly staged: string; readonly replaced: string};

type Step = {readonly undo: () => void};

/**
 * Moves staged files into place and removes others: all or none. Everything that needs disk space was done
 * before; only renames are left.
 */
export function writeFiles(entries: readonly PlacedEntry[], place: WritePlace): void {
  const done: Step[] = [];
  try {
    for (const {file} of entries.filter(({entry}) => entry.mode === noMode)) remove(file, place, done);
    for (const {file} of entries.filter(({entry}) => entry.mode !== noMode)) put(file, place, done);
  } catch (error) {
    const failed = takeBack(done);
    throw new AppError('E_UNDO_REFUSED', `the files could not be written: ${messageOf(error)}`, {
      details: failed.map((reason) => ['not restored', reason] as const),
      cause: error,
    });
  }
}

function takeBack(done: readonly Step[]): string[] {
  const failed: string[] = [];
  for (const {undo} of done.toReversed()) {
    try {
      undo();
    } catch (error) {
      failed.push(messageOf(error));
    }
  }
  return failed;
}

function remove(file: string, place: WritePlace, done: Step[]): void {
  const target = path.join(place.top, file);
  requireRealFolders(place.top, file);
  const kept = keptName(file, place);
  move(target, kept);
  done.push({undo: () => move(kept, target)});
  removeEmptyFolders(place.top, path.dirname(file), done);
}

function put(file: string, place: WritePlace, done: Step[]): void {
  const target = path.join(place.top, file);
  makeFolders(place.top, path.dirname(file), done);
  const ready = path.join(place.staged, file);
  const found = statsOrNull(target);
  if (found?.isDirectory()) throw new Error(`${file} is a folder`);
  if (found) {
    const kept = keptName(file, place);
    keep(target, kept);
    // Keeps the target's permissions; only the executable bit comes from the content.
    if (found.isFile() && lstatSync(ready).isFile())
      chmodSync(ready, (found.mode & 0o666) | (lstatSync(ready).mode & 0o100 ? executable(found.mode) : 0));
    move(ready, target);
    done.push({undo: () => move(kept, target)});
  } else {
    move(ready, target);
    done.push({undo: () => unlinkSync(target)});
  }
}

/** Executable for everyone who may read it. */
const executable = (mode: number) => (mode & 0o444) >> 2;

let keptFiles = 0;

function keptName(file: string, {replaced}: WritePlace): string {
  return path.join(replaced, `${keptFiles++}-${path.basename(file).slice(-50)}`);
}

/** Adds a second link to a file, so that it can be replaced in one step. */
function keep(target: string, kept: string): void {
  try {
    linkSync(target, kept);
  } catch {
    // Not every file system has hard links, and none across devices.
    copy(target, kept);
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    const near = `${to}.blackbird-${process.pid}`;
    copy(from, near);
    renameSync(near, to);
    rmSync(from);
  }
}

function copy(from: string, to: string): void {
  const found = lstatSync(from);
  if (found.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else {
    copyFileSync(from, to);
    chmodSync(to, found.mode);
  }
}

/** Never through a link, as in `makeFolders`: it may point anywhere. */
function requireRealFolders(top: string, file: string): void {
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
    if (!lstatSync(path.join(top, folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
  }
}

function makeFolders(top: string, folder: string, done: Step[]): void {
  if (folder === '.') return;
  makeFolders(top, path.dirname(folder), done);
  const target = path.join(top, folder);
  const found = statsOrNull(target);
  if (found?.isDirectory()) return;
  if (found) throw new Error(`${folder} is not a folder`);
  mkdirSync(target);
  done.push({undo: () => rmdirSync(target)});
}

/** Git has no empty folders, so a folder is removed with its last file. */
function removeEmptyFolders(top: string, folder: string, done: Step[]): void {
  if (folder === '.') return;
  const target = path.join(top, folder);
  try {
    rmdirSync(target);
  } catch {
    return;
  }
  done.push({undo: () => mkdirSync(target)});
  removeEmptyFolders(top, path.dirname(folder), done);
}
