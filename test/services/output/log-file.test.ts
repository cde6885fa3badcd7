import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openLogFile} from '../../../src/services/output/log-file.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const newFile = () => path.join(temporaryFolder(), 'run.log');
const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('a log', () => {
  test('contains what was written, in order, in a private file', async () => {
    const file = newFile();
    const log = openLogFile(file);
    for (let number = 0; number < 1_000; number++) log.write(Buffer.from(`${number}\n`));
    await log.close();
    expect(readFileSync(file, 'utf8')).toBe(Array.from({length: 1_000}, (_, index) => `${index}\n`).join(''));
    expect(modeOf(file)).toBe(0o600);
    expect(log.isTruncated).toBe(false);
  });

  test('is appended to, and made private if it was not', async () => {
    const file = newFile();
    writeFileSync(file, 'old\n');
    chmodSync(file, 0o644);
    const log = openLogFile(file);
    log.write(Buffer.from('new\n'));
    await log.close();
    expect(readFileSync(file, 'utf8')).toBe('old\nnew\n');
    expect(modeOf(file)).toBe(0o600);
  });

  test('continues on a new line after a torn line', async () => {
    const file = newFile();
    writeFileSync(file, '{"cut');
    const log = openLogFile(file);
    log.write(Buffer.from('{"whole":1}\n'));
    await log.close();
    expect(readFileSync(file, 'utf8')).toBe('{"cut\n{"whole":1}\n');
  });

  test('leaves no file when nothing was written', async () => {
    const file = newFile();
    await openLogFile(file).close();
    expect(existsSync(file)).toBe(false);
  });

  test('asks to wait at 256 KiB, and accepts more when it is drained', async () => {
    const log = openLogFile(newFile());
    expect(log.write(Buffer.alloc(256 * 1024 - 1))).toBe(true);
    expect(log.write(Buffer.alloc(1))).toBe(false);
    await log.drained();
    expect(log.write(Buffer.alloc(1))).toBe(true);
    await log.close();
  });
});

describe('an error ends the logging and nothing else:', () => {
  test.each([
    {name: 'no folder', place: (folder: string) => path.join(folder, 'none', 'log')},
    {name: 'a folder in its place', place: (folder: string) => folder},
    {
      name: 'a link',
      place: (folder: string) => {
        symlinkSync(path.join(folder, 'elsewhere'), path.join(folder, 'log'));
        return path.join(folder, 'log');
      },
    },
    {
      name: 'a pipe without a reader',
      place: (folder: string) => {
        execFileSync('mkfifo', [path.join(folder, 'log')]);
        return path.join(folder, 'log');
      },
    },
  ])('$name', async ({place}) => {
    const folder = temporaryFolder();
    const log = openLogFile(place(folder));
    log.write(Buffer.from('text'));
    await log.drained();
    expect(log.isTruncated).toBe(true);
    expect(log.write(Buffer.alloc(1024 * 1024))).toBe(true);
    await log.close();
    expect(existsSync(path.join(folder, 'elsewhere'))).toBe(false);
  });

  test.skipIf(!existsSync('/dev/full'))('a full device', async () => {
    const before = modeOf('/dev/full');
    const log = openLogFile('/dev/full');
    log.write(Buffer.from('text'));
    await log.close();
    expect(log.isTruncated).toBe(true);
    expect(modeOf('/dev/full')).toBe(before);
  });

  test.skipIf(!canMount())('a disk that fills up: what fitted stays, the rest is not logged', async () => {
    const folder = path.join(temporaryFolder(), 'disk');
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('umount', [folder]));
    const file = path.join(folder, 'log');
    const log = openLogFile(file);
    for (let chunk = 0; chunk < 40; chunk++) log.write(Buffer.alloc(4_000, 'x'));
    await log.drained();
    expect(log.isTruncated).toBe(true);
    const {size} = statSync(file);
    expect(size).toBeGreaterThan(32_000);
    // Space that is freed later is not used: a log with a gap would be misleading.
    rmSync(file);
    log.write(Buffer.from('more'));
    await log.close();
    expect(existsSync(file)).toBe(false);
  });
});

function canMount(): boolean {
  const folder = '/tmp/.blackbird-mount-probe';
  try {
    mkdirSync(folder, {recursive: true});
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], {stdio: 'ignore'});
    execFileSync('umount', [folder], {stdio: 'ignore'});
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}
