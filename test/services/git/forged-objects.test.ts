import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {deflateSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import type {Git} from '../../../src/services/git/safe-git.ts';
import {verifyObjects} from '../../../src/services/git/verify-objects.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {type TestRepository, testRepository} from './test-repository.ts';

const objectsOf = ({folder}: TestRepository) => path.join(folder, '.blackbird/changes/objects');
const blob = (text: string) => Buffer.from(`blob ${Buffer.byteLength(text)}\0${text}`);
const idOf = (object: Buffer) => createHash('sha1').update(object).digest('hex');
/** A folder with one file, `a`. */
const tree = (text: string) =>
  Buffer.concat([Buffer.from(['tree 29', '100644 a', ''].join('\0')), Buffer.from(idOf(blob(text)), 'hex')]);

/** A loose object with the name of another. */
function forgeSingle(repository: TestRepository, named: Buffer, held: Buffer): void {
  putSingle(objectsOf(repository), named, held);
}

function putSingle(objects: string, named: Buffer, held: Buffer): void {
  const id = idOf(named);
  const file = path.join(objects, id.slice(0, 2), id.slice(2));
  mkdirSync(path.dirname(file), {recursive: true});
  rmSync(file, {force: true});
  writeFileSync(file, deflateSync(held));
}

/** The same in a pack, where git looks first. */
function forgePack(repository: TestRepository, named: Buffer, held: Buffer): void {
  const elsewhere = testRepository({folder: path.join(temporaryFolder(), 'pack')});
  elsewhere.write('held', held.subarray(held.indexOf(0) + 1));
  elsewhere.git('add', 'held');
  const packs = path.join(objectsOf(repository), 'pack');
  mkdirSync(packs, {recursive: true});
  execFileSync('git', ['pack-objects', '-q', path.join(packs, 'pack')], {
    cwd: elsewhere.folder,
    env: elsewhere.env,
    input: `${idOf(held)}\n`,
  });
  const name = readdirSync(packs).find((each) => each.endsWith('.idx')) ?? '';
  const file = path.join(packs, name);
  const index = readFileSync(file);
  const [fanout, ids] = [8, 8 + 256 * 4];
  const first = Number.parseInt(idOf(named).slice(0, 2), 16);
  for (let byte = 0; byte < 256; byte++) index.writeUInt32BE(byte >= first ? 1 : 0, fanout + byte * 4);
  index.write(idOf(named), ids, 'hex');
  createHash('sha1')
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  chmodSync(file, 0o600);
  writeFileSync(file, index);
}

/** A git one of whose commands is killed this many times before it does its work. */
function withKilledGit(command: string, times: number): Record<string, string> {
  const folder = temporaryFolder();
  const real = execFileSync('sh', ['-c', 'command -v git'], {encoding: 'utf8'}).trim();
  const killing = `for n in $(seq ${times}); do mkdir "${folder}/$n" 2>/dev/null && kill -INT $$; done`;
  const script = `#!/bin/sh\n[ "$1" = ${command} ] && ${killing}\nexec ${real} "$@"\n`;
  writeFileSync(path.join(folder, 'git'), script, {mode: 0o755});
  return {PATH: `${folder}:${process.env.PATH}`};
}

const shown = /does not match its name: it was forged/;

describe('an object whose content does not match its name', () => {
  test('prepared by the agent: neither summary nor diff shows what never existed', async () => {
    const repository = testRepository();
    const {write, tracker} = repository;
    write('a', 'kind\n');
    const tracked = tracker();
    const from = await tracked.snapshot();
    forgeSingle(repository, blob('evil\n'), blob('kind, too\n'));
    write('a', 'evil\n');
    const to = await tracked.snapshot(from);
    const summary = await tracked.summarize(from, to);
    expect({files: summary.files, snippets: summary.snippets}).toEqual({files: [], snippets: []});
    expect(summary.note).toMatch(shown);
    const refused = await rejectionOf(tracked.diff(from ?? '', to ?? '', {stat: false}));
    expect(refused).toMatchObject({
      code: 'E_DIFF_UNAVAILABLE',
      message: expect.stringMatching(shown),
      next: [{command: 'git diff'}, {command: 'git fsck'}],
    });
  });

  test('in a pack next to the genuine loose one: git reads the pack, and so does the check', async () => {
    const repository = testRepository();
    const {write, tracker} = repository;
    write('a', 'kind\n');
    const tracked = tracker();
    const from = await tracked.snapshot();
    forgePack(repository, blob('evil\n'), blob('kind, too\n'));
    forgeSingle(repository, blob('evil\n'), blob('evil\n'));
    write('a', 'evil\n');
    const {files, snippets, note} = await tracked.summarize(from, await tracked.snapshot(from));
    expect({files, snippets}).toEqual({files: [], snippets: []});
    expect(note).toMatch(shown);
  });

  test('in the repository: it is not kept, and a repaired repository shows the change', async () => {
    const repository = testRepository();
    const {write, tracker, folder} = repository;
    write('a', 'kind\n');
    const tracked = tracker();
    const from = await tracked.snapshot();
    const own = path.join(folder, '.git/objects');
    putSingle(own, blob('evil\n'), blob('kind, too\n'));
    write('a', 'evil\n');
    const to = await tracked.snapshot(from);
    expect((await tracked.summarize(from, to)).note).toMatch(shown);
    putSingle(own, blob('evil\n'), blob('evil\n'));
    expect((await tracker().summarize(from, to)).files).toEqual(['a']);
  });

  test('is not shown when the check is kept from finishing', async () => {
    const repository = testRepository();
    const {write, tracker} = repository;
    write('a', 'kind\n');
    const {from, to} = await repository.change(() => write('a', 'evil\n'));
    const killed = (times: number) => tracker({env: withKilledGit('cat-file', times)});
    expect((await killed(1).summarize(from, to)).files).toEqual(['a']);
    expect(await killed(3).summarize(from, to)).toMatchObject({
      files: [],
      snippets: [],
      note: 'git cat-file was interrupted',
    });
  });

  test.each([
    {name: 'in place of the genuine one', forge: forgeSingle},
    {name: 'in a pack next to it', forge: forgePack},
  ])('made later, $name: nothing is shown, undone or committed with it', async ({forge}) => {
    const repository = testRepository();
    const {write, tracker} = repository;
    write('a', 'kind\n');
    const {from, to} = await repository.change(() => write('a', 'evil\n'));
    forge(repository, blob('evil\n'), blob('kind, too\n'));
    const [before, after] = [from ?? '', to ?? ''];
    const trees = {from: before, to: after};
    for (const asked of [
      () => tracker().diff(before, after, {stat: false}),
      () => tracker().files(before, after),
      () => tracker().compose([trees, trees]),
      () => tracker().planUndo(trees, {isForced: true}),
    ])
      expect((await rejectionOf(asked())).message).toMatch(shown);
    const head = repository.git('rev-parse', 'HEAD');
    const mark = {trailer: 'Blackbird-Run', value: 'a-1'};
    expect(await tracker().commit(trees, {message: 'Do it\n', mark})).toEqual({
      skipped: expect.stringMatching(shown),
    });
    expect(repository.git('rev-parse', 'HEAD')).toBe(head);
  });

  test('a tree that hides what was changed in it', async () => {
    const repository = testRepository();
    const {write, tracker} = repository;
    write('src/a', 'kind\n');
    const {from, to} = await repository.change(() => write('src/a', 'evil\n'));
    forgeSingle(repository, tree('evil\n'), tree('kind\n'));
    const refused = await rejectionOf(tracker().files(from ?? '', to ?? ''));
    expect(refused.message).toMatch(shown);
  });
});

describe('what git reads', () => {
  const object = (content: string, algorithm: string, kind = 'blob') => {
    const body = Buffer.from(content);
    const id = createHash(algorithm).update(`${kind} ${body.length}\0`).update(body).digest('hex');
    return {
      id,
      text: Buffer.concat([Buffer.from(`${id} ${kind} ${body.length}\n`), body, Buffer.from('\n')]),
    };
  };
  /** Checks an output of `cat-file --batch` that arrives in two parts. */
  const checked = (output: Buffer, at: number) => {
    const git = {
      pour: async (_: unknown, input: () => Promise<string>, newTaker: () => (chunk: Buffer) => void) => {
        await input();
        const take = newTaker();
        for (const part of [output.subarray(0, at), output.subarray(at)]) take(part);
      },
    } as unknown as Git;
    return verifyObjects(git, async () => new Set());
  };

  test.each(['sha1', 'sha256'])('is checked wherever it is cut in two: %s', async (algorithm) => {
    const objects = [object('one\n', algorithm), object('', algorithm), object('two', algorithm, 'tree')];
    const whole = Buffer.concat(objects.map(({text}) => text));
    const forged = Buffer.from(whole.toString('latin1').replace('two', 'twO'), 'latin1');
    for (let at = 0; at <= whole.length; at++) {
      await checked(whole, at);
      await expect(checked(forged, at)).rejects.toThrow(`git object ${objects[2]?.id} does not match`);
    }
  });

  test('must be there', async () => {
    const {id} = object('gone', 'sha1');
    await expect(checked(Buffer.from(`${id} missing\n`), 3)).rejects.toThrow(`bad object ${id}`);
  });
});
