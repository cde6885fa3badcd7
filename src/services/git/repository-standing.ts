import {readFileSync} from 'node:fs';
import path from 'node:path';
import type {RepositoryStanding} from '../contracts/side-effects.ts';
import {underWayIn} from './commit-checks.ts';
import {gitFolderOf} from './read-repository.ts';
import {lookingGit} from './repository.ts';
import type {Environment} from './safe-git.ts';

/** Runs git only if an operation is in progress. */
export async function repositoryStanding(
  top: string,
  env: Environment,
  signal: AbortSignal,
): Promise<RepositoryStanding> {
  const folder = gitFolderOf(top);
  const underWay = folder === null ? null : underWayIn(folder);
  return {
    isDetached: folder !== null && isDetached(folder),
    underWay,
    conflicts: underWay === null ? [] : await conflictsIn(top, env, signal),
  };
}

function isDetached(folder: string): boolean {
  try {
    return /^[0-9a-f]{40,64}$/.test(readFileSync(path.join(folder, 'HEAD'), 'utf8').trim());
  } catch {
    // Reported by whatever needs to read it.
    return false;
  }
}

async function conflictsIn(top: string, env: Environment, signal: AbortSignal): Promise<string[]> {
  try {
    const {text} = await lookingGit(top, env, signal).run(['ls-files', '-u', '-z', '--full-name']);
    const files = text.split('\0').flatMap((entry) => entry.split('\t').slice(1).join('\t') || []);
    return [...new Set(files)];
  } catch {
    return [];
  }
}
