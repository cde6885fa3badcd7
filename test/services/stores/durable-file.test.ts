import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {systemErrorCode} from '../../../src/services/contracts/errors.ts';
import {DurableFile} from '../../../src/services/stores/durable-file.ts';
import {
  ensurePrivateFolder,
  removeDurably,
  writeDurably,
} from '../../../src/services/stores/durable-write.ts';
import {renderJson, rewriteJson} from '../../../src/services/stores/json-text.ts';
import {parseJson, versionOf} from '../../../src/services/stores/whole-file.ts';
import {errorOf, rejectionOf, seen} from '../../helpers/errors.ts';
import {canMount, mountTmpfs, remount} from '../../helpers/mounts.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

type Value = Record<string, unknown>;

function openFile(file: string, options: {keepMode?: boolean; maxBytes?: number} = {}): DurableFile<Value> {
  return new DurableFile<Value>({
    file,
    what: 'record',
    maxBytes: 1024 * 1024,
    parse: (json) => json as Value,
    render: (value, previous) =>
      `${previous === null ? renderJson(value) : rewriteJson(previous.trim(), value)}\n`,
    ...options,
  });
}

const modeOf = (file: string) => (lstatSync(file).mode & 0o777).toString(8);
const corruption = (file: string, reason: string) => ({
  code: 'E_STORE_CORRUPT',
  message: `the record ${file} cannot be used: ${reason}`,
  details: [
    ['file', file],
    ['reason', reason],
  ],
  next: [{command: `mv ${file} ${file}.broken`, why: 'move it aside; Blackbird will not overwrite it'}],
});

