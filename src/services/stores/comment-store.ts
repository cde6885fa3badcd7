import path from 'node:path';
import {Low} from 'lowdb';
import {
  type CommentedRun,
  type CommentStore,
  type LineComment,
  lineCommentSchema,
} from '../contracts/comment.ts';
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

const maxBytes = 256 * 1024;

/**
 * One file per comment, so that two terminals never overwrite each other: `<folder>/<task>/<run>.comments/<id>.json`.
 */
export function createCommentStore({
  folder,
  trail = createWriteTrail(null),
}: {
  folder: string;
  trail?: WriteTrail;
}): CommentStore {
  const folderOf = ({task_id, run_id}: CommentedRun) => {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(run_id))
      throw new AppError('E_RUN_NOT_FOUND', `${JSON.stringify(run_id)} is not a run id`);
    return path.join(folder, taskFolderName(task_id), `${run_id}.comments`);
  };
  const fileOf = (run: CommentedRun, id: string) => path.join(folderOf(run), `${id}.json`);

  return {
    list: async (run) => {
      const comments: LineComment[] = [];
      for (const name of namesIn(folderOf(run), 'ENOENT').filter(isRecordName)) {
        const database = databaseOf(path.join(folderOf(run), name));
        await database.read();
        if (database.data) comments.push(database.data);
      }
      return comments.sort(byPlace);
    },
    save: async (comment) => {
      const {error} = lineCommentSchema.safeParse(comment);
      if (error) throw new AppError('E_USAGE', firstIssue(error, 'the comment'));
      await ensurePrivateFolder(folder);
      await ensurePrivateFolder(path.dirname(folderOf(comment)));
      await ensurePrivateFolder(folderOf(comment));
      const file = fileOf(comment, comment.id);
      const database = databaseOf(file);
      // An unreadable file is not replaced.
      await database.read();
      database.data = {...database.data, ...comment};
      await noted(trail, file, () => database.write());
    },
    remove: async (run, id) => {
      const file = fileOf(run, id);
      if (!isId(id) || versionOf(file) === null) return false;
      await ensurePrivateFolder(folderOf(run));
      await noted(trail, file, () => removeDurably(file));
      return true;
    },
  };

  function databaseOf(file: string): Low<LineComment | null> {
    return new Low<LineComment | null>(
      new DurableFile<LineComment | null>({
        file,
        what: 'comment',
        maxBytes,
        parse: (json) => {
          const {data, error} = lineCommentSchema.safeParse(json);
          if (data && fileOf(data, data.id) === file) return data;
          if (data) throw new Error('it is the comment of another run');
          throw new Error(firstIssue(error, 'the comment'));
        },
        render: (comment, previous) => bounded(renderDocument(comment, previous)),
      }),
      null,
    );
  }
}

const isId = (id: string) => lineCommentSchema.shape.id.safeParse(id).success;

const byPlace = (one: LineComment, other: LineComment): number =>
  compare(one.file, other.file) ||
  one.line - other.line ||
  compare(one.created_at, other.created_at) ||
  compare(one.id, other.id);

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

/** Nothing is written that could not be read again. */
function bounded(text: string): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  throw new AppError('E_USAGE', 'this is too much text for one comment: at most 256 KiB');
}
