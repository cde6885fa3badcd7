import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {createMemoryRuns} from '../../../src/services/memory/memory-stores.ts';
import {createRunStore} from '../../../src/services/stores/run-store.ts';
import {taskFolderName} from '../../../src/services/stores/task-folder.ts';
import {createMemoryRunStore} from '../../fakes/memory-run-store.ts';
import {runRecord} from '../../fakes/runs.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {describeRunRecords, describeRunStore} from './run-store.contract.ts';

const modeOf = (file: string) => statSync(file).mode & 0o777;
const textOf = (file: string) => readFileSync(file, 'utf8');

function openFolder() {
  const folder = path.join(temporaryFolder(), 'runs');
  const store = createRunStore({folder});
  const own = (taskId: string) => path.join(folder, taskFolderName(taskId));
  return {
    folder,
    store,
    own,
    reopen: () => createRunStore({folder}),
    put: (taskId: string, fileName: string, text: string) => {
      mkdirSync(own(taskId), {recursive: true});
      writeFileSync(path.join(own(taskId), fileName), text);
    },
    text: (taskId: string, fileName: string) => {
      try {
        return textOf(path.join(own(taskId), fileName));
      } catch {
        return undefined;
      }
    },
  };
}

describeRunStore('on disk', openFolder);

describeRunStore('in memory', () => {
  const store = createMemoryRunStore();
  return {
    store,
    reopen: () => store,
    put: (taskId, fileName, text) => {
      store.texts.set(taskId, (store.texts.get(taskId) ?? new Map()).set(fileName, text));
    },
    text: (taskId, fileName) => store.texts.get(taskId)?.get(fileName),
  };
});

describeRunRecords('in a simulation', () => {
  const store = createMemoryRuns();
  return {store, reopen: () => store};
});