describe('reading', () => {
  test('nothing without a file', async () => {
    expect(await openFile(path.join(temporaryFolder(), 'x.json')).read()).toBeNull();
  });

  test('returns the content of the file', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, ' {"a": 1, "__proto__": {"b": 2}}\r\n');
    expect(Object.entries((await openFile(file).read()) ?? {})).toEqual([
      ['a', 1],
      ['__proto__', {b: 2}],
    ]);
  });

  test("returns the content of a link's target", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'real.json'), '{"a":1}');
    symlinkSync('real.json', path.join(folder, 'x.json'));
    expect(await openFile(path.join(folder, 'x.json')).read()).toEqual({a: 1});
  });

  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  test.each<{name: string; content: string | Buffer; reason: string}>([
    {name: 'nothing', content: '', reason: 'it is empty'},
    {name: 'only space', content: ' \r\n\t', reason: 'it is empty'},
    {name: 'null', content: 'null\n', reason: 'it contains null'},
    {name: 'false', content: 'false', reason: 'it does not contain a JSON object'},
    {name: 'zero', content: '0', reason: 'it does not contain a JSON object'},
    {name: 'an empty text', content: '""', reason: 'it does not contain a JSON object'},
    {name: 'a list', content: '[{}]', reason: 'it does not contain a JSON object'},
    {name: 'a byte order mark', content: '\ufeff{}', reason: 'it begins with a byte order mark'},
    {
      name: 'bytes that are not text',
      content: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      reason: 'it is not UTF-8 text',
    },
    {
      name: 'half a character',
      content: Buffer.from('{"a":"é"}').subarray(0, 7),
      reason: 'it is not UTF-8 text',
    },
    {name: 'an object 65 levels deep', content: nested(65), reason: 'it is nested deeper than 64 levels'},
    {
      name: 'an object 100,000 levels deep',
      content: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      reason: 'it is nested deeper than 64 levels',
    },
    {
      name: 'lists a hundred levels deep',
      content: `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
      reason: 'it is nested deeper than 64 levels',
    },
  ])('refuses $name, names the file and the reason, and leaves it alone', async ({content, reason}) => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, content);
    const before = versionOf(file);
    expect(seen(await rejectionOf(openFile(file).read()))).toEqual(corruption(file, reason));
    expect(versionOf(file)).toBe(before);
    expect(readFileSync(file).equals(Buffer.from(content))).toBe(true);
  });

  // The wording is the parser's own and differs between versions of Node.
  test.each<{name: string; content: string | Buffer; place: RegExp}>([
    {name: 'UTF-16', content: Buffer.from('{"a":1}', 'utf16le'), place: /\(line 1,? column 2\)$/},
    {name: 'a binary', content: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0]), place: /ELF/},
    {name: 'a torn object', content: '{\n  "a": [1,\n', place: /end of JSON input/},
    {name: 'two values', content: '{}\n{}', place: /\(line 2,? column 1\)$/},
    {name: 'a typo', content: '{\n  "a": 1\n  "b": 2\n}', place: /\(line 3,? column 3\)$/},
  ])('refuses $name as invalid JSON, and says where', async ({content, place}) => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, content);
    const {code, message} = await rejectionOf(openFile(file).read());
    expect(code).toBe('E_STORE_CORRUPT');
    expect(message.startsWith(`the record ${file} cannot be used: it is not valid JSON: `)).toBe(true);
    expect(message).toMatch(place);
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  });

  test('accepts an object 64 levels deep, and can write it back', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, nested(64));
    const durable = openFile(file);
    const value = await durable.read();
    await durable.write({...value, b: 1});
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({...JSON.parse(nested(64)), b: 1});
  });

  test.each([
    {bytes: 1024 * 1024, reason: null},
    {bytes: 1024 * 1024 + 1, reason: 'it is larger than 1 MiB'},
  ])('of $bytes bytes: $reason', async ({bytes, reason}) => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, `{"a":"${'x'.repeat(bytes - 8)}"}`);
    expect(statSync(file).size).toBe(bytes);
    if (reason === null) expect(Object.keys((await openFile(file).read()) ?? {})).toEqual(['a']);
    else expect(seen(await rejectionOf(openFile(file).read()))).toEqual(corruption(file, reason));
  });

  test('refuses a folder', async () => {
    const folder = temporaryFolder();
    expect(seen(await rejectionOf(openFile(folder).read()))).toEqual(
      corruption(folder, 'it is not a regular file'),
    );
  });

  test('refuses a pipe at once, instead of waiting for a writer', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    execFileSync('mkfifo', [file]);
    expect(seen(await rejectionOf(openFile(file).read()))).toEqual(
      corruption(file, 'it is not a regular file'),
    );
  });

  test('reports what its own reader found wrong', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, '{"a":1}');
    const strict = new DurableFile<Value>({
      file,
      what: 'record',
      maxBytes: 100,
      parse: () => {
        throw new Error('a: too small');
      },
      render: () => '',
    });
    expect(seen(await rejectionOf(strict.read()))).toEqual(corruption(file, 'a: too small'));
  });

  test('quotes a file name with shell characters so that it can be typed', async () => {
    const file = path.join(temporaryFolder(), "it's; x.json");
    writeFileSync(file, '');
    const {next} = await rejectionOf(openFile(file).read());
    const typed = `'${file.replace("'", String.raw`'\''`)}'`;
    expect(next.map(({command}) => command)).toEqual([`mv ${typed} ${typed}.broken`]);
    expect(spawnSync('sh', ['-c', next[0]?.command ?? '']).status).toBe(0);
    expect(existsSync(`${file}.broken`)).toBe(true);
  });

  test('where a folder should be on the path is reported, not thrown', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a'), '');
    expect((await rejectionOf(openFile(path.join(folder, 'a', 'x.json')).read())).code).toBe('E_STORE_READ');
  });
});

