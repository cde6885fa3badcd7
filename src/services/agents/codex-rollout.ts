import {constants} from 'node:fs';
import {open, readdir} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type {Failure, FailureContext} from '../contracts/agent.ts';
import {threadFailure} from './codex-failures.ts';
import {isUuid} from './verdicts.ts';

const tailBytes = 64 * 1024;
/** A few years of daily use; a thread that fails now was written recently. */
const maxFolders = 1_000;

/** Looks in the thread's file for what the output said only in prose. */
export async function investigateThread(
  failure: Failure,
  {sessionRef, env, now}: FailureContext,
): Promise<Failure> {
  const home = env.CODEX_HOME || path.join(env.HOME || os.homedir(), '.codex');
  const lines = isUuid(sessionRef) ? await lastLines(path.join(home, 'sessions'), sessionRef) : [];
  return threadFailure(failure, lines, now);
}

async function lastLines(sessions: string, threadId: string): Promise<readonly string[]> {
  try {
    const file = await rolloutFile(sessions, threadId);
    return file === null ? [] : await tailLines(file);
  } catch {
    // If the second source cannot be read, the first one has to do.
    return [];
  }
}

/** `sessions/Y/M/D/rollout-<time>-<thread>.jsonl`, newest days first. */
async function rolloutFile(sessions: string, threadId: string): Promise<string | null> {
  let looked = 0;
  for (const year of await foldersIn(sessions)) {
    for (const month of await foldersIn(year)) {
      for (const day of await foldersIn(month)) {
        if (++looked > maxFolders) return null;
        const name = (await readdir(day)).find(
          (each) => each.startsWith('rollout-') && each.endsWith(`-${threadId}.jsonl`),
        );
        if (name !== undefined) return path.join(day, name);
      }
    }
  }
  return null;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, {withFileTypes: true});
  return entries
    .filter((entry) => entry.isDirectory() && /^\d+$/.test(entry.name))
    .map(({name}) => path.join(folder, name))
    .sort()
    .reverse();
}

async function tailLines(file: string): Promise<readonly string[]> {
  // Anything may be at this path: links are not followed, and pipes do not block.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return [];
    const start = Math.max(0, stats.size - tailBytes);
    const {buffer, bytesRead} = await handle.read(Buffer.alloc(tailBytes), 0, tailBytes, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return start === 0 ? lines : lines.slice(1);
  } finally {
    await handle.close();
  }
}
