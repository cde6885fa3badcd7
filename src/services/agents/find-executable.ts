import {accessSync, constants} from 'node:fs';
import path from 'node:path';
import {AgentSpawnError} from '../contracts/agent-process.ts';
import {fileKind} from '../system/file-kind.ts';

/**
 * The full path of an agent's executable, as `exec` would find it. The launcher could only report a
 * missing one as exit code 127, after the run was recorded as started.
 */
export function findExecutable(file: string, {cwd, searchPath}: {cwd: string; searchPath: string}): string {
  if (fileKind(cwd) !== 'folder') {
    throw new AgentSpawnError('bad_cwd', `Cannot start ${file}: the directory ${cwd} does not exist.`);
  }
  const inPlace = path.resolve(cwd, file);
  const executable = file.includes('/') ? isExecutable(inPlace) && inPlace : findOnPath(file, searchPath);
  if (executable) return executable;
  const blocked = (file.includes('/') ? [inPlace] : candidatesOf(file, searchPath)).find(isFile);
  if (blocked !== undefined) {
    throw new AgentSpawnError('not_executable', `Cannot start ${file}: ${blocked} is not executable.`);
  }
  const place = file.includes('/') ? 'there is no such file' : 'it is not on the PATH';
  throw new AgentSpawnError('not_found', `Cannot start ${file}: ${place}.`);
}

const found = new Map<string, string>();

/** Where a program is, or null. A place that was found is looked at again, the folders before it are not. */
export function findOnPath(name: string, searchPath: string): string | null {
  const key = `${name}\0${searchPath}`;
  const known = found.get(key);
  const file = known && isExecutable(known) ? known : candidatesOf(name, searchPath).find(isExecutable);
  if (file === undefined) return null;
  found.set(key, file);
  return file;
}

/** Relative folders in PATH would let the repository choose what runs. */
function candidatesOf(name: string, searchPath: string): string[] {
  if (name === '') return [];
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name));
}

export function isExecutable(file: string): boolean {
  if (!isFile(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isFile = (file: string): boolean => fileKind(file) === 'file';