describe('writing', () => {
  test('creates a private file, whatever the umask, and nothing beside it', async () => {
    const folder = temporaryFolder();
    const mask = process.umask(0);
    onTestFinished(() => {
      process.umask(mask);
    });
    await openFile(path.join(folder, 'x.json')).write({a: 1});
    expect([readdirSync(folder), modeOf(path.join(folder, 'x.json'))]).toEqual([['x.json'], '600']);
    expect(readFileSync(path.join(folder, 'x.json'), 'utf8')).toBe('{\n  "a": 1\n}\n');
  });

  test("a new file of the user's gets the mode that any program would give it", async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    await writeDurably(file, '{}', {keepMode: true});
    const other = path.join(temporaryFolder(), 'other');
    writeFileSync(other, '');
    expect(modeOf(file)).toBe(modeOf(other));
  });

  test.each([
    {keepMode: false, mode: '600'},
    {keepMode: true, mode: '664'},
  ])('over an existing file, with keepMode $keepMode, leaves mode $mode', async ({keepMode, mode}) => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, '{}');
    chmodSync(file, 0o664);
    const durable = openFile(file, {keepMode});
    await durable.read();
    await durable.write({a: 1});
    expect(modeOf(file)).toBe(mode);
  });

  test('keeps unknown fields in place', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, '{"10":1.0, "future" : [1,2],\n"a":1}\n');
    const durable = openFile(file);
    const value = await durable.read();
    await durable.write({...value, a: 2});
    expect(readFileSync(file, 'utf8')).toBe('{"10":1.0, "future" : [1,2],\n"a":2}\n');
  });

  test('replaces the file as a whole: a reader with the old one open keeps it', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'x.json');
    writeFileSync(file, '{"a":1}');
    linkSync(file, path.join(folder, 'kept'));
    await openFile(file).write({a: 2});
    expect(readFileSync(path.join(folder, 'kept'), 'utf8')).toBe('{"a":1}');
  });

  test('large texts arrive whole', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    const value = {text: 'é😀'.repeat(2_000_000)};
    await openFile(file).write(value);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(value);
  });

  test('many at once in one process leave one of them, whole, and nothing beside it', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'x.json');
    await Promise.all(
      Array.from({length: 50}, (_, index) => openFile(file).write({index, pad: 'x'.repeat(index * 100)})),
    );
    const {index, pad} = (await openFile(file).read()) as {index: number; pad: string};
    expect([pad.length, readdirSync(folder)]).toEqual([index * 100, ['x.json']]);
  });

  test.each([
    {name: 'a link', make: (file: string) => symlinkSync('victim.json', file), victim: '{"secret":1}'},
    {name: 'a link to nothing', make: (file: string) => symlinkSync('victim.json', file), victim: null},
  ])('is refused through $name', async ({make, victim}) => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'x.json');
    if (victim !== null) writeFileSync(path.join(folder, 'victim.json'), victim);
    make(file);
    expect(seen(await rejectionOf(openFile(file).write({a: 1})))).toEqual({
      code: 'E_STORE_UNSAFE',
      message: `${file} is a symbolic link; Blackbird does not write through it`,
      details: [],
      next: [{command: `ls -l ${file}`, why: 'see where it leads; a plain file can be written'}],
    });
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(existsSync(path.join(folder, 'victim.json'))).toBe(victim !== null);
    if (victim !== null) expect(readFileSync(path.join(folder, 'victim.json'), 'utf8')).toBe(victim);
  });

  test.each<{name: string; make: (file: string) => void; reason: string; look?: string}>([
    {name: 'a folder', make: (file) => mkdirSync(file), reason: 'it is not a regular file'},
    {name: 'a pipe', make: (file) => void execFileSync('mkfifo', [file]), reason: 'it is not a regular file'},
    {
      name: 'a file its owner may not write',
      make: (file) => writeFileSync(file, '{}', {mode: 0o444}),
      reason: 'permission denied',
      look: 'ls -la',
    },
  ])('is refused over $name', async ({make, reason, look}) => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'x.json');
    make(file);
    const before = lstatSync(file, {bigint: true});
    expect(seen(await rejectionOf(openFile(file).write({a: 1})))).toEqual({
      code: 'E_STORE_WRITE',
      message: `cannot write the record ${file}: ${reason}; nothing was changed`,
      details: [],
      next: look
        ? [{command: `${look} ${folder}`, why: 'make it writable for you, then run the command again'}]
        : [],
    });
    expect([readdirSync(folder), lstatSync(file, {bigint: true})]).toEqual([['x.json'], before]);
  });

  test.each([
    {name: 'no folder', file: 'gone/x.json', reason: /its folder does not exist/},
    {name: 'a name that is too long', file: `${'x'.repeat(240)}.json`, reason: /the name is too long/},
    {name: 'NUL in the name', file: 'a\0b', reason: /null bytes/},
  ])('with $name is refused', async ({file, reason}) => {
    const error = await rejectionOf(openFile(path.join(temporaryFolder(), file)).write({a: 1}));
    expect(error.code).toBe('E_STORE_WRITE');
    expect(error.message).toMatch(reason);
    expect(error.message.endsWith('; nothing was changed')).toBe(true);
  });

  test.each<{name: string; plant: (place: string, victim: string) => void}>([
    {name: 'a link', plant: (place, victim) => symlinkSync(victim, place)},
    {name: 'a second name of another file', plant: (place, victim) => linkSync(victim, place)},
  ])('never goes through $name in place of its temporary file', async ({plant}) => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'x.json');
    const victim = path.join(folder, 'victim');
    const planted = path.join(folder, `.x.json.${process.pid}.800000000000.tmp`);
    writeFileSync(file, '{"a":1}');
    writeFileSync(victim, 'precious');
    plant(planted, victim);
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const error = await writeDurably(file, '{"a":2}').catch(systemErrorCode);
    expect([error, readFileSync(file, 'utf8'), readFileSync(victim, 'utf8'), existsSync(planted)]).toEqual([
      'EEXIST',
      '{"a":1}',
      'precious',
      true,
    ]);
  });

  test('after a failure works when the cause is gone', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    writeFileSync(file, '{"a":1}', {mode: 0o400});
    const durable = openFile(file);
    await durable.read();
    await rejectionOf(durable.write({a: 2}));
    chmodSync(file, 0o600);
    await durable.write({a: 2});
    expect(readFileSync(file, 'utf8')).toBe('{"a":2}\n');
  });
});

