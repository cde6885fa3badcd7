import path from 'node:path';
import {Low} from 'lowdb';
import {
  type BrokenFeedback,
  type FeedbackStore,
  feedbackSchemaVersion,
  type PendingFeedback,
  pendingFeedbackSchema,
} from '../contracts/feedback.ts';
import {DurableFile} from './durable-file.ts';
import {ensurePrivateFolder, removeDurably} from './durable-write.ts';
import {isRecordName, namesIn} from './folder-names.ts';
import {renderDocument} from './json-text.ts';
import {firstIssue, reasonOf} from './store-errors.ts';
import {taskFolderName} from './task-folder.ts';
import {versionOf} from './whole-file.ts';

const maxBytes = 1024 * 1024;

/** Pending feedback, one file per task, `<folder>/<task>.json`. The state folder must exist. */
export function createFeedbackStore({folder}: {folder: string}): FeedbackStore {
  const fileOf = (taskId: string) => path.join(folder, `${taskFolderName(taskId)}.json`);

  const load = async (file: string): Promise<PendingFeedback | null> => {
    const database = databaseOf(file);
    await database.read();
    return database.data;
  };

  return {
    list: async () => {
      const pending: PendingFeedback[] = [];
      const broken: BrokenFeedback[] = [];
      for (const name of namesIn(folder, 'ENOENT').filter(isRecordName).sort()) {
        const file = path.join(folder, name);
        try {
          const found = await load(file);
          if (found) pending.push(found);
        } catch (error) {
          broken.push({file, reason: reasonOf(error)});
        }
      }
      return {pending, broken};
    },
    read: (taskId) => load(fileOf(taskId)),
    save: async (feedback) => {
      await ensurePrivateFolder(folder);
      const database = databaseOf(fileOf(feedback.childTaskId));
      // Keeps unknown fields of the old text.
      await database.read();
      database.data = {...database.data, ...feedback};
      await database.write();
    },
    remove: async (taskId) => {
      const file = fileOf(taskId);
      if (versionOf(file) === null) return;
      await ensurePrivateFolder(folder);
      await removeDurably(file);
    },
  };
}

function databaseOf(file: string): Low<PendingFeedback | null> {
  return new Low<PendingFeedback | null>(
    new DurableFile<PendingFeedback | null>({
      file,
      what: 'pending feedback',
      maxBytes,
      parse: (json) => {
        // The Go program left out the version, and named the file after the task.
        const known = {
          schemaVersion: feedbackSchemaVersion,
          childTaskId: path.basename(file, '.json'),
          ...(json as Record<string, unknown>),
        };
        const {data, error} = pendingFeedbackSchema.safeParse(known);
        if (data && `${taskFolderName(data.childTaskId)}.json` === path.basename(file)) return data;
        if (data) throw new Error(`it is the feedback of another task, ${JSON.stringify(data.childTaskId)}`);
        throw new Error(firstIssue(error, 'the feedback'));
      },
      render: renderDocument,
    }),
    null,
  );
}
