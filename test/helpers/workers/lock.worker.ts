// A process that takes and releases a lock on command, and proves each time that it is alone.
import {linkSync, readFileSync, unlinkSync, writeFileSync} from 'node:fs';
import type {LockHolder} from '../../../src/services/contracts/lock.ts';
import {createChainLock} from '../../../src/services/lock/chain-lock.ts';
import {createKernelLock, findFlock} from '../../../src/services/lock/kernel-lock.ts';

export type LockKind = 'kernel' | 'chain';

export type LockOrder =
  | {readonly order: 'acquire'; readonly waitSeconds: number}
  | {readonly order: 'release'}
  /** Takes it, proves it, releases it, again and again. */
  | {readonly order: 'loop'; readonly rounds: number};

export type LockReport =
  | {readonly report: 'ready'}
  /** `isAlone` is false if the mark of another live holder was there. */
  | {readonly report: 'acquired'; readonly isAlone: boolean}
  | {readonly report: 'denied'; readonly holder: LockHolder | null}
  | {readonly report: 'released'}
  | {readonly report: 'finished'}
  | {readonly report: 'failed'; readonly message: string};

const [kind = '', file = '', mark = ''] = process.argv.slice(2);
const lock = kind === 'chain' ? createChainLock(file) : createKernelLock(file, findFlock() ?? '');
const tell = (report: LockReport) => process.send?.(report);
let held: {release(): Promise<void>} | null = null;

/**
 * Only one process can create the mark, atomically. A killed holder's mark proves nothing, but its process
 * may take a moment to vanish; if a live process removes its mark in that time, it was a second holder.
 */
function leaveMark(): boolean {
  const mine = `${mark}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    for (;;) {
      try {
        linkSync(mine, mark);
        return true;
      } catch {
        if (!isMarkOfTheDead()) return false;
        unlinkSync(mark);
      }
    }
  } finally {
    unlinkSync(mine);
  }
}

function isMarkOfTheDead(): boolean {
  const pid = readMark();
  for (let turn = 0; turn < 5_000; turn++) {
    if (pid === null || readMark() !== pid) return false;
    if (!isRunning(pid)) return true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  return false;
}

function readMark(): number | null {
  try {
    return Number(readFileSync(mark, 'utf8'));
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

async function acquire(waitSeconds: number): Promise<void> {
  const attempt = await lock.acquire({waitSeconds});
  if (!attempt.acquired) return void tell({report: 'denied', holder: attempt.holder});
  held = attempt.lock;
  tell({report: 'acquired', isAlone: leaveMark()});
}

async function release(): Promise<void> {
  unlinkSync(mark);
  await held?.release();
  held = null;
}

const orders = {
  acquire: ({waitSeconds}: {waitSeconds: number}) => acquire(waitSeconds),
  release: async () => {
    await release();
    tell({report: 'released'});
  },
  loop: async ({rounds}: {rounds: number}) => {
    for (let round = 0; round < rounds; round++) {
      await acquire(60);
      if (held) await release();
    }
    tell({report: 'finished'});
  },
};

process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
process.on('message', (message: LockOrder) => {
  const work = orders[message.order] as (order: LockOrder) => Promise<void>;
  work(message).catch((error: unknown) => tell({report: 'failed', message: String(error)}));
});
tell({report: 'ready'});
