import {randomBytes} from 'node:crypto';
import {lstatSync, mkdirSync, unlinkSync, watch} from 'node:fs';
import path from 'node:path';
import {systemErrorCode} from '../contracts/errors.ts';
import {type JobRequest, jobRequestSchema, type RequestBox} from '../contracts/job.ts';
import {ensurePrivateFolder, writeDurably} from './durable-write.ts';
import {isRecordName, namesIfAny} from './folder-names.ts';
import {parseJson, readWholeFile, versionOf} from './whole-file.ts';

/** The polling interval where the system cannot watch a folder. */
const lookMilliseconds = 1000;

/** Long after the sender has given up. */
const leftBehindMilliseconds = 60_000;

const maxBytes = 64 * 1024;

/** One file per request, `<folder>/<name>.json`; a request that is gone was taken. */
export function createRequestBox({folder}: {folder: string}): RequestBox {
  const fileOf = (name: string) => path.join(folder, `${name}.json`);
  return {
    send: async (request) => {
      await ensurePrivateFolder(folder);
      const name = randomBytes(8).toString('hex');
      await writeDurably(fileOf(name), `${JSON.stringify(request, null, 2)}\n`);
      return name;
    },
    isTaken: (name) => versionOf(fileOf(name)) === null,
    withdraw: (name) => {
      try {
        unlinkSync(fileOf(name));
        return true;
      } catch (error) {
        if (systemErrorCode(error) === 'ENOENT') return false;
        throw error;
      }
    },
    watch: (jobId, onRequest) => {
      const look = () => {
        const id = jobId();
        if (id === null) return;
        for (const name of namesIfAny(folder).filter(isRecordName)) {
          const request = take(path.join(folder, name), id);
          if (request) onRequest(request);
        }
      };
      const stop = watchFolder(folder, look);
      const timer = setInterval(look, lookMilliseconds);
      timer.unref();
      return () => {
        stop();
        clearInterval(timer);
      };
    },
  };
}

/** Removed before it is carried out, so that it is not carried out twice. */
function take(file: string, jobId: string): JobRequest | null {
  try {
    const request = requestIn(file);
    // Removing it would tell the sender that it was carried out.
    if (request && request.jobId !== jobId && !isLeftBehind(file)) return null;
    unlinkSync(file);
    return request?.jobId === jobId ? request : null;
  } catch {
    // Someone else took it: the sender is told that there was no response.
    return null;
  }
}

/** Null if it is not a request. */
function requestIn(file: string): JobRequest | null {
  try {
    const text = readWholeFile(file, 'request', maxBytes);
    return text === null ? null : (jobRequestSchema.safeParse(parseJson(text)).data ?? null);
  } catch {
    return null;
  }
}

/** The sender died before withdrawing it. */
const isLeftBehind = (file: string) => Date.now() - lstatSync(file).mtimeMs > leftBehindMilliseconds;

function watchFolder(folder: string, look: () => void): () => void {
  try {
    // Never through a link: the write that follows reports why it is refused.
    if (lstatSync(path.dirname(folder)).isDirectory()) mkdirSync(folder, {recursive: true, mode: 0o700});
    const watcher = watch(folder, {persistent: false}, look);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // Polling is enough.
    return () => {};
  }
}
