import {copyFileSync, lstatSync, readdirSync, renameSync, rmSync, statSync, utimesSync} from 'node:fs';
import path from 'node:path';
import {AppError} from '../contracts/errors.ts';
import {ensurePrivateFolder} from '../stores/durable-write.ts';
import {ensureStateFolder, type ProjectFolder} from '../stores/project-folder.ts';
import {fileKind} from '../system/file-kind.ts';
import {removeAbandoned} from './work-folders.ts';

/**
 * `.blackbird/changes`: the objects of all snapshots, and the indexes kept between them. They stay out of the
 * user's repository: without a ref its `gc` would drop the objects, and a ref would be visible to the user.
 */
export type ChangeStore = {readonly folder: string; readonly objects: string};

export async function openStore(project: ProjectFolder): Promise<ChangeStore> {
  await ensureStateFolder(project);
  const folder = path.join(project.stateFolder, 'changes');
  const objects = path.join(folder, 'objects');
  for (const each of [folder, objects]) await ensurePrivateFolder(each);
  const link = readdirSync(objects, {withFileTypes: true}).find((entry) => entry.isSymbolicLink());
  if (link) {
    const found = path.join(objects, link.name);
    throw new AppError(
      'E_STORE_UNSAFE',
      `${found} is a symbolic link; Blackbird writes only into a real folder`,
    );
  }
  removeAbandoned(folder);
  return {folder, objects};
}

/**
 * Copies an index with a slightly earlier mtime: git re-checks files that changed at or after the index was
 * written, and a later mtime would make it miss them.
 */
export function copyIndex(from: string, to: string): void {
  const found = lstatSync(from, {throwIfNoEntry: false});
  if (!found?.isFile()) return;
  copyFileSync(from, to);
  const time = (Math.floor(found.mtimeMs) - 1) / 1000;
  utimesSync(to, time, time);
}

/** The index left by the last snapshot of a repository. Only a cache: any of them will do. */
export class KeptIndex {
  readonly #kept: string;
  readonly file: string;
  #copied: bigint | undefined;

  constructor(store: ChangeStore, work: string, name: string) {
    this.#kept = path.join(store.folder, `${name}.index`);
    this.file = path.join(work, `${name}.index`);
  }

  /** False if there is no index. */
  open(): boolean {
    copyIndex(this.#kept, this.file);
    this.#copied = timeOf(this.file);
    return this.#copied !== undefined;
  }

  forget(): void {
    rmSync(this.file, {force: true});
    this.#copied = undefined;
  }

  keep(): void {
    if (timeOf(this.file) !== this.#copied) renameSync(this.file, this.#kept);
  }

  /** Changes with every write, no matter who made it. */
  version(): string {
    return versionOf(this.#kept);
  }
}

/** Detects a rewritten file even if its mtime was set back. */
export function versionOf(file: string): string {
  const found = statSync(file, {bigint: true, throwIfNoEntry: false});
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}` : 'none';
}

/** Our copy has an mtime in the past; anything git writes does not. (Inodes are reused.) */
const timeOf = (file: string) => statSync(file, {bigint: true, throwIfNoEntry: false})?.mtimeNs;

/** A file that can be read without blocking. */
export const isPlainFile = (file: string): boolean => fileKind(file) === 'file';
