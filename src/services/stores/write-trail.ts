import {closeSync, constants, lstatSync, openSync, rmSync, writeSync} from 'node:fs';
import type {Writer} from '../contracts/side-effects.ts';
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
      // Asked after every task, and the trail of a long plan is long: an unchanged file needs none of it.
      if (String(from) === String(to)) return 'here';
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
