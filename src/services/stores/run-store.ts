import {closeSync, constants, openSync, readSync} from 'node:fs';
import path from 'node:path';
import {Low} from 'lowdb';
import {AppError} from '../contracts/errors.ts';
import {
  type BrokenRun,
  isGoRun,
  latestRun,
  type RunRecord,
  type RunStore,
  runRecordSchema,
} from '../contracts/run.ts';
import {DurableFile} from './durable-file.ts';
import {ensurePrivateFolder, removeLeftoversIn, syncFolder} from './durable-write.ts';
import {isRecordName, namesIn} from './folder-names.ts';
import {fromGoRunRecord, isGoRunRecord} from './go-run-record.ts';
import {renderDocument} from './json-text.ts';
import {runFilesIn} from './run-files.ts';
import {corrupt, firstIssue, reasonOf} from './store-errors.ts';
import {taskFolderName} from './task-folder.ts';
import {versionOf} from './whole-file.ts';

const maxRecordBytes = 8 * 1024 * 1024;

type Loaded = {readonly database: Low<RunRecord | null>; readonly run: RunRecord};
type Known = {
  readonly database: Low<RunRecord | null>;
  readonly version: string | null;
  /** Written by this process: while it says running, no one else writes to it. */
  readonly isOwn: boolean;
};

/** One file per run, `<folder>/<task>/<run>.json`, with its output in files beside it. */
export function createRunStore({folder}: {folder: string}): RunStore {
  const open = new Map<string, Known>();
  const knownFolders = new Set<string>();

  const folderOf = (taskId: string) => path.join(folder, taskFolderName(taskId));
  const files = (taskId: string, runId: string) => runFilesIn(folderOf(taskId), runId);

  /** Only open runs are cached: a long plan has thousands of ended ones. */
  const remember = (file: string, known: Known, {state}: RunRecord) => {
    if (state === 'running') open.set(file, known);
    else open.delete(file);
  };

  const load = async (file: string): Promise<Loaded> => {
    const known = open.get(file);
    const version = versionOf(file);
    if (known?.database.data && (known.isOwn || (version !== null && known.version === version))) {
      return {database: known.database, run: known.database.data};
    }
    const database = known?.database ?? databaseOf(file);
    database.data = null;
    await database.read();
    if (database.data === null) throw new AppError('E_RUN_NOT_FOUND', `no run record at ${file}`);
    const run: RunRecord = database.data;
    remember(file, {database, version, isOwn: false}, run);
    return {database, run};
  };

  const write = async (file: string, {database, run}: Loaded) => {
    database.data = run;
    try {
      await database.write();
    } catch (error) {
      open.delete(file);
      throw error;
    }
    remember(file, {database, version: versionOf(file), isOwn: true}, run);
  };

  const ensureFolder = async (taskId: string, {isMadeAgain = false} = {}) => {
    const own = folderOf(taskId);
    if (isMadeAgain) knownFolders.clear();
    if (knownFolders.has(own)) return;
    // A killed Blackbird may have left the folder, or folders in it, without syncing their names.
    if (knownFolders.size === 0 && !(await ensurePrivateFolder(folder))) {
      await syncFolder(path.dirname(folder), folder);
      await syncFolder(folder, folder);
    }
    if (!(await ensurePrivateFolder(own))) removeLeftoversIn(own);
    knownFolders.add(own);
  };

  const list: RunStore['list'] = async (taskId) => {
    const runs: RunRecord[] = [];
    const broken: BrokenRun[] = [];
    for (const name of namesIn(folderOf(taskId), 'ENOENT').filter(isRecordName).sort()) {
      const file = path.join(folderOf(taskId), name);
      try {
        const {run} = await load(file);
        // Folder names can be made to clash; the record itself names its task.
        if (run.task_id === taskId) runs.push(run);
      } catch (error) {
        broken.push({file, reason: reasonOf(error)});
      }
    }
    return {runs: numbered(runs), broken};
  };

  return {
    files,
    list,
    latest: async (taskId) => {
      const {runs, broken} = await list(taskId);
      const [first] = broken;
      if (first) throw corrupt(first.file, 'run record', first.reason);
      return latestRun(runs);
    },
    runningTaskIds: async () => {
      const ids = new Set<string>();
      for (const name of namesIn(folder, 'ENOENT', 'ENOTDIR')) {
        const task = `${folder}/${name}`;
        for (const record of namesIn(task, 'ENOENT', 'ENOTDIR').filter(isRecordName)) {
          const id = runningTaskIn(headOf(`${task}/${record}`));
          if (id !== null) ids.add(id);
        }
      }
      return [...ids];
    },
    insert: async (run) => {
      const {record} = files(run.task_id, run.run_id);
      await ensureFolder(run.task_id);
      if (versionOf(record) !== null) throw new AppError('E_RUN_EXISTS', `run ${run.run_id} already exists`);
      await write(record, {database: databaseOf(record), run});
    },
    update: async (taskId, runId, change) => {
      const {record} = files(taskId, runId);
      const {database, run: before} = await load(record);
      const after = change(before);
      if (after === before) return after;
      if (isGoRun(before))
        throw new AppError('E_STORE_WRITE', `${record} was written by the Go program and cannot be changed`);
      await ensureFolder(taskId, {isMadeAgain: versionOf(record) === null});
      await write(record, {database, run: after});
      return after;
    },
    isAsWritten: (taskId, runId) => {
      const {record} = files(taskId, runId);
      const known = open.get(record);
      return known === undefined || !known.isOwn || versionOf(record) === known.version;
    },
    restore: async (run) => {
      const {record} = files(run.task_id, run.run_id);
      await ensureFolder(run.task_id, {isMadeAgain: versionOf(record) === null});
      await write(record, {database: databaseOf(record), run});
    },
  };
}

