import {accessSync, constants} from 'node:fs';
import path from 'node:path';
import {
  type NativeProviderId,
  type ProviderId,
  providerIds,
  providerTable,
} from '../contracts/provider-table.ts';
import {fileKind} from './file-kind.ts';

const found = new Map<string, string>();

/** Where a program is, or null. A cached path is checked again, but not the folders before it. */
export function findOnPath(name: string, searchPath: string): string | null {
  const key = `${name}\0${searchPath}`;
  const known = found.get(key);
  const file = known && isExecutable(known) ? known : candidatesOnPath(name, searchPath).find(isExecutable);
  if (file === undefined) return null;
  found.set(key, file);
  return file;
}

/** The agents whose program is installed. */
export const agentsOnPath = (searchPath: string): NativeProviderId[] =>
  providerIds.filter((id) => providerTable[id].program !== null && isOnPath(id, searchPath));

/** Whether a provider has what it starts: a program of its own, unless it is built in or the user's command. */
export function isOnPath(id: ProviderId, searchPath: string): boolean {
  const program = id === 'custom' ? null : providerTable[id].program;
  return program === null || findOnPath(program, searchPath) !== null;
}

/** Relative folders in PATH would let the repository choose what runs. */
export function candidatesOnPath(name: string, searchPath: string): string[] {
  if (name === '') return [];
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name));
}

export function isExecutable(file: string): boolean {
  if (fileKind(file) !== 'file') return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
