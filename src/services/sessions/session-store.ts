import {mkdirSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';
import {AppError, messageOf, systemErrorCode} from '../contracts/errors.ts';
import {type SessionEntry, type SessionStore, sessionMetaSchema} from '../contracts/session.ts';
import {writeDurably} from '../stores/durable-write.ts';
import {reasonOf, writeSteps} from '../stores/store-errors.ts';
import {parseJson, readWholeFile} from '../stores/whole-file.ts';
import {fileKind} from '../system/file-kind.ts';
import type {AgencyFiles} from './data-folder.ts';

const maxBytes = 4 * 1024 * 1024;

type Ids = {readonly isId: (name: string) => boolean};

/** The records of all sessions, one folder each. */
export function createSessionStore(files: AgencyFiles, {isId}: Ids): SessionStore {
  const read = (repoId: string, runId: string): SessionEntry => {
    const file = files.metaFile(repoId, runId);
    try {
      const meta = sessionMetaSchema.parse(readJson(file));
      if (meta.run_id !== runId || meta.repo_id !== repoId)
        throw new Error('it names another run than its folder');
      return {runId, repoId, file, meta, problem: null};
    } catch (error) {
      return {runId, repoId, file, meta: null, problem: problemOf(error)};
    }
  };
  const write = async (file: string, json: object) => {
    try {
      await writeDurably(file, `${JSON.stringify(json, null, 2)}\n`);
    } catch (error) {
      throw new AppError('E_PERSIST_FAILED', `failed to write ${file}`, {
        cause: error,
        next: writeSteps(file, error),
      });
    }
  };

  return {
    list: async () =>
      foldersIn(files.repos, isId).flatMap((repoId) =>
        foldersIn(files.runs(repoId), isId).map((runId) => read(repoId, runId)),
      ),
    prepare: async (repoId) => {
      for (const folder of [files.runs(repoId), files.worktrees(repoId)]) {
        makeFolders(folder);
      }
    },
    create: async (meta) => {
      makeFolder(files.run(meta.repo_id, meta.run_id));
      await write(files.metaFile(meta.repo_id, meta.run_id), meta);
    },
    update: async (run, change) => {
      const file = files.metaFile(run.repo_id, run.run_id);
      const json = readAgain(file);
      const [[section = '', fields] = []] = Object.entries(change);
      const before = json[section];
      await write(file, {...json, [section]: {...(typeof before === 'object' ? before : {}), ...fields}});
    },
    discard: async (run) => rmSync(files.run(run.repo_id, run.run_id), {recursive: true, force: true}),
    worktreePath: files.worktree,
  };
}

/** One by one: where a folder cannot exist, such as below /proc, Node's recursive mkdir never returns. */
function makeFolders(folder: string): void {
  const above = path.dirname(folder);
  if (above !== folder && fileKind(above) === null) makeFolders(above);
  try {
    makeFolder(folder);
  } catch (error) {
    // It already existed, or someone else was faster.
    if (fileKind(folder) !== 'folder') throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, {mode: 0o700});
  } catch (error) {
    throw new AppError('E_PERSIST_FAILED', `failed to create ${folder}`, {
      cause: error,
      next: writeSteps(folder, error),
    });
  }
}

/** A record that existed a moment ago. */
function readAgain(file: string): Readonly<Record<string, unknown>> {
  try {
    return readJson(file) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new AppError('E_PERSIST_FAILED', `failed to change ${file}`, {cause: error});
  }
}

export function readJson(file: string): unknown {
  const text = readWholeFile(file, 'record', maxBytes);
  if (text === null) throw new Error('it does not exist');
  return parseJson(text);
}

function foldersIn(folder: string, isId: Ids['isId']): string[] {
  try {
    return readdirSync(folder, {withFileTypes: true})
      .filter((entry) => entry.isDirectory() && isId(entry.name))
      .map(({name}) => name)
      .sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return [];
    throw new AppError('E_STORE_READ', `cannot read the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The first problem, in one line. */
function problemOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'issues' in error && Array.isArray(error.issues)) {
    const [{path: where = [], message = ''} = {}] = error.issues as Array<{
      path?: PropertyKey[];
      message?: string;
    }>;
    return `${where.map(String).join('.')}: ${message}`;
  }
  return reasonOf(error);
}
