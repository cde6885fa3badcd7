// A process that takes and gives back a lock as it is told, and proves each time that it is alone.
import {closeSync, openSync, readFileSync, unlinkSync, writeSync} from 'node:fs';
import type {LockHolder} from '../../../src/services/contracts/lock.ts';
import {createChainLock} from '../../../src/services/lock/chain-lock.ts';
import {createKernelLock, findFlock} from '../../../src/services/lock/kernel-lock.ts';

export type LockKind = 'kernel' | 'chain';

export type LockOrder =
  | {readonly order: 'acquire'; readonly waitSeconds: number}
  | {readonly order: 'release'}
  /** Takes it, proves, gives it back, again and again. */
  | {readonly order: 'loop'; readonly rounds: number};

export type LockReport =
  | {readonly report: 'ready'}
  /** `isAlone` is false when the mark of another living holder was there. */
  | {readonly report: 'acquired'; readonly isAlone: boolean}
  | {readonly report: 'denied'; readonly holder: LockHolder | null}
  | {readonly report: 'released'}
  | {readonly report: 'finished'}
  | {readonly report: 'failed'; readonly message: string};

const [kind = '', file = '', mark = ''] = process.argv.slice(2);
const lock = kind === 'chain' ? createChainLock(file) : createKernelLock(file, findFlock() ?? '');
const tell = (report: LockReport) => process.send?.(report);
let held: {release(): Promise<void>} | null = null;

/** Only one can make the file; the mark of a holder that was killed is no proof of company. */
function leaveMark(): boolean {
  for (;;) {
    try {
      const handle = openSync(mark, 'wx');
      writeSync(handle, String(process.pid));
      closeSync(handle);
      return true;
    } catch {
      const pid = Number(readFileSync(mark, 'utf8'));
      if (pid === 0 || isRunning(pid)) return false;
      unlinkSync(mark);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
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
