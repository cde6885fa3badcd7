import path from 'node:path';
import type {FileVersions, RecordVersions} from '../contracts/side-effects.ts';
import {contentVersion, type Seen} from './content-version.ts';
import {createFolderMemory} from './folder-memory.ts';
import {isRecordName, namesIfAny} from './folder-names.ts';

/** The cost of a task must not grow with the number of tasks done before it. */
const maxTasks = 500;
/** Only the latest job record is used; older ones are history. */
const maxJobs = 50;

/** Folders with text written by people and reviewers; comments are stored beside the run records. */
const wordFolders = ['parent-review-feedback', 'drafts', 'plan-drafts'];

export type StateVersions = {
  /** The run records of all tasks; absent if there are too many tasks. */
  readonly records?: RecordVersions;
  /** Feedback, drafts and comments, by path relative to the state folder. */
  readonly words: FileVersions;
  /** The latest job records. */
  readonly jobs: FileVersions;
};

/** Blackbird's own files that an agent could write in somebody else's name. */
export function createStateVersions(stateFolder: string): () => StateVersions {
  const known = new Map<string, Seen>();
  const runsOf = createFolderMemory((folder) => {
    const names = namesIfAny(folder);
    return {
      records: names.filter(isRecordName),
      comments: names.filter((name) => name.endsWith('.comments')),
    };
  });
  const versionsOf = (names: readonly string[]): Map<string, string> =>
    new Map(names.map((name) => [name, contentVersion(path.join(stateFolder, name), known)]));
  const documentsIn = (folder: string): string[] =>
    namesIfAny(path.join(stateFolder, folder))
      .filter(isRecordName)
      .map((name) => `${folder}/${name}`);
  return () => {
    const tasks = namesIfAny(path.join(stateFolder, 'runs'));
    const isSeen = tasks.length <= maxTasks;
    const records = new Map<string, FileVersions>();
    const comments: string[] = [];
    for (const task of isSeen ? tasks : []) {
      const folder = `${stateFolder}/runs/${task}`;
      const found = runsOf(folder);
      const versions = found.records.map(
        (name) => [name, contentVersion(`${folder}/${name}`, known)] as const,
      );
      records.set(task, new Map(versions));
      for (const name of found.comments) comments.push(...documentsIn(`runs/${task}/${name}`));
    }
    return {
      ...(isSeen && {records}),
      words: versionsOf([...wordFolders.flatMap(documentsIn), ...comments]),
      jobs: versionsOf(documentsIn('jobs').toSorted().slice(-maxJobs)),
    };
  };
}
