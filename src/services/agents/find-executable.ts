import path from 'node:path';
import {AgentSpawnError} from '../contracts/agent-process.ts';
import {candidatesOnPath, findOnPath, isExecutable} from '../system/executables.ts';
import {fileKind} from '../system/file-kind.ts';

/**
 * The full path of an agent's executable, as `exec` would find it. The launcher could only report a missing one as exit
 * code 127, after the run was recorded as started.
 */
export function findExecutable(file: string, {cwd, searchPath}: {cwd: string; searchPath: string}): string {
  if (fileKind(cwd) !== 'folder') {
    throw new AgentSpawnError('bad_cwd', `Cannot start ${file}: the directory ${cwd} does not exist.`);
  }
  const inPlace = path.resolve(cwd, file);
  const executable = file.includes('/') ? isExecutable(inPlace) && inPlace : findOnPath(file, searchPath);
  if (executable) return executable;
  const blocked = (file.includes('/') ? [inPlace] : candidatesOnPath(file, searchPath)).find(isFile);
  if (blocked !== undefined) {
    throw new AgentSpawnError('not_executable', `Cannot start ${file}: ${blocked} is not executable.`);
  }
  const place = file.includes('/') ? 'there is no such file' : 'it is not on the PATH';
  throw new AgentSpawnError('not_found', `Cannot start ${file}: ${place}.`);
}

const isFile = (file: string): boolean => fileKind(file) === 'file';