describe('files', () => {
  test('are private and stored where docs/files.md says', async () => {
    const {folder, store} = openFolder();
    await store.insert(runRecord());
    await store.update('a', 'a-1', (run) => ({...run, stdout: 'x'}));
    expect(store.files('a', 'a-1')).toEqual({
      record: path.join(folder, 'a', 'a-1.json'),
      stdout: path.join(folder, 'a', 'a-1.stdout.log'),
      times: path.join(folder, 'a', 'a-1.times.log'),
      stderr: path.join(folder, 'a', 'a-1.stderr.log'),
      journal: path.join(folder, 'a', 'a-1.journal.jsonl'),
    });
    expect(modeOf(folder)).toBe(0o700);
    expect(modeOf(path.join(folder, 'a'))).toBe(0o700);
    expect(modeOf(path.join(folder, 'a', 'a-1.json'))).toBe(0o600);
    expect(readdirSync(path.join(folder, 'a'))).toEqual(['a-1.json']);
  });

  test('contain readable JSON', async () => {
    const {store} = openFolder();
    await store.insert(runRecord());
    expect(textOf(store.files('a', 'a-1').record)).toBe(`${JSON.stringify(runRecord(), null, 2)}\n`);
  });

  test('of every task are inside the folder, one level deep', async () => {
    const {folder, store} = openFolder();
    const ids = ['..', '../../etc', '/etc', 'a/../../b', '\0', 'con', 'x'.repeat(5_000)];
    for (const id of ids) await store.insert(runRecord({task_id: id, run_id: 'r-1'}));
    expect(readdirSync(path.dirname(folder))).toEqual(['runs']);
    const found = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter((name) =>
      name.endsWith('.json'),
    );
    expect(found).toHaveLength(ids.length);
    expect(found.filter((name) => name.split(path.sep).length !== 2)).toEqual([]);
  });

  test('that another Blackbird changed are read again', async () => {
    const {folder, store} = openFolder();
    const other = createRunStore({folder});
    await other.insert(runRecord());
    expect((await store.latest('a'))?.stdout).toBe('');
    await other.update('a', 'a-1', (run) => ({...run, stdout: 'theirs', state: 'paused'}));
    expect((await store.latest('a'))?.stdout).toBe('theirs');
    expect(await store.update('a', 'a-1', (run) => ({...run, stderr: 'ours'}))).toMatchObject({
      stdout: 'theirs',
      stderr: 'ours',
    });
    expect((await other.latest('a'))?.stderr).toBe('ours');
  });

  test('of an open run of this Blackbird keep its content, even when changed or removed by others', async () => {
    const {store, own, put, text, folder} = openFolder();
    await store.insert(runRecord({state: 'running'}));
    put('a', 'a-1.json', JSON.stringify(runRecord({state: 'succeeded', stdout: 'forged'})));
    expect(await store.latest('a')).toEqual(runRecord({state: 'running'}));
    expect(store.isAsWritten('a', 'a-1')).toBe(false);
    for (const removed of [own('a'), folder]) {
      rmSync(removed, {recursive: true});
      const stdout = `after ${path.basename(removed)}`;
      await store.update('a', 'a-1', (run) => ({...run, stdout}));
      expect(JSON.parse(text('a', 'a-1.json') ?? '')).toEqual(runRecord({state: 'running', stdout}));
    }
    rmSync(folder, {recursive: true});
    await store.restore(runRecord({state: 'running'}));
    expect(JSON.parse(text('a', 'a-1.json') ?? '')).toEqual(runRecord({state: 'running'}));
    expect(store.isAsWritten('a', 'a-1')).toBe(true);
  });

  test('of an open run of another Blackbird are gone once removed', async () => {
    const {store, own, reopen} = openFolder();
    const other = reopen();
    await other.insert(runRecord({state: 'running'}));
    expect(await store.latest('a')).toMatchObject({state: 'running'});
    await other.update('a', 'a-1', (run) => ({...run, stdout: 'theirs'}));
    expect(store.isAsWritten('a', 'a-1')).toBe(true);
    rmSync(path.join(own('a'), 'a-1.json'));
    expect(await rejectionOf(store.update('a', 'a-1', (run) => run))).toMatchObject({
      code: 'E_RUN_NOT_FOUND',
    });
  });

  test('that could not be written keep their old content for the next reader', async () => {
    const {store, own} = openFolder();
    await store.insert(runRecord());
    const file = path.join(own('a'), 'a-1.json');
    chmodSync(file, 0o400);
    const change = store.update('a', 'a-1', (run) => ({...run, stdout: 'lost'}));
    expect((await rejectionOf(change)).code).toBe('E_STORE_WRITE');
    chmodSync(file, 0o600);
    expect((await store.latest('a'))?.stdout).toBe('');
    expect(await store.update('a', 'a-1', (run) => ({...run, stderr: 'kept'}))).toEqual(
      runRecord({stderr: 'kept'}),
    );
  });

  test('that ended are not kept in memory', async () => {
    const {store} = openFolder();
    await store.insert(runRecord());
    expect(await store.latest('a')).toBe(await store.latest('a'));
    await store.update('a', 'a-1', (run) => ({...run, state: 'failed'}));
    expect(await store.latest('a')).not.toBe(await store.latest('a'));
  });

  test('of thousands of finished tasks are skipped quickly', async () => {
    const {store, put} = openFolder();
    const ended = JSON.stringify({...runRecord({state: 'succeeded'}), stdout: 'x'.repeat(20_000)}, null, 2);
    for (let count = 0; count < 2_000; count++) put(`task-${count}`, 'a-1.json', ended);
    await store.insert(runRecord({task_id: 'b', run_id: 'b-1'}));
    const began = process.cpuUsage();
    expect(await store.runningTaskIds()).toEqual(['b']);
    // CPU time, so that a busy machine does not fail it.
    const {user, system} = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });

  test('that are temporary, a link or a pipe are not running tasks', async () => {
    const {store, own, put} = openFolder();
    const text = JSON.stringify(runRecord({state: 'running'}), null, 2);
    put('a', '.a-1.json.1.0123456789ab.tmp', text);
    symlinkSync('.a-1.json.1.0123456789ab.tmp', path.join(own('a'), 'a-1.json'));
    execFileSync('mkfifo', [path.join(own('a'), 'a-2.json')]);
    expect(await store.runningTaskIds()).toEqual([]);
  });

  test('that contain another run are reported as such', async () => {
    const {store, own, put} = openFolder();
    put('a', 'a-1.json', JSON.stringify(runRecord({run_id: 'a-2'})));
    put('a', 'a-3.json', '{"run_id": "a-3"}');
    const {runs, broken} = await store.list('a');
    expect([runs, broken]).toEqual([
      [],
      [
        {file: path.join(own('a'), 'a-1.json'), reason: 'it is the record of another run, "a-2"'},
        {file: path.join(own('a'), 'a-3.json'), reason: expect.stringMatching(/^schema_version: /)},
      ],
    ]);
  });

  test('that are deleted are gone', async () => {
    const {store} = openFolder();
    await store.insert(runRecord({state: 'paused'}));
    execFileSync('rm', [store.files('a', 'a-1').record]);
    expect(await store.latest('a')).toBeNull();
    expect((await rejectionOf(store.update('a', 'a-1', (run) => ({...run, stdout: 'x'})))).code).toBe(
      'E_RUN_NOT_FOUND',
    );
  });
});

