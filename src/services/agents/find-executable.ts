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
  const candidates = file.includes('/')
    ? [path.resolve(cwd, file)]
    : // Relative folders in PATH would let the repository choose what runs.
      searchPath
        .split(':')
        .filter((folder) => path.isAbsolute(folder))
        .map((folder) => path.join(folder, file));

  const executable = file === '' ? undefined : candidates.find(isExecutable);
  if (executable !== undefined) return executable;
  const blocked = candidates.find(isFile);
  if (blocked !== undefined) {
    throw new AgentSpawnError('not_executable', `Cannot start ${file}: ${blocked} is not executable.`);
  }
  const place = file.includes('/') ? 'there is no such file' : 'it is not on the PATH';
  throw new AgentSpawnError('not_found', `Cannot start ${file}: ${place}.`);
}

function isExecutable(file: string): boolean {
  if (!isFile(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isFile = (file: string): boolean => fileKind(file) === 'file';
