import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import promises from 'node:fs/promises';
import {syncBuiltinESMExports} from 'node:module';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createChainLock} from '../../../src/services/lock/chain-lock.ts';
import {createKernelLock, findFlock} from '../../../src/services/lock/kernel-lock.ts';
import {createProcessLock} from '../../../src/services/lock/process-lock.ts';
import {identifyProcess} from '../../../src/services/system/process-identity.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {canMount, mountTmpfs} from '../../helpers/mounts.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {describeProcessLock} from './process-lock.contract.ts';

const flock = findFlock();
const own = identifyProcess(process.pid);
const dead = (nonce: string) =>
  JSON.stringify({...own, startTime: '1', since: '2026-01-01T00:00:00Z', nonce: nonce.padStart(16, '0')});

describe.skipIf(flock === null)('the kernel lock (needs flock of util-linux)', () => {
  describeProcessLock('kernel', (file) => createKernelLock(file, flock ?? ''));

  test('keeps its file forever, private and without a name when it is free', async () => {
    const file = path.join(temporaryFolder(), 'lock');
    const mask = process.umask(0);
    onTestFinished(() => {
      process.umask(mask);
    });
    const attempt = await createKernelLock(file, flock ?? '').acquire({waitSeconds: 0});
    if (attempt.acquired) await attempt.lock.release();
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['', 0o600]);
  });

  test('says so when its helper is not the expected program', async () => {
    const lock = createKernelLock(path.join(temporaryFolder(), 'lock'), '/bin/false-flock');
    expect((await rejectionOf(lock.acquire({waitSeconds: 0}))).code).toBe('E_STORE_WRITE');
    const silent = createKernelLock(path.join(temporaryFolder(), 'lock'), '/usr/bin/env');
    expect((await rejectionOf(silent.acquire({waitSeconds: 0}))).message).toMatch(/ended with exit code/);
  });

  test('is taken although a Ctrl+C ends its helper at its start', async () => {
    const folder = temporaryFolder();
    const [file, hit, helper] = ['lock', 'hit', 'flock'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    const script = `[ -e '${hit}' ] || { : >'${hit}'; kill -INT $$; }\nexec '${flock}' "$@"`;
    writeFileSync(helper, `#!/bin/sh\n${script}\n`, {mode: 0o755});
    const attempt = await createKernelLock(file, helper).acquire({waitSeconds: 0});
    expect(attempt.acquired).toBe(true);
    expect(await createKernelLock(file, flock ?? '').acquire({waitSeconds: 0})).toMatchObject({
      acquired: false,
    });
    if (attempt.acquired) await attempt.lock.release();
  });

  test.skipIf(!canMount)(
    'is held even when its holder’s name cannot be written: on a full disk',
    async () => {
      const folder = mountTmpfs(path.join(temporaryFolder(), 'small'), 'size=4k,mode=700');
      expect(() => writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(64 * 1024))).toThrow('ENOSPC');
      const lock = createKernelLock(path.join(folder, 'lock'), flock ?? '');
      const attempt = await lock.acquire({waitSeconds: 0});
      expect([attempt.acquired, await lock.holder()]).toEqual([true, null]);
      expect(await lock.acquire({waitSeconds: 0})).toEqual({acquired: false, holder: null});
      if (attempt.acquired) await attempt.lock.release();
      const again = await lock.acquire({waitSeconds: 0});
      expect(again.acquired).toBe(true);
      if (again.acquired) await again.lock.release();
    },
  );
});

