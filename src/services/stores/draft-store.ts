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
import {versionOf} from './whole-file.ts';

const maxBytes = 1024 * 1024;

/** Drafts as one file a task and kind, `<folder>/<task>.<kind>.json`. `prepare` makes sure that its state folder exists. */
export function createDraftStore({
  folder,
  prepare = async () => {},
}: {
  folder: string;
  prepare?: () => Promise<void>;
}): DraftStore {
  const fileOf = (kind: DraftKind, taskId: string) =>
    path.join(folder, `${taskFolderName(taskId)}.${kind}.json`);

  return {
    all: async () => {
      const found: Draft[] = [];
      for (const name of namesIn(folder, 'ENOENT').filter(isRecordName).sort()) {
        const database = databaseOf(path.join(folder, name));
        // A file that cannot be read is named by whoever opens its editor.
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
      const database = databaseOf(fileOf(draft.kind, draft.taskId));
      // A file that cannot be read is not replaced.
      await database.read();
      database.data = draft;
      await database.write();
    },
    remove: async (kind, taskId) => {
      const file = fileOf(kind, taskId);
      if (versionOf(file) === null) return;
      await ensurePrivateFolder(folder);
      await removeDurably(file);
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

/** What could not be read again must not be written. */
function bounded(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  throw new AppError('E_USAGE', 'this is too much text to keep: at most 1 MiB');
}
