import path from 'node:path';
import {Low} from 'lowdb';
import {type Draft, type DraftKind, type DraftStore, draftSchema} from '../contracts/draft.ts';
import {AppError} from '../contracts/errors.ts';
import {DurableFile} from './durable-file.ts';
import {ensurePrivateFolder, removeDurably} from './durable-write.ts';
import {isRecordName, namesIn} from './folder-names.ts';
import {renderDocument} from './json-text.ts';
import {firstIssue} from './store-errors.ts';
import {taskFolderName} from './task-folder.ts';
import {noted} from './text-trail.ts';
import {versionOf} from './whole-file.ts';
import {createWriteTrail, type WriteTrail} from './write-trail.ts';

const maxBytes = 1024 * 1024;

/** One file per task and kind, `<folder>/<task>.<kind>.json`. `prepare` creates the state folder. */
export function createDraftStore({
  folder,
  prepare = async () => {},
  trail = createWriteTrail(null),
}: {
  folder: string;
  prepare?: () => Promise<void>;
  trail?: WriteTrail;
}): DraftStore {
  const fileOf = (kind: DraftKind, taskId: string) =>
    path.join(folder, `${taskFolderName(taskId)}.${kind}.json`);

  return {
    all: async () => {
      const found: Draft[] = [];
      for (const name of namesIn(folder, 'ENOENT').filter(isRecordName).sort()) {
        const database = databaseOf(path.join(folder, name));
        // An unreadable file is reported by the editor that opens it.
        await database.read().catch(() => {});
        if (database.data) found.push(database.data);
      }
      return found;
    },
    read: async ({kind, taskId}) => {
      const database = databaseOf(fileOf(kind, taskId));
      await database.read();
      return database.data;
    },
    save: async (draft) => {
      await prepare();
      await ensurePrivateFolder(folder);
      const file = fileOf(draft.kind, draft.taskId);
      const database = databaseOf(file);
      // An unreadable file is not replaced.
      await database.read();
      database.data = draft;
      await noted(trail, file, () => database.write());
    },
    remove: async (kind, taskId) => {
      const file = fileOf(kind, taskId);
      if (versionOf(file) === null) return;
      await ensurePrivateFolder(folder);
      await noted(trail, file, () => removeDurably(file));
    },
  };

  function databaseOf(file: string): Low<Draft | null> {
    return new Low<Draft | null>(
      new DurableFile<Draft | null>({
        file,
        what: 'draft',
        maxBytes,
        parse: (json) => {
          const {data, error} = draftSchema.safeParse(json);
          if (data && fileOf(data.kind, data.taskId) === file) return data;
          if (data) throw new Error(`it is the draft of another task, ${JSON.stringify(data.taskId)}`);
          throw new Error(firstIssue(error, 'the draft'));
        },
        render: (draft, previous) => bounded(renderDocument(draft, previous)),
      }),
      null,
    );
  }
}

/** Nothing is written that could not be read again. */
function bounded(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  throw new AppError('E_USAGE', 'this is too much text to keep: at most 1 MiB');
}
