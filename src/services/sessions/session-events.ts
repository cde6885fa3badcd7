import {closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync} from 'node:fs';
import path from 'node:path';
import {AppError, messageOf} from '../contracts/errors.ts';
import type {SessionEvents} from '../contracts/session.ts';
import {writeSteps} from '../stores/store-errors.ts';
import type {AgencyFiles} from './data-folder.ts';

/** More than the longest line we write. */
const tailBytes = 64 * 1024;

/** Each run's `events.jsonl`: append-only, one write per line. */
export function createSessionEvents(files: AgencyFiles, now: () => string): SessionEvents {
  return {
    append: async (run, {event, data}) => {
      const {repo_id, run_id} = run;
      const envelope = {schema_version: '1.0', timestamp: now(), repo_id, run_id, event, data};
      try {
        appendLine(files.eventsFile(repo_id, run_id), JSON.stringify(envelope));
      } catch (error) {
        throw new AppError('E_PERSIST_FAILED', `failed to append ${event} event`, {
          details: [
            ['file', files.eventsFile(repo_id, run_id)],
            ['reason', messageOf(error)],
          ],
          cause: error,
          next: writeSteps(files.eventsFile(repo_id, run_id), error),
        });
      }
    },
    last: async ({repo_id, run_id}) => {
      try {
        const line = readTail(files.eventsFile(repo_id, run_id)).trimEnd().split('\n').at(-1) ?? '';
        const event: unknown = (JSON.parse(line) as {event?: unknown}).event;
        return typeof event === 'string' ? event : null;
      } catch {
        // No file or no valid last line: unknown.
        return null;
      }
    },
  };
}

function appendLine(file: string, line: string): void {
  mkdirSync(path.dirname(file), {recursive: true, mode: 0o700});
  const {O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW} = constants;
  const handle = openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const bytes = Buffer.from(`${endsInside(handle) ? '\n' : ''}${line}\n`, 'utf8');
    if (writeSync(handle, bytes) !== bytes.length) throw new Error('the line was written only in part');
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Whether a process died in the middle of a line, so that ours does not become part of it. */
function endsInside(handle: number): boolean {
  const {size} = fstatSync(handle);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

function readTail(file: string): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const {size} = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    readSync(handle, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } finally {
    closeSync(handle);
  }
}
