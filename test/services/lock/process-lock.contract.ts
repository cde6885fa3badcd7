import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {LockAttempt, ProcessLock} from '../../../src/services/contracts/lock.ts';
import {identifyProcess} from '../../../src/services/system/process-identity.ts';
import {bundleWorker} from '../../helpers/bundle-worker.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {eventually} from '../../helpers/eventually.ts';
import {sharedFolder, temporaryFolder} from '../../helpers/temp-folder.ts';
import type {LockKind, LockOrder, LockReport} from '../../helpers/workers/lock.worker.ts';

/** The long form is `npm run verify:crash -- --locks 1000`. */
const rounds = Number(process.env.BLACKBIRD_TEST_LOCK_ROUNDS ?? 40);

/** What every process lock must do: with real processes, on real files. */
export function describeProcessLock(kind: LockKind, createLock: (file: string) => ProcessLock): void {
  /** A test's locks are released after it, so that no open file is left to the garbage collector. */
  const create = (file: string): ProcessLock => {
    const lock = createLock(file);
    const taken: LockAttempt[] = [];
    onTestFinished(async () => {
      for (const attempt of taken) if (attempt.acquired) await attempt.lock.release();
    });
    return {
      ...lock,
      acquire: async (options) => {
        const attempt = await lock.acquire(options);
        taken.push(attempt);
        return attempt;
      },
    };
  };
  const shared = sharedFolder();
  let worker = '';
  beforeAll(async () => {
    worker = await bundleWorker('helpers/workers/lock.worker.ts', shared);
  });

  /** A folder with a lock, and processes that want it. */
  function openArena() {
    const folder = temporaryFolder();
    const file = path.join(folder, 'lock');
    const processes = new Set<Contender>();
    onTestFinished(() => {
      for (const each of processes) each.child.kill('SIGKILL');
    });
    const enter = async () => {
      const contender = new Contender(
        fork(worker, [kind, file, path.join(folder, 'mark')], {detached: true}),
      );
      processes.add(contender);
      await contender.next('ready');
      return contender;
    };
    return {folder, file, lock: create(file), enter};
  }

  const own = identifyProcess(process.pid);

  describe('one process', () => {
    test('takes a free lock, is named as its holder, and releases it', async () => {
      const {lock} = openArena();
      expect(await lock.holder()).toBeNull();
      const earliest = new Date().toISOString();
      const attempt = await lock.acquire({waitSeconds: 0});
      const holder = await lock.holder();
      expect(holder).toEqual({...holder, ...own});
      expect(Object.keys(holder ?? {})).toContain('since');
      expect([earliest, holder?.since ?? '', new Date().toISOString()].sort()).toEqual([
        earliest,
        holder?.since,
        expect.anything(),
      ]);
      if (attempt.acquired) await attempt.lock.release();
      expect(await lock.holder()).toBeNull();
    });

    test('cannot take it twice, and is told that it is the holder itself', async () => {
      const {lock, file} = openArena();
      const first = await lock.acquire({waitSeconds: 0});
      const second = await create(file).acquire({waitSeconds: 0});
      expect(second).toEqual({acquired: false, holder: {...(second as {holder: object}).holder, ...own}});
      if (first.acquired) await first.lock.release();
      expect((await lock.acquire({waitSeconds: 0})).acquired).toBe(true);
    });

    test('takes it repeatedly, and leaves nothing beside it', async () => {
      const {lock, folder} = openArena();
      for (let round = 0; round < 20; round++) {
        const attempt = await lock.acquire({waitSeconds: 0});
        expect(attempt.acquired).toBe(true);
        if (attempt.acquired) await attempt.lock.release();
      }
      expect(readdirSync(folder).filter((name) => name !== 'lock')).toEqual([]);
    });

    test('waits as long as requested, and no longer', async () => {
      const {lock, file} = openArena();
      await lock.acquire({waitSeconds: 0});
      const start = performance.now();
      const {acquired} = await create(file).acquire({waitSeconds: 0.3});
      expect(acquired).toBe(false);
      expect(performance.now() - start).toBeGreaterThanOrEqual(290);
    });

    test.each(['', 'nonsense', '{"pid": 1}', '\0\0\0\0'])(
      'takes a lock whose file contains %j',
      async (content) => {
        const {lock, file} = openArena();
        writeFileSync(file, content);
        expect(await lock.holder()).toBeNull();
        const attempt = await lock.acquire({waitSeconds: 0});
        expect(attempt.acquired).toBe(true);
        expect((await lock.holder())?.pid).toBe(process.pid);
        expect((await create(file).acquire({waitSeconds: 0})).acquired).toBe(false);
      },
    );

    test('is told when there is no place for a lock', async () => {
      const lock = create(path.join(temporaryFolder(), 'gone', 'lock'));
      expect((await rejectionOf(lock.acquire({waitSeconds: 0}))).code).toBe('E_STORE_WRITE');
      expect(await lock.holder()).toBeNull();
    });

    test.each(['victim', 'gone'])('does not follow a link to %s', async (target) => {
      const {lock, file, folder} = openArena();
      writeFileSync(path.join(folder, 'victim'), 'precious');
      symlinkSync(target, file);
      expect((await rejectionOf(lock.acquire({waitSeconds: 0}))).code).toBe('E_STORE_WRITE');
      expect(readFileSync(path.join(folder, 'victim'), 'utf8')).toBe('precious');
      expect(existsSync(path.join(folder, 'gone'))).toBe(false);
      expect(readdirSync(folder).sort()).toEqual(['lock', 'victim']);
    });

    test('is told when a folder is in its place', async () => {
      const {lock, file} = openArena();
      mkdirSync(file);
      expect((await rejectionOf(lock.acquire({waitSeconds: 0}))).code).toBe('E_STORE_WRITE');
    });
  });

  describe('two processes', () => {
    test('the second is told who holds it, and gets it after the first', async () => {
      const {lock, enter} = openArena();
      const first = await enter();
      await first.acquire();
      expect((await lock.holder())?.pid).toBe(first.pid);
      const denied = await lock.acquire({waitSeconds: 0});
      expect(denied).toEqual({acquired: false, holder: await lock.holder()});
      await first.release();
      expect(await lock.holder()).toBeNull();
      expect((await lock.acquire({waitSeconds: 0})).acquired).toBe(true);
    });

    test('the second waits until the first is done', async () => {
      const {lock, enter} = openArena();
      const first = await enter();
      await first.acquire();
      const waiting = lock.acquire({waitSeconds: 120});
      await first.release();
      expect((await waiting).acquired).toBe(true);
      expect((await lock.holder())?.pid).toBe(process.pid);
    });

    test('a killed holder frees it at once, also for waiting processes', async () => {
      const {lock, enter} = openArena();
      const first = await enter();
      await first.acquire();
      const waiting = lock.acquire({waitSeconds: 120});
      await first.end();
      expect((await waiting).acquired).toBe(true);
    });

    test('a killed holder is no longer the holder', async () => {
      const {lock, enter} = openArena();
      const first = await enter();
      await first.acquire();
      await first.end();
      expect(await lock.holder()).toBeNull();
      expect((await lock.acquire({waitSeconds: 0})).acquired).toBe(true);
    });

    test('a stopped holder keeps it, however long it is stopped', async () => {
      const {lock, enter} = openArena();
      const first = await enter();
      await first.acquire();
      first.child.kill('SIGSTOP');
      await eventually(() => expect(stateOf(first.pid)).toBe('T'));
      const denied = await lock.acquire({waitSeconds: 0.3});
      expect([denied.acquired, (await lock.holder())?.pid]).toEqual([false, first.pid]);
      first.child.kill('SIGCONT');
      await first.release();
      expect((await lock.acquire({waitSeconds: 0})).acquired).toBe(true);
    });

    test('a Ctrl+C in the terminal does not end the wait', async () => {
      const {lock, enter} = openArena();
      const held = await lock.acquire({waitSeconds: 0});
      const second = await enter();
      second.order({order: 'acquire', waitSeconds: 120});
      await eventually(() => expect(isWaiting(second.pid, kind)).toBe(true));
      // As the terminal does it: to the whole process group.
      process.kill(-second.pid, 'SIGINT');
      if (held.acquired) await held.lock.release();
      expect(await second.next('acquired')).toEqual({report: 'acquired', isAlone: true});
    });
  });

  describe('eight processes', () => {
    test.each([
      {name: 'a fresh lock', prepare: () => {}},
      {
        name: 'a lock whose holder is dead',
        prepare: (file: string, round: number) => {
          const nonce = round.toString(16).padStart(16, '0');
          writeFileSync(file, JSON.stringify({...own, startTime: '1', since: '2026-01-01T00:00:00Z', nonce}));
        },
      },
      {name: 'a broken lock file', prepare: (file: string) => writeFileSync(file, 'torn')},
    ])(
      'on $name, at the same moment: exactly one gets it, round after round',
      {
        timeout: 180_000 + rounds * 1_000,
      },
      async ({prepare}) => {
        const {enter, file, folder} = openArena();
        const all = await Promise.all(Array.from({length: 8}, enter));
        for (let round = 1; round <= rounds; round++) {
          prepare(file, round);
          for (const each of all) each.order({order: 'acquire', waitSeconds: 0});
          const reports = await Promise.all(all.map((each) => each.next('acquired', 'denied')));
          expect(reports.filter(({report}) => report === 'acquired')).toEqual([
            {report: 'acquired', isAlone: true},
          ]);
          await all[reports.findIndex(({report}) => report === 'acquired')]?.release();
        }
        expect(readdirSync(folder).filter((name) => name !== 'lock')).toEqual([]);
      },
    );

    test('one after another while all want it: never two at once', async () => {
      const {enter, folder} = openArena();
      const all = await Promise.all(Array.from({length: 8}, enter));
      for (const each of all) each.order({order: 'loop', rounds: 25});
      await Promise.all(all.map((each) => each.next('finished')));
      const reports = all.flatMap(({history}) => history).filter(({report}) => report === 'acquired');
      expect(reports).toEqual(Array.from({length: 200}, () => ({report: 'acquired', isAlone: true})));
      expect(readdirSync(folder).filter((name) => name !== 'lock')).toEqual([]);
    });
  });

  describe('four processes', () => {
    test('killed repeatedly at any point: never two at once, and none waits for a dead one', async () => {
      const {enter, lock, folder} = openArena();
      const all = await Promise.all(Array.from({length: 4}, enter));
      for (const each of all) each.order({order: 'loop', rounds: 10_000});
      const histories: LockReport[][] = [];
      for (let kill = 0; kill < 24; kill++) {
        // Some take a few turns; then one of them is killed, whatever it is doing.
        await all[(kill * 5) % 4]?.next('acquired');
        const victim = (kill * 3) % 4;
        await all[victim]?.end();
        histories.push(all[victim]?.history ?? []);
        const heir = await enter();
        heir.order({order: 'loop', rounds: 10_000});
        all[victim] = heir;
      }
      for (const each of all) {
        await each.end();
        histories.push(each.history);
      }
      const reports = histories.flat().filter(({report}) => report !== 'ready');
      expect(new Set(reports.map((report) => JSON.stringify(report)))).toEqual(
        new Set([JSON.stringify({report: 'acquired', isAlone: true})]),
      );
      expect(reports.length).toBeGreaterThan(24);
      const attempt = await lock.acquire({waitSeconds: 0});
      expect(attempt.acquired).toBe(true);
      expect(
        readdirSync(folder)
          .filter((name) => !name.startsWith('mark'))
          .sort(),
      ).toEqual(['lock']);
    });
  });
}

