import {createHash} from 'node:crypto';
import {closeSync, constants, lstatSync, openSync, rmSync, writeSync} from 'node:fs';
import path from 'node:path';
import type {Writer} from '../contracts/side-effects.ts';
import {contentVersion} from './content-version.ts';
import {readWholeBytes, versionOf} from './whole-file.ts';

/** Which version of the plan, settings or a text Blackbird made from which, so that a change by anyone else stands out. */
export type WriteTrail = {
  note(before: string | null, after: string | null): void;
  /** Whether only Blackbird wrote between two versions: this process, or others as well. */
  leads(from: string | null, to: string | null): Writer | null;
};

/** Restarted when it is larger: only the writes during one run matter. */
const maxBytes = 256 * 1024;

/**
 * `file` is shared with Blackbirds in other terminals. Null keeps the trail in memory: for a Blackbird called
 * by an agent, whose edits count as the agent's.
 */
export function createWriteTrail(file: string | null): WriteTrail {
  const own = new Set<string>();
  return {
    note: (before, after) => {
      const line = `${before} ${after}`;
      own.add(line);
      if (file !== null) append(file, `${line}\n`);
    },
    leads: (from, to) => {
      // File order first: it also contains our own lines, unless the file was started over.
      const lines = [...new Set([...linesOf(file), ...own])];
      const next = new Map(lines.map((line) => line.split(' ', 2) as [string, string]));
      const seen = new Set<string>();
      let isHere = true;
      for (let at = String(from); at !== String(to); ) {
        seen.add(at);
        const step = next.get(at);
        if (step === undefined || seen.has(step)) return null;
        isHere &&= own.has(`${at} ${step}`);
        at = step;
      }
      return isHere ? 'here' : 'elsewhere';
    },
  };
}

/** Watches a file from now on: who wrote everything since; null if anyone else was involved. */
export function watchWrites(trail: WriteTrail, file: string): () => Writer | null {
  const from = versionOf(file);
  return () => trail.leads(from, versionOf(file));
}

/** Writes or removes a draft or comment and records who did it, so that it is not attributed to a running agent. */
export async function noted<T>(trail: WriteTrail, file: string, write: () => Promise<T>): Promise<T> {
  const before = contentVersion(file);
  const result = await write();
  trail.note(textKey(file, before), textKey(file, contentVersion(file)));
  return result;
}

/** Who changed a draft or comment from one version to the other; null if anyone but Blackbird took part. */
export const textWriter = (trail: WriteTrail, file: string, from: string, to: string): Writer | null =>
  trail.leads(textKey(file, from), textKey(file, to));

/** Short, because editors save every half second. The base name is enough: the content names the run or task. */
const textKey = (file: string, version: string): string =>
  createHash('sha256')
    .update(`${path.basename(file)}\0${version}`)
    .digest('hex')
    .slice(0, 20);

function append(file: string, line: string): void {
  try {
    if ((lstatSync(file, {throwIfNoEntry: false})?.size ?? 0) > maxBytes) rmSync(file);
    const {O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW} = constants;
    const handle = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    try {
      writeSync(handle, line);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Without its line the write is attributed to someone else and shown: better too much than too little.
  }
}

function linesOf(file: string | null): string[] {
  if (file === null) return [];
  try {
    const text = readWholeBytes(file, 'trail of the plan', maxBytes * 2)?.toString('utf8') ?? '';
    return text.split('\n').filter((line) => line !== '');
  } catch {
    return [];
  }
}
