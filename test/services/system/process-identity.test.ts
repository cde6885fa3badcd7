import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, readFileSync, readlinkSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {ProcessIdentity} from '../../../src/services/contracts/process.ts';
import {identifyProcess, livenessOf} from '../../../src/services/system/process-identity.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

/** A process of this test, ended with it. */
function start(file: string, ...args: string[]): ChildProcess & {pid: number} {
  const child = spawn(file, args, {stdio: ['ignore', 'pipe', 'ignore']});
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (child.pid === undefined) throw new Error(`${file} did not start`);
  return child as ChildProcess & {pid: number};
}

function identityOf(pid: number): ProcessIdentity {
  const identity = identifyProcess(pid);
  if (!identity) throw new Error(`there is no process ${pid}`);
  return identity;
}

const nobody = 2 ** 22 + 1;

describe('an identity', () => {
  test('is stable, and differs between processes', () => {
    const other = start('sleep', '60');
    expect(identifyProcess(other.pid)).toEqual(identityOf(other.pid));
    expect(identityOf(other.pid).startTime).not.toBe(identityOf(process.pid).startTime);
  });

  test.skipIf(process.platform !== 'linux')('is pid, start time, boot and pid namespace (Linux)', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    expect(identifyProcess(process.pid)).toEqual({
      pid: process.pid,
      startTime: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19],
      bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      pidNamespace: readlinkSync('/proc/self/ns/pid'),
    });
  });

  test.each([nobody, 0, -1, 1.5, Number.NaN])('of pid %d does not exist', (pid) => {
    expect(identifyProcess(pid)).toBeNull();
  });

  test('of a process that ended does not exist', () => {
    expect(identifyProcess(spawnSync('true').pid)).toBeNull();
  });

  test.each(['a b', 'x) Z 1 2 (y', ') ', '((('])('is correct for a program called %j', async (name) => {
    const program = path.join(temporaryFolder(), name);
    copyFileSync(spawnSync('sh', ['-c', 'command -v sleep'], {encoding: 'utf8'}).stdout.trim(), program);
    const before = Number(identityOf(start('sleep', '60').pid).startTime);
    const odd = start(program, '60');
    const after = Number(identityOf(start('sleep', '60').pid).startTime);
    const found = Number(identityOf(odd.pid).startTime);
    expect(found >= before && found <= after).toBe(true);
    expect(livenessOf(identityOf(odd.pid))).toBe('alive');
  });
});

describe('liveness', () => {
  test('of this process, and of a running or stopped one, is alive', async () => {
    const other = start('sleep', '60');
    const identity = identityOf(other.pid);
    expect([livenessOf(identityOf(process.pid)), livenessOf(identity)]).toEqual(['alive', 'alive']);
    other.kill('SIGSTOP');
    await eventually(() => expect(stateOf(other.pid)).toBe('T'));
    expect(livenessOf(identity)).toBe('alive');
  });

  test('of a killed process is dead', async () => {
    const other = start('sleep', '60');
    const identity = identityOf(other.pid);
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(livenessOf(identity)).toBe('dead');
  });

  test('of a zombie is dead', async () => {
    // The shell becomes `sleep`, which never waits for the child it inherits.
    const parent = start('sh', '-c', 'sleep 60 & echo $!; exec sleep 60');
    const [line] = (await once(parent.stdout ?? parent, 'data')) as [Buffer];
    const pid = Number(line.toString('utf8'));
    const identity = identityOf(pid);
    // Until then the shell would reap it.
    await eventually(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(stateOf(pid)).toBe('Z'));
    expect([livenessOf(identity), identifyProcess(pid)]).toEqual(['dead', null]);
  });

  const own = identityOf(process.pid);
  test.each<{name: string; identity: ProcessIdentity; liveness: string}>([
    {
      name: 'the same pid that started at another time',
      identity: {...own, startTime: `${Number(own.startTime) - 1}`},
      liveness: 'dead',
    },
    {name: 'an unused pid', identity: {...own, pid: nobody}, liveness: 'dead'},
    {name: 'the same pid before the last boot', identity: {...own, bootId: 'another'}, liveness: 'dead'},
    {
      name: 'a process of another pid namespace',
      identity: {...own, pidNamespace: 'pid:[1]'},
      liveness: 'unknown',
    },
    {
      name: 'another namespace before the last boot',
      identity: {...own, bootId: 'another', pidNamespace: 'pid:[1]'},
      liveness: 'dead',
    },
  ])('of $name is $liveness', ({identity, liveness}) => {
    expect(livenessOf(identity)).toBe(liveness);
  });
});

function stateOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
}