/** A worker process and what it reports. */
class Contender {
  readonly child: ChildProcess;
  readonly history: LockReport[] = [];
  #seen = 0;

  constructor(child: ChildProcess) {
    this.child = child;
    child.on('message', (report: LockReport) => this.history.push(report));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  order(order: LockOrder): void {
    this.child.send(order);
  }

  /** The next report of one of these kinds that was not read yet; an error of the worker fails the test. */
  async next(...kinds: Array<LockReport['report']>): Promise<LockReport> {
    for (;;) {
      for (let report = this.history[this.#seen]; report; report = this.history[this.#seen]) {
        this.#seen++;
        if (report.report === 'failed') throw new Error(report.message);
        if (kinds.includes(report.report)) return report;
      }
      await once(this.child, 'message');
    }
  }

  async acquire(): Promise<void> {
    this.order({order: 'acquire', waitSeconds: 0});
    expect(await this.next('acquired', 'denied')).toEqual({report: 'acquired', isAlone: true});
  }

  async release(): Promise<void> {
    this.order({order: 'release'});
    await this.next('released');
  }

  async end(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

function stateOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
}

/** The kernel lock waits in a helper process, once that has become `flock`; the chain lock waits itself. */
function isWaiting(pid: number, kind: LockKind): boolean {
  if (kind === 'chain') return true;
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return child !== '' && readFileSync(`/proc/${child}/comm`, 'utf8') === 'flock\n';
}
