import {linkSync, renameSync, unlinkSync} from 'node:fs';
import path from 'node:path';
import type {CommentedRun} from '../contracts/comment.ts';
import {type DecisionInbox, type PostedDecision, postedDecisionSchema} from '../contracts/decision-inbox.ts';
import {systemErrorCode} from '../contracts/errors.ts';
import type {Liveness, ProcessIdentity} from '../contracts/process.ts';
import {ensurePrivateFolder, writeDurably} from './durable-write.ts';
import {writeFailure} from './store-errors.ts';
import {taskFolderName} from './task-folder.ts';
import {parseJson, readWholeFile, versionOf} from './whole-file.ts';

const lookMilliseconds = 250;
/** More than any decision needs. */
const maxBytes = 1024 * 1024;

/** `<folder>/<task>/<run>.decision`, renamed to `.taken` by the Blackbird that waits for it. */
export function createDecisionInbox({
  folder,
  livenessOf,
}: {
  folder: string;
  livenessOf: (identity: ProcessIdentity) => Liveness;
}): DecisionInbox {
  const fileOf = ({task_id, run_id}: CommentedRun) =>
    path.join(folder, taskFolderName(task_id), `${path.basename(run_id)}.decision`);
  const takenOf = (run: CommentedRun) => `${fileOf(run)}.taken`;

  const isDead = ({posted_by}: PostedDecision) => posted_by !== null && livenessOf(posted_by) === 'dead';

  const take = (run: CommentedRun): PostedDecision | null => {
    const posted = read(fileOf(run));
    if (posted === null) return null;
    if (isDead(posted) || posted.run_id !== run.run_id) {
      remove(fileOf(run));
      return null;
    }
    // The sender may withdraw it at this very moment.
    return move(fileOf(run), takenOf(run)) ? posted : null;
  };

  return {
    post: async (posted) => {
      const file = fileOf(posted);
      await ensurePrivateFolder(path.dirname(file));
      const before = read(file);
      if (before && isDead(before)) remove(file);
      const own = `${file}.${posted.id}`;
      try {
        await writeDurably(own, `${JSON.stringify(posted)}\n`);
        linkSync(own, file);
        return true;
      } catch (error) {
        if (systemErrorCode(error) === 'EEXIST') return false;
        throw writeFailure(file, 'decision', error);
      } finally {
        remove(own);
      }
    },
    look: (posted) => {
      if (read(fileOf(posted))?.id === posted.id) return 'open';
      return read(takenOf(posted))?.id === posted.id ? 'taken' : 'gone';
    },
    retract: (posted) => read(fileOf(posted))?.id === posted.id && remove(fileOf(posted)),
    forget: (posted) => void remove(takenOf(posted)),
    discard: (run) => remove(fileOf(run)),
    watch: (run, onTaken) => {
      remove(takenOf(run));
      const timer = setInterval(() => {
        const posted = take(run);
        if (posted === null) return;
        clearInterval(timer);
        onTaken(posted);
      }, lookMilliseconds);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

function read(file: string): PostedDecision | null {
  if (versionOf(file) === null) return null;
  try {
    const text = readWholeFile(file, 'decision', maxBytes);
    return text === null ? null : (postedDecisionSchema.safeParse(parseJson(text)).data ?? null);
  } catch {
    // Gone again, or not ours: nothing was decided.
    return null;
  }
}

/** True if this call removed it. */
function remove(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw writeFailure(file, 'decision', error);
  }
}

function move(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw writeFailure(from, 'decision', error);
  }
}
