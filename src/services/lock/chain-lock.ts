import {randomBytes} from 'node:crypto';
import {link, readdir, readFile, rename, unlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {systemErrorCode} from '../contracts/errors.ts';
import type {LockHolder, ProcessLock} from '../contracts/lock.ts';
import {livenessOf} from '../system/process-identity.ts';
import {liveHolder, parseHolder, thisHolder} from './lock-holder.ts';

const pollMilliseconds = 15;

/**
 * The lock for systems without `flock`. The holder's file is made with `link`, which only one can win.
 * Over a dead holder the next link is named after that holder's nonce, so only one can ever inherit
 * from it; the winner then becomes the head of the chain again.
 */
export function createChainLock(file: string): ProcessLock {
  return {
    acquire: async ({waitSeconds}) => {
      const deadline = performance.now() + waitSeconds * 1000;
      for (;;) {
        const attempt = await tryOnce(file);
        if (attempt.acquired || performance.now() >= deadline) return attempt;
        await delay(pollMilliseconds);
      }
    },
    holder: async () => {
      let found = await readLink(file);
      // The last link of the chain is the one in force.
      for (let next = found; next; next = await readLink(inheritance(file, next.nonce))) found = next;
      return liveHolder(found);
    },
  };
}

type Link = LockHolder & {nonce: string};

async function tryOnce(file: string) {
  const mine: Link = {...thisHolder(), nonce: randomBytes(8).toString('hex')};
  const candidate = `${file}.c.${process.pid}.${mine.nonce}`;
  await writeFile(candidate, JSON.stringify(mine), {mode: 0o600, flag: 'wx'});
  try {
    const inherited: string[] = [];
    let place = file;
    for (;;) {
      if (await linked(candidate, place)) break;
      const holder = await readLink(place);
      // Released, or taken over and compacted, while we looked: begin again from the head.
      if (holder === null) return {acquired: false as const, holder: null};
      if (livenessOf(holder) !== 'dead') return {acquired: false as const, holder};
      inherited.push(place);
      place = inheritance(file, holder.nonce);
    }
    if (place !== file) {
      if (!(await isChainIntact(file, inherited, place))) {
        await unlinkIfThere(place);
        return {acquired: false as const, holder: null};
      }
      // We are the only heir of the dead holders, so the head is ours to replace.
      await rename(candidate, file);
      for (const marker of [...inherited.slice(1), place]) await unlinkIfThere(marker);
      await sweepCandidates(file);
    }
    return {acquired: true as const, lock: {release: () => release(file, mine.nonce)}};
  } finally {
    await unlinkIfThere(candidate);
  }
}

/** Every link we inherited from must still be there, dead and in its place. */
async function isChainIntact(file: string, inherited: readonly string[], place: string): Promise<boolean> {
  let expected = file;
  for (const marker of inherited) {
    if (marker !== expected) return false;
    const holder = await readLink(marker);
    if (holder === null || livenessOf(holder) !== 'dead') return false;
    expected = inheritance(file, holder.nonce);
  }
  return expected === place;
}

async function release(file: string, nonce: string): Promise<void> {
  if ((await readLink(file))?.nonce === nonce) await unlinkIfThere(file);
}

const inheritance = (file: string, nonce: string) => `${file}.t.${nonce}`;

async function linked(candidate: string, place: string): Promise<boolean> {
  try {
    await link(candidate, place);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readLink(place: string): Promise<Link | null> {
  try {
    const text = await readFile(place, 'utf8');
    const holder = parseHolder(text);
    const nonce = holder?.nonce;
    return holder && typeof nonce === 'string' && /^[0-9a-f]{16}$/.test(nonce) ? {...holder, nonce} : null;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Candidates of processes that died between writing and linking. */
async function sweepCandidates(file: string): Promise<void> {
  const prefix = `${path.basename(file)}.c.`;
  for (const name of await readdir(path.dirname(file))) {
    if (!name.startsWith(prefix)) continue;
    const place = path.join(path.dirname(file), name);
    const holder = await readLink(place);
    if (holder && livenessOf(holder) === 'dead') await unlinkIfThere(place);
  }
}

async function unlinkIfThere(place: string): Promise<void> {
  await unlink(place).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  });
}
