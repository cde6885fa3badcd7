import {closeSync, constants, openSync, writeSync} from 'node:fs';
import path from 'node:path';
import {Low} from 'lowdb';
import {AppError} from '../contracts/errors.ts';
import {
  type JobNote,
  type JobRecord,
  type JobStore,
  jobNoteSchema,
  jobRecordSchema,
} from '../contracts/job.ts';
import {DurableFile} from './durable-file.ts';
import {ensurePrivateFolder, removeDurably, removeLeftoversIn} from './durable-write.ts';
import {isRecordName, namesIn} from './folder-names.ts';
import {renderDocument} from './json-text.ts';
import {firstIssue, writeFailure} from './store-errors.ts';
import {readWholeBytes, versionOf} from './whole-file.ts';

const maxBytes = 64 * 1024 * 1024;

/** What may become part of a file name. */
const jobIdForm = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

/**
 * One file per job, `<folder>/<jobId>.json`. While a job runs, events are appended to `<jobId>.notes.jsonl`: rewriting
 * the whole record for every run would make long jobs slow. The state folder must exist.
 */
export function createJobStore({folder}: {folder: string}): JobStore {
  const fileOf = (jobId: string) => {
    if (!jobIdForm.test(jobId))
      throw new AppError('E_JOB_NOT_FOUND', `${JSON.stringify(jobId)} is not a job id`);
    return path.join(folder, `${jobId}.json`);
  };
  const notesOf = (jobId: string) => fileOf(jobId).replace(/\.json$/, '.notes.jsonl');

  return {
    ids: () =>
      namesIn(folder, 'ENOENT')
        .filter(isRecordName)
        .map((name) => name.slice(0, -'.json'.length))
        .filter((id) => jobIdForm.test(id))
        .sort()
        .reverse(),
    read: async (jobId) => {
      const database = databaseOf(fileOf(jobId));
      await database.read();
      if (database.data === null) return null;
      const job: JobRecord = database.data;
      return job.end === undefined ? withNotes(job, readNotes(notesOf(jobId))) : job;
    },
    create: async (job) => {
      // Whatever a killed Blackbird began to write is never finished.
      if (!(await ensurePrivateFolder(folder))) removeLeftoversIn(folder);
      const database = databaseOf(fileOf(job.jobId));
      database.data = job;
      await database.write();
    },
    note: async (jobId, note) => {
      const file = notesOf(jobId);
      try {
        appendLine(file, JSON.stringify(note));
      } catch (error) {
        throw writeFailure(file, 'notes of a job', error);
      }
    },
    close: async (job) => {
      const database = databaseOf(fileOf(job.jobId));
      await database.read();
      database.data = job;
      await database.write();
      const notes = notesOf(job.jobId);
      if (versionOf(notes) !== null) await removeDurably(notes);
    },
  };
}

/** Adds the notes that are not in the record yet. */
function withNotes(job: JobRecord, notes: readonly JobNote[]): JobRecord {
  const runs = notes.flatMap(({run}) => (run ? [run] : []));
  const waits = notes.flatMap(({wait}) => (wait ? [wait] : []));
  // A run noted after a wait has ended it.
  const waiting = notes.findLast(({run, wait, waiting}) => run ?? wait ?? waiting)?.waiting;
  const stopAskedAt = notes.findLast((note) => note.stopAskedAt)?.stopAskedAt;
  return {
    ...job,
    runs: [...job.runs, ...runs],
    waits: [...job.waits, ...waits],
    ...(waiting && {waiting}),
    ...(stopAskedAt && {stopAskedAt}),
  };
}

function appendLine(file: string, line: string): void {
  const {O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW} = constants;
  const handle = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    writeSync(handle, `${line}\n`);
  } finally {
    closeSync(handle);
  }
}

function readNotes(file: string): JobNote[] {
  // A line cut off by a crash may end within a character.
  const text = readWholeBytes(file, 'notes of a job', maxBytes)?.toString('utf8') ?? '';
  return text.split('\n').flatMap((line) => {
    try {
      const {data} = jobNoteSchema.safeParse(JSON.parse(line));
      return data ? [data] : [];
    } catch {
      // The end of the file, or a line cut off by a crash: the run itself has its job.
      return [];
    }
  });
}

function databaseOf(file: string): Low<JobRecord | null> {
  return new Low<JobRecord | null>(
    new DurableFile<JobRecord | null>({
      file,
      what: 'job record',
      maxBytes,
      isFolderSwept: true,
      parse: (json) => {
        const {data, error} = jobRecordSchema.safeParse(json);
        if (data && `${data.jobId}.json` === path.basename(file)) return data;
        if (data) throw new Error(`it is the record of another job, ${JSON.stringify(data.jobId)}`);
        throw new Error(firstIssue(error, 'the record'));
      },
      render: renderDocument,
    }),
    null,
  );
}