describe('left-over temporary files', () => {
  const leftover = (pid: number, digits = '0123456789ab') => `.x.json.${pid}.${digits}.tmp`;

  async function afterWriteBeside(names: readonly string[]): Promise<string[]> {
    const folder = temporaryFolder();
    for (const name of [...names, 'x.json']) writeFileSync(path.join(folder, name), '{"torn": tru');
    writeFileSync(path.join(folder, 'x.json'), '{}');
    const durable = openFile(path.join(folder, 'x.json'));
    expect(await durable.read()).toEqual({});
    await durable.write({a: 1});
    expect(readFileSync(path.join(folder, 'x.json'), 'utf8')).toBe(
      '{"a":1}\n'.replace('{"a":1}', '{\n  "a": 1\n}'),
    );
    return readdirSync(folder).filter((name) => name !== 'x.json');
  }

  test('of a dead writer are ignored, and removed by the next write', async () => {
    const {pid} = spawnSync('true');
    expect(await afterWriteBeside([leftover(pid)])).toEqual([]);
  });

  test('with the pid of this very process are from an earlier process, and removed', async () => {
    expect(await afterWriteBeside([leftover(process.pid)])).toEqual([]);
  });

  test('of a live writer are left alone', async () => {
    const other = spawn('sleep', ['60']);
    onTestFinished(() => {
      other.kill('SIGKILL');
    });
    const name = leftover(other.pid ?? 0);
    expect(await afterWriteBeside([name])).toEqual([name]);
  });

  test('of a live writer of another user are left alone', async () => {
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), {code: 'EPERM'});
    });
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const name = leftover(1);
    expect(await afterWriteBeside([name])).toEqual([name]);
  });

  test('of another file, or that Blackbird did not create, are left alone', async () => {
    const {pid} = spawnSync('true');
    const names = [
      `.y.json.${pid}.0123456789ab.tmp`,
      `.x.json.${pid}.tmp`,
      '.x.json.tmp',
      'x.json.bak',
    ].sort();
    expect(await afterWriteBeside(names)).toEqual(names);
  });

  test('that cannot be removed do not stop a write', async () => {
    const {pid} = spawnSync('true');
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, leftover(pid)));
    const file = path.join(folder, 'x.json');
    writeFileSync(file, '{}');
    const durable = openFile(file);
    await durable.read();
    await durable.write({a: 1});
    expect(readdirSync(folder)).toEqual([leftover(pid), 'x.json']);
  });
});

test('a file is removed, a missing one is no error, and one that cannot be removed is', async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, 'record.json');
  writeFileSync(file, '{}');
  await removeDurably(file);
  expect(existsSync(file)).toBe(false);
  await removeDurably(file);
  mkdirSync(file);
  expect((await rejectionOf(removeDurably(file))).code).toBe('E_STORE_WRITE');
});

describe('ensurePrivateFolder', () => {
  test('creates a private folder', async () => {
    const folder = path.join(temporaryFolder(), 'state');
    const mask = process.umask(0);
    onTestFinished(() => {
      process.umask(mask);
    });
    await ensurePrivateFolder(folder);
    await ensurePrivateFolder(folder);
    expect([statSync(folder).isDirectory(), modeOf(folder)]).toEqual([true, '700']);
  });

  test.each<{name: string; kind: string; make: (folder: string) => void}>([
    {name: 'a link to a folder', kind: 'a symbolic link', make: (folder) => symlinkSync('/tmp', folder)},
    {name: 'a link to nothing', kind: 'a symbolic link', make: (folder) => symlinkSync('gone', folder)},
    {name: 'a file', kind: 'not a folder', make: (folder) => writeFileSync(folder, '')},
  ])('refuses $name', async ({kind, make}) => {
    const folder = path.join(temporaryFolder(), 'state');
    make(folder);
    expect(seen(await rejectionOf(ensurePrivateFolder(folder)))).toEqual({
      code: 'E_STORE_UNSAFE',
      message: `${folder} is ${kind}; Blackbird writes only into a real folder`,
      details: [],
      next: [{command: `ls -ld ${folder}`, why: 'see what it is, then move it aside'}],
    });
  });

  test('says so when the parent folder is missing', async () => {
    const folder = path.join(temporaryFolder(), 'gone', 'state');
    expect((await rejectionOf(ensurePrivateFolder(folder))).code).toBe('E_STORE_WRITE');
  });
});

