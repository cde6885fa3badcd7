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

/** Where files are put, where they wait, and where those that they replace are kept until all are there. */
export type WritePlace = {readonly top: string; readonly staged: string; readonly replaced: string};

type Step = {readonly undo: () => void};

/**
 * Puts files that are ready into their places and removes others: all of them, or none. What can fail for
 * want of room is done before; from here on there are renames.
 */
export function writeFiles(entries: readonly PlacedEntry[], place: WritePlace): void {
  const done: Step[] = [];
  try {
    for (const {file} of entries.filter(({entry}) => entry.mode === noMode)) remove(file, place, done);
    for (const {file} of entries.filter(({entry}) => entry.mode !== noMode)) put(file, place, done);
  } catch (error) {
    const failed = takeBack(done);
    throw new AppError('E_UNDO_REFUSED', `the files could not be written: ${messageOf(error)}`, {
      details: failed.map((reason) => ['not put back', reason] as const),
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
    // Whoever may read and write it stays as it was; whether it is a program is the content's own.
    if (found.isFile() && lstatSync(ready).isFile())
      chmodSync(ready, (found.mode & 0o666) | (lstatSync(ready).mode & 0o100 ? executable(found.mode) : 0));
    move(ready, target);
    done.push({undo: () => move(kept, target)});
  } else {
    move(ready, target);
    done.push({undo: () => unlinkSync(target)});
  }
}

/** Whoever may read it may run it. */
const executable = (mode: number) => (mode & 0o444) >> 2;

let keptFiles = 0;

function keptName(file: string, {replaced}: WritePlace): string {
  return path.join(replaced, `${keptFiles++}-${path.basename(file).slice(-50)}`);
}

/** A second name for a file: the first is free to be replaced, in one step. */
function keep(target: string, kept: string): void {
  try {
    linkSync(target, kept);
  } catch {
    // Not every file system has links, and none has them across.
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

/** Never through a link, here as in `makeFolders`: it may lead anywhere. */
function requireRealFolders(top: string, file: string): void {
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
    if (!lstatSync(path.join(top, folder)).isDirectory()) throw new Error(`${folder} is no folder`);
  }
}

function makeFolders(top: string, folder: string, done: Step[]): void {
  if (folder === '.') return;
  makeFolders(top, path.dirname(folder), done);
  const target = path.join(top, folder);
  const found = statsOrNull(target);
  if (found?.isDirectory()) return;
  if (found) throw new Error(`${folder} is no folder`);
  mkdirSync(target);
  done.push({undo: () => rmdirSync(target)});
}

/** Git knows no empty folders, so a folder goes with the last file in it. */
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