function databaseOf(file: string): Low<RunRecord | null> {
  return new Low<RunRecord | null>(
    new DurableFile<RunRecord | null>({
      file,
      what: 'run record',
      maxBytes: maxRecordBytes,
      isFolderSwept: true,
      parse: (json) => {
        const {data, error} = runRecordSchema.safeParse(
          isGoRunRecord(json) ? fromGoRunRecord(json, 1) : json,
        );
        if (data && `${data.run_id}.json` === path.basename(file)) return data;
        if (data) throw new Error(`it is the record of another run, ${JSON.stringify(data.run_id)}`);
        throw new Error(firstIssue(error, 'the record'));
      },
      render: renderDocument,
    }),
    null,
  );
}

/** Oldest first. Runs of the Go program have no attempt number: they come first, by start time. */
function numbered(runs: readonly RunRecord[]): RunRecord[] {
  const startOf = (run: RunRecord) => Date.parse(run.created_at) || 0;
  const foreign = runs.filter(isGoRun).sort((a, b) => startOf(a) - startOf(b));
  const own = runs.filter((run) => !isGoRun(run)).sort((a, b) => a.attempt - b.attempt);
  return [...foreign.map((run, index) => ({...run, attempt: index + 1})), ...own];
}

const head = Buffer.alloc(4096);
const runningState = Buffer.from('"state": "running"');

/** The start of a record that may say running; empty for all others. Every job looks at every record: most are not even decoded. */
function headOf(file: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const read = head.subarray(0, readSync(descriptor, head, 0, head.length, 0));
    return read.includes(runningState) ? read.toString() : '';
  } catch {
    return '';
  } finally {
    closeSync(descriptor);
  }
}

/** The task of a record that says running. Only the record's own keys start a line: text contains no newlines. */
function runningTaskIn(text: string): string | null {
  if (!/^ {2}"state": "running"/m.test(text)) return null;
  const [, id] = /^ {2}"task_id": ("(?:[^"\\]|\\.)*")/m.exec(text) ?? [];
  try {
    return id === undefined ? null : String(JSON.parse(id));
  } catch {
    // Such a record is unreadable, which is reported when the runs of its task are read.
    return null;
  }
}
