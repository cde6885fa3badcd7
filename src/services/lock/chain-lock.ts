import {randomBytes} from 'node:crypto';
import {constants, link, open, readdir, rename, unlink, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {systemErrorCode} from '../contracts/errors.ts';
import type {LockAttempt, LockHolder, ProcessLock} from '../contracts/lock.ts';
import {identifyProcess, livenessOf} from '../system/process-identity.ts';
import {liveHolder, lockFailure, parseHolder, thisHolder} from './lock-holder.ts';

const pollMilliseconds = 15;
/** How often an attempt is retried at once after interference by others. */
const restartLimit = 20;

/**
 * The lock for systems without `flock`. The holder's file is created with `link`, which only one process can
 * win. To take over from a dead holder, the next link is named after that holder's nonce, so only one can
 * inherit from it; the winner then becomes the head of the chain again.
 */
export function createChainLock(file: string): ProcessLock {
  let isSwept = false;
  return {
    acquire: async ({waitSeconds}) => {
      const deadline = performance.now() + waitSeconds * 1000;
      for (let restarts = 0; ; ) {
        const attempt = await tryOnce(file).catch((error: unknown) => {
          throw lockFailure(file, error);
        });
        if (attempt?.acquired) {
          if (!isSwept) await sweep(file).catch(() => {});
          isSwept = true;
          return attempt;
        }
        if (attempt === null && ++restarts <= restartLimit) continue;
        if (performance.now() >= deadline) return attempt ?? {acquired: false, holder: null};
        await delay(pollMilliseconds);
      }
    },
    holder: async () => {
      let found = await readLink(file);
      const seen = new Set<string>();
      // The last link of the chain is the one that counts. A circular one is not ours.
      for (
        let next = found;
        next && !seen.has(next.nonce);
        next = await readLink(inheritance(file, next.nonce))
      ) {
        seen.add(next.nonce);
        found = next;
      }
      return liveHolder(found?.holder ?? null);
    },
  };
}

/** A file left by a power cut or another program names no holder; it is inherited like a dead holder's. */
type Link = {readonly holder: LockHolder | null; readonly nonce: string};

/** Null if the chain changed in the meantime. */
async function tryOnce(file: string): Promise<LockAttempt | null> {
  const nonce = randomBytes(8).toString('hex');
  const candidate = `${file}.c.${process.pid}.${nonce}`;
  try {
    await writeFile(candidate, JSON.stringify({...thisHolder(), nonce}), {mode: 0o600, flag: 'wx'});
    const inherited: string[] = [];
    let place = file;
    for (;;) {
      const outcome = await tryLink(candidate, place);
      if (outcome === 'done') break;
      const found = outcome === 'taken' ? await readLink(place) : null;
      // Released, or taken over and compacted, in the meantime: start again from the head.
      if (found === null) return null;
      if (!isDead(found)) return {acquired: false, holder: found.holder};
      inherited.push(place);
      place = inheritance(file, found.nonce);
      if (inherited.includes(place)) throw new Error(`${place} leads back to itself; remove it`);
    }
    if (place !== file && !(await inherit(file, inherited, place, candidate))) return null;
    return {acquired: true, lock: {release: () => release(file, nonce)}};
  } finally {
    await removeQuietly(candidate);
  }
}

/** Makes the heir of dead holders the head of the chain; false if the chain has changed. */
async function inherit(
  file: string,
  inherited: readonly string[],
  place: string,
  candidate: string,
): Promise<boolean> {
  try {
    if (!(await isChainIntact(file, inherited, place))) {
      await removeQuietly(place);
      return false;
    }
    // We are the only heir of the dead holders, so we may replace the head.
    await rename(candidate, file);
  } catch (error) {
    await removeQuietly(place);
    throw error;
  }
  await sweep(file).catch(() => {});
  return true;
}

/** Every link we inherited from must still be in its place: dead holders stay dead. */
async function isChainIntact(file: string, inherited: readonly string[], place: string): Promise<boolean> {
  let expected = file;
  for (const marker of inherited) {
    if (marker !== expected) return false;
    const found = await readLink(marker);
    if (found === null) return false;
    expected = inheritance(file, found.nonce);
  }
  return expected === place;
}

async function release(file: string, nonce: string): Promise<void> {
  if ((await readLink(file))?.nonce === nonce) await unlink(file);
}

const inheritance = (file: string, nonce: string) => `${file}.t.${nonce}`;

const isDead = ({holder}: Link) => holder === null || livenessOf(holder) === 'dead';

async function tryLink(candidate: string, place: string): Promise<'done' | 'taken' | 'lost'> {
  try {
    await link(candidate, place);
    return 'done';
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return 'taken';
    // A process that cannot see us removed our candidate.
    if (systemErrorCode(error) === 'ENOENT') return 'lost';
    throw error;
  }
}

async function readLink(place: string): Promise<Link | null> {
  try {
    const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const holder = parseHolder(await handle.readFile('utf8'));
      const nonce = holder?.nonce;
      if (typeof nonce === 'string' && /^[0-9a-f]{16}$/.test(nonce)) return {holder, nonce};
      const {ino} = await handle.stat({bigint: true});
      return {holder, nonce: ino.toString(16).padStart(16, '0')};
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Removes leftovers of crashes: candidates that were never linked, and dangling links while the head lives. */
async function sweep(file: string): Promise<void> {
  const prefix = `${path.basename(file)}.`;
  for (const name of await readdir(path.dirname(file))) {
    if (!name.startsWith(prefix)) continue;
    const [, kind, pid] = /^(c|t)\.(?:(\d+)\.)?[0-9a-f]{16}$/.exec(name.slice(prefix.length)) ?? [];
    const place = path.join(path.dirname(file), name);
    if (kind === 't') await removeQuietly(place);
    if (kind !== 'c') continue;
    const found = await readLink(place);
    const isAbandoned = found?.holder ? isDead(found) : identifyProcess(Number(pid)) === null;
    if (isAbandoned) await removeQuietly(place);
  }
}

async function removeQuietly(place: string): Promise<void> {
  // Already gone is fine, and a link that cannot be removed is harmless.
  await unlink(place).catch(() => {});
}
