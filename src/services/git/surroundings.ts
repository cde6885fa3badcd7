import {readdirSync, realpathSync} from 'node:fs';
import path from 'node:path';
import type {NewIgnored, SurroundingsReader} from '../contracts/side-effects.ts';
import {createRecordVersions} from '../stores/record-versions.ts';
import {findRepository} from './find-repository.ts';
import {digestOf, readRepository} from './read-repository.ts';
import type {Environment} from './safe-git.ts';

/** Folders of packages have many files; the end of a task does not wait longer for them than this. */
const walkLimits = {entries: 200_000, milliseconds: 3_000};

/** Blackbird itself writes the plan while a task runs; an edit by somebody else is named as one. */
const toldElsewhere: ReadonlySet<string> = new Set(['.git', 'blackbird.plan.json']);

export function createSurroundingsReader({
  root,
  stateFolder,
  runsFolder,
  settings,
  env,
  timeLimitMs = 20_000,
}: {
  root: string;
  stateFolder: string;
  runsFolder: string;
  /** By the names they are told by. */
  settings: Readonly<Record<string, string>>;
  env: Environment;
  timeLimitMs?: number;
}): SurroundingsReader {
  const repository = () => {
    const folder = realFolder(root);
    return folder === null ? null : findRepository(folder);
  };
  const recordVersions = createRecordVersions(runsFolder);
  return {
    look: async () => {
      const top = repository();
      const records = recordVersions();
      return {
        ...(records && {records}),
        settings: new Map(Object.entries(settings).map(([name, file]) => [name, digestOf(file)])),
        repository: top === null ? null : readRepository(top),
      };
    },

    writtenSince: async (time) => {
      const folder = realFolder(root);
      if (folder === null) return none;
      const {changedSince} = await import('./changed-since.ts');
      const own = realFolder(stateFolder) ?? stateFolder;
      const entries = readdirSync(folder, {withFileTypes: true})
        .filter(({name}) => !toldElsewhere.has(name) && path.join(folder, name) !== own)
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
      return changedSince(folder, entries, Date.parse(time), walkLimits);
    },

    ignoredSince: async (time) => {
      const top = repository();
      if (top === null) return none;
      const {lookingGit} = await import('./repository.ts');
      const {changedSince} = await import('./changed-since.ts');
      const {GitFailure} = await import('./safe-git.ts');
      const args = ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory', '--', '.'];
      const own = path.relative(top, realFolder(stateFolder) ?? stateFolder);
      const signal = AbortSignal.timeout(timeLimitMs);
      try {
        const git = lookingGit(top, env, signal);
        const {text} = await git.run([...args, `:(top,exclude,literal)${own}`]);
        const entries = text.split('\0').slice(0, -1);
        // Where some of its files are tracked, git lists the others although they are excluded.
        const foreign = entries.filter((entry) => !entry.startsWith(`${own}/`));
        return await changedSince(top, foreign, Date.parse(time), walkLimits);
      } catch (error) {
        const isTooMuch = signal.aborted || (error instanceof GitFailure && error.kind === 'large');
        // A git that cannot tell at all has said so in the summary of the change.
        return isTooMuch ? {...none, isCut: true} : none;
      }
    },
  };
}

const none: NewIgnored = {count: 0, names: []};

function realFolder(folder: string): string | null {
  try {
    return realpathSync(folder);
  } catch {
    return null;
  }
}
