import {existsSync} from 'node:fs';
import path from 'node:path';
import {AppError} from '../contracts/errors.ts';
import {planFileName} from '../contracts/plan.ts';
import {ensurePrivateFolder, removeLeftovers, writeDurably} from './durable-write.ts';
import {writeFailure} from './store-errors.ts';
import {versionOf} from './whole-file.ts';

/** The paths of a project. */
export type ProjectFolder = {
  readonly root: string;
  readonly planFile: string;
  readonly stateFolder: string;
  readonly configFile: string;
  readonly planLockFile: string;
  readonly writeTrailFile: string;
  readonly lockFile: string;
  readonly agentFile: string;
  readonly agentCacheFile: string;
  readonly runsFolder: string;
  readonly inspectorsFolder: string;
  readonly feedbackFolder: string;
  readonly draftsFolder: string;
  readonly planDraftsFolder: string;
  readonly jobsFolder: string;
  readonly requestsFolder: string;
};

export function projectFolder(root: string): ProjectFolder {
  const stateFolder = path.join(root, '.blackbird');
  return {
    root,
    planFile: path.join(root, planFileName),
    stateFolder,
    configFile: path.join(stateFolder, 'config.json'),
    planLockFile: path.join(stateFolder, 'plan.lock'),
    writeTrailFile: path.join(stateFolder, 'plan.writes'),
    lockFile: path.join(stateFolder, 'lock'),
    agentFile: path.join(stateFolder, 'agent.json'),
    agentCacheFile: path.join(stateFolder, 'agent-versions.json'),
    runsFolder: path.join(stateFolder, 'runs'),
    inspectorsFolder: path.join(stateFolder, 'inspectors'),
    feedbackFolder: path.join(stateFolder, 'parent-review-feedback'),
    draftsFolder: path.join(stateFolder, 'drafts'),
    planDraftsFolder: path.join(stateFolder, 'plan-drafts'),
    jobsFolder: path.join(stateFolder, 'jobs'),
    requestsFolder: path.join(stateFolder, 'requests'),
  };
}

/** The nearest folder upwards that has a plan, within the repository; otherwise the folder itself. */
export function findProjectRoot(start: string): string {
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, planFileName))) return folder;
    if (existsSync(path.join(folder, '.git')) || path.dirname(folder) === folder) return start;
  }
}

/** Creates `.blackbird` on first use, with the rule that keeps all but the settings out of git. */
export async function ensureStateFolder({stateFolder}: ProjectFolder): Promise<void> {
  await ensurePrivateFolder(stateFolder);
  const file = path.join(stateFolder, '.gitignore');
  if (versionOf(file) !== null) return;
  try {
    removeLeftovers(file);
    await writeDurably(file, '*\n!.gitignore\n!config.json\n');
  } catch (error) {
    throw error instanceof AppError ? error : writeFailure(file, 'file', error);
  }
}