describe('the chain lock', () => {
  describeProcessLock('chain', createChainLock);

  test('is private while it is held, and gone when it is free', async () => {
    const file = path.join(temporaryFolder(), 'lock');
    const mask = process.umask(0);
    onTestFinished(() => {
      process.umask(mask);
    });
    const attempt = await createChainLock(file).acquire({waitSeconds: 0});
    expect(statSync(file).mode & 0o777).toBe(0o600);
    if (attempt.acquired) await attempt.lock.release();
    expect(existsSync(file)).toBe(false);
  });

  test('is never taken from a holder that cannot be seen from here', async () => {
    const file = path.join(temporaryFolder(), 'lock');
    const holder = {
      ...own,
      pidNamespace: 'pid:[1]',
      since: '2026-01-01T00:00:00Z',
      nonce: '0123456789abcdef',
    };
    writeFileSync(file, JSON.stringify(holder));
    const lock = createChainLock(file);
    expect(await lock.acquire({waitSeconds: 0})).toEqual({acquired: false, holder});
    expect(await lock.holder()).toEqual(holder);
  });

  test('inherits along a whole chain of dead holders, and removes what they left', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'lock');
    const {pid} = spawnSync('true');
    writeFileSync(file, dead('a'));
    writeFileSync(`${file}.t.${'a'.padStart(16, '0')}`, dead('b'));
    writeFileSync(`${file}.t.${'b'.padStart(16, '0')}`, dead('c'));
    writeFileSync(`${file}.t.${'e'.padStart(16, '0')}`, dead('f'));
    writeFileSync(`${file}.c.${pid}.${'1'.padStart(16, '0')}`, dead('1'));
    writeFileSync(`${file}.c.${pid}.${'2'.padStart(16, '0')}`, '');
    const lock = createChainLock(file);
    expect(await lock.holder()).toBeNull();
    expect((await lock.acquire({waitSeconds: 0})).acquired).toBe(true);
    expect((await lock.holder())?.pid).toBe(process.pid);
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('removes what killed processes left beside a free lock', async () => {
    const folder = temporaryFolder();
    const {pid} = spawnSync('true');
    writeFileSync(path.join(folder, `lock.c.${pid}.${'1'.padStart(16, '0')}`), dead('1'));
    expect((await createChainLock(path.join(folder, 'lock')).acquire({waitSeconds: 0})).acquired).toBe(true);
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('leaves files alone that it did not create, or that belong to live processes', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'lock');
    writeFileSync(file, dead('a'));
    const others = [
      'lock.bak',
      'lock.c.txt',
      `lock.c.${process.pid}.${'2'.padStart(16, '0')}`,
      'locker.t.0000000000000001',
    ];
    for (const name of others) writeFileSync(path.join(folder, name), '');
    expect((await createChainLock(file).acquire({waitSeconds: 0})).acquired).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['lock', ...others].sort());
  });

  test('respects the live end of a chain of dead holders', async () => {
    const file = path.join(temporaryFolder(), 'lock');
    const living = {...own, since: '2026-01-01T00:00:00Z', nonce: '0123456789abcdef'};
    writeFileSync(file, dead('a'));
    writeFileSync(`${file}.t.${'a'.padStart(16, '0')}`, JSON.stringify(living));
    const lock = createChainLock(file);
    expect(await lock.holder()).toEqual(living);
    expect(await lock.acquire({waitSeconds: 0})).toEqual({acquired: false, holder: living});
  });

  test('with cyclic links is refused by name, and asking for its holder ends', async () => {
    const file = path.join(temporaryFolder(), 'lock');
    const next = `${file}.t.${'a'.padStart(16, '0')}`;
    writeFileSync(file, dead('a'));
    writeFileSync(next, dead('a'));
    const lock = createChainLock(file);
    expect(await lock.holder()).toBeNull();
    expect((await rejectionOf(lock.acquire({waitSeconds: 0}))).message).toContain(
      `${next} leads back to itself`,
    );
  });

  describe('whose chain changed between the read and the link', () => {
    const place = (file: string, nonce: string) => `${file}.t.${nonce.padStart(16, '0')}`;
    const living = {...own, since: '2026-01-01T00:00:00Z', nonce: '0123456789abcdef'};

    /** Runs something right before the last link that makes us the heir. */
    function beforeLink(last: string, happen: () => void) {
      const {link} = promises;
      onTestFinished(() => {
        promises.link = link;
        syncBuiltinESMExports();
      });
      promises.link = async (candidate, name) => {
        if (name === last) happen();
        return link(candidate, name);
      };
      syncBuiltinESMExports();
    }

    /** What a faster contender leaves: it is the head now, and removed the chain it came from. */
    function overtake(file: string, head: string, swept: readonly string[]) {
      for (const marker of swept) rmSync(marker, {force: true});
      writeFileSync(file, head);
    }

    test('is left to the faster holder', async () => {
      const folder = temporaryFolder();
      const file = path.join(folder, 'lock');
      writeFileSync(file, dead('a'));
      beforeLink(place(file, 'a'), () => overtake(file, JSON.stringify(living), []));
      expect(await createChainLock(file).acquire({waitSeconds: 0})).toEqual({
        acquired: false,
        holder: living,
      });
      expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([JSON.stringify(living), ['lock']]);
    });

    test('is left to a holder that is the heir of another', async () => {
      const folder = temporaryFolder();
      const file = path.join(folder, 'lock');
      writeFileSync(file, dead('a'));
      // The faster one died, and its own heir is at work.
      beforeLink(place(file, 'a'), () => {
        overtake(file, dead('b'), []);
        writeFileSync(place(file, 'b'), JSON.stringify(living));
      });
      expect(await createChainLock(file).acquire({waitSeconds: 0})).toEqual({
        acquired: false,
        holder: living,
      });
      expect(readFileSync(file, 'utf8')).toBe(dead('b'));
    });

    test('is restarted from the head when a link in the middle is gone', async () => {
      const file = path.join(temporaryFolder(), 'lock');
      writeFileSync(file, dead('a'));
      writeFileSync(place(file, 'a'), dead('b'));
      beforeLink(place(file, 'b'), () => overtake(file, JSON.stringify(living), [place(file, 'a')]));
      expect(await createChainLock(file).acquire({waitSeconds: 0})).toEqual({
        acquired: false,
        holder: living,
      });
      expect(readFileSync(file, 'utf8')).toBe(JSON.stringify(living));
    });

    test('is restarted from the head when the head is another dead holder, whatever the middle says', async () => {
      const file = path.join(temporaryFolder(), 'lock');
      writeFileSync(file, dead('a'));
      writeFileSync(place(file, 'a'), dead('b'));
      beforeLink(place(file, 'b'), () => {
        overtake(file, dead('c'), []);
        writeFileSync(place(file, 'c'), JSON.stringify(living));
      });
      expect(await createChainLock(file).acquire({waitSeconds: 0})).toEqual({
        acquired: false,
        holder: living,
      });
      expect(readFileSync(file, 'utf8')).toBe(dead('c'));
    });

    test('is free when the faster one has released it', async () => {
      const folder = temporaryFolder();
      const file = path.join(folder, 'lock');
      writeFileSync(file, dead('a'));
      let heads: string[] = [];
      beforeLink(place(file, 'a'), () => rmSync(file));
      const {rename} = promises;
      onTestFinished(() => {
        promises.rename = rename;
        syncBuiltinESMExports();
      });
      promises.rename = async (from, to) => {
        heads = [...heads, String(to)];
        return rename(from, to);
      };
      syncBuiltinESMExports();
      const lock = createChainLock(file);
      expect((await lock.acquire({waitSeconds: 0})).acquired).toBe(true);
      // By a link, which only one can win: a holder that came in the meantime would have been replaced.
      expect([heads, (await lock.holder())?.pid, readdirSync(folder)]).toEqual([[], process.pid, ['lock']]);
    });
  });

  test('is released only by its holder', async () => {
    const file = path.join(temporaryFolder(), 'lock');
    const attempt = await createChainLock(file).acquire({waitSeconds: 0});
    const other = JSON.stringify({...own, since: '2026-01-01T00:00:00Z', nonce: '0123456789abcdef'});
    writeFileSync(file, other);
    if (attempt.acquired) await attempt.lock.release();
    expect(readFileSync(file, 'utf8')).toBe(other);
  });

  test.skipIf(!canMount)(
    'cannot be taken on a full disk, says so and leaves nothing (needs the right to mount)',
    async () => {
      const folder = mountTmpfs(path.join(temporaryFolder(), 'small'), 'size=4k,mode=700');
      expect(() => writeFileSync(path.join(folder, 'ballast'), Buffer.alloc(64 * 1024))).toThrow('ENOSPC');
      const file = path.join(folder, 'lock');
      expect((await rejectionOf(createChainLock(file).acquire({waitSeconds: 0}))).message).toBe(
        `cannot take the lock ${file}: the disk is full`,
      );
      expect(readdirSync(folder)).toEqual(['ballast']);
    },
  );
});

test('every process on a machine chooses the same kind of lock', async () => {
  const file = path.join(temporaryFolder(), 'lock');
  const attempt = await createProcessLock(file).acquire({waitSeconds: 0});
  expect(attempt.acquired).toBe(true);
  const same = flock === null ? createChainLock(file) : createKernelLock(file, flock);
  expect((await same.acquire({waitSeconds: 0})).acquired).toBe(false);
  if (attempt.acquired) await attempt.lock.release();
});