describe('never leaves its folder', () => {
  test('a task folder that is a link is refused for writing', async () => {
    const {folder, store, own} = openFolder();
    const outside = temporaryFolder();
    mkdirSync(folder, {recursive: true});
    symlinkSync(outside, own('a'));
    expect((await rejectionOf(store.insert(runRecord()))).code).toBe('E_STORE_UNSAFE');
    expect(readdirSync(outside)).toEqual([]);
  });

  test('a record behind such a link is not changed', async () => {
    const {folder, store, own} = openFolder();
    const outside = temporaryFolder();
    mkdirSync(folder, {recursive: true});
    symlinkSync(outside, own('a'));
    const text = JSON.stringify(runRecord());
    writeFileSync(path.join(outside, 'a-1.json'), text);
    const refusal = await rejectionOf(store.update('a', 'a-1', (run) => ({...run, stdout: 'x'})));
    expect(refusal.code).toBe('E_STORE_UNSAFE');
    expect(textOf(path.join(outside, 'a-1.json'))).toBe(text);
  });

  test('a record that is a link is not written through', async () => {
    const {store, own} = openFolder();
    await store.insert(runRecord());
    const target = path.join(temporaryFolder(), 'target.json');
    const text = JSON.stringify(runRecord({run_id: 'a-2', attempt: 2}));
    writeFileSync(target, text);
    symlinkSync(target, path.join(own('a'), 'a-2.json'));
    const refusal = await rejectionOf(store.update('a', 'a-2', (run) => ({...run, stdout: 'x'})));
    expect(refusal.code).toBe('E_STORE_UNSAFE');
    expect(textOf(target)).toBe(text);
  });
});

describe('what is not a record', () => {
  test('a pipe is named and does not block', async () => {
    const {store, own} = openFolder();
    await store.insert(runRecord());
    execFileSync('mkfifo', [path.join(own('a'), 'pipe.json')]);
    expect((await store.list('a')).broken).toEqual([
      {file: path.join(own('a'), 'pipe.json'), reason: 'it is not a regular file'},
    ]);
  });

  test('a folder is named', async () => {
    const {store, own} = openFolder();
    await store.insert(runRecord());
    mkdirSync(path.join(own('a'), 'folder.json'));
    expect((await store.list('a')).broken).toMatchObject([{file: path.join(own('a'), 'folder.json')}]);
    expect((await store.list('a')).runs).toEqual([runRecord()]);
  });

  test.each([
    {bytes: 8 * 1024 * 1024, broken: 0},
    {bytes: 8 * 1024 * 1024 + 1, broken: 1},
  ])('a file of $bytes bytes is broken = $broken', async ({bytes, broken}) => {
    const {store, put} = openFolder();
    const text = JSON.stringify(runRecord());
    put('a', 'a-1.json', text.padEnd(bytes, ' '));
    expect((await store.list('a')).broken).toHaveLength(broken);
  });

  test('a task folder that is a file is an error with its name', async () => {
    const {folder, store, own} = openFolder();
    mkdirSync(folder, {recursive: true});
    writeFileSync(own('a'), 'hello');
    const refusal = await rejectionOf(store.list('a'));
    expect(refusal.code).toBe('E_STORE_READ');
    expect(refusal.message).toContain(own('a'));
  });
});