describe('versionOf', () => {
  test('is the same until the file is written, and null without a file', async () => {
    const file = path.join(temporaryFolder(), 'x.json');
    expect(versionOf(file)).toBeNull();
    await writeDurably(file, 'a');
    const first = versionOf(file);
    expect(versionOf(file)).toBe(first);
    await writeDurably(file, 'b');
    expect(versionOf(file)).not.toBe(first);
    rmSync(file);
    expect(versionOf(file)).toBeNull();
    expect(versionOf(path.join(file, 'x'))).toBeNull();
  });

  test('of a link to itself is reported, not thrown', () => {
    const file = path.join(temporaryFolder(), 'x.json');
    symlinkSync('x.json', file);
    expect(errorOf(() => versionOf(file)).code).toBe('E_STORE_READ');
  });
});

describe.skipIf(!canMount)('a full disk (needs the right to mount)', () => {
  test('at any size leaves the old content and nothing else, says why, and works when there is space', async () => {
    const folder = mountTmpfs(path.join(temporaryFolder(), 'small'), 'size=64k,mode=700');
    const file = path.join(folder, 'x.json');
    const ballast = path.join(folder, 'ballast');
    writeFileSync(file, '{"state":"old"}');
    const outcomes = new Set<string>();
    for (let pages = 0; pages <= 15; pages++) {
      writeFileSync(file, '{"state":"old"}');
      writeFileSync(ballast, Buffer.alloc(pages * 4096));
      const durable = openFile(file);
      await durable.read();
      const error = await durable.write({state: 'new', pad: 'x'.repeat(30_000)}).then(
        () => null,
        (cause: unknown) => cause,
      );
      outcomes.add(error === null ? 'written' : String(error));
      expect(readdirSync(folder).sort()).toEqual(['ballast', 'x.json']);
      if (error !== null) expect(readFileSync(file, 'utf8')).toBe('{"state":"old"}');
      rmSync(ballast);
      await durable.write({state: 'new', pad: 'x'.repeat(30_000)});
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({state: 'new', pad: 'x'.repeat(30_000)});
    }
    expect([...outcomes]).toEqual([
      'written',
      `AppError: cannot write the record ${file}: the disk is full; nothing was changed`,
    ]);
  });

  test('of names: no file can be created, the old one stays', async () => {
    const folder = mountTmpfs(path.join(temporaryFolder(), 'small'), 'size=1m,nr_inodes=2,mode=700');
    const file = path.join(folder, 'x.json');
    writeFileSync(file, '{"state":"old"}');
    const error = await rejectionOf(openFile(file).write({state: 'new'}));
    expect([error.message, readFileSync(file, 'utf8')]).toEqual([
      `cannot write the record ${file}: the disk is full; nothing was changed`,
      '{"state":"old"}',
    ]);
  });
});

describe.skipIf(!canMount)('a read-only file system (needs the right to mount)', () => {
  test('is read, and refuses every write with the reason', async () => {
    const folder = mountTmpfs(path.join(temporaryFolder(), 'fixed'), 'size=64k,mode=700');
    const file = path.join(folder, 'x.json');
    writeFileSync(file, '{"state":"old"}');
    remount(folder, 'ro');
    const durable = openFile(file);
    expect(await durable.read()).toEqual({state: 'old'});
    expect((await rejectionOf(durable.write({state: 'new'}))).message).toBe(
      `cannot write the record ${file}: the file system is read-only; nothing was changed`,
    );
    expect((await rejectionOf(ensurePrivateFolder(path.join(folder, 'state')))).message).toBe(
      `cannot write the folder ${path.join(folder, 'state')}: the file system is read-only; nothing was changed`,
    );
    expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([['x.json'], '{"state":"old"}']);
  });
});

test('parseJson accepts only objects', () => {
  expect(parseJson('{"a": [null]}')).toEqual({a: [null]});
});
