import fs, {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {isRunId} from '../../../src/machines/policies/session/session-names.ts';
import type {SessionMeta} from '../../../src/services/contracts/session.ts';
import {agencyDataFolder, agencyFiles} from '../../../src/services/sessions/data-folder.ts';
import {createRepoLock} from '../../../src/services/sessions/repo-lock.ts';
import {createRepoRecords} from '../../../src/services/sessions/repo-record.ts';
import {createSessionEvents} from '../../../src/services/sessions/session-events.ts';
import {createSessionStore} from '../../../src/services/sessions/session-store.ts';
import {now} from '../../helpers/plans.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const meta: SessionMeta = {
  schema_version: '1.0',
  run_id: 'r1',
  repo_id: 'repo',
  name: 'fix',
  runner: 'claude',
  parent_branch: 'main',
  branch: 'agency/fix',
  worktree_path: '/w',
  created_at: now,
  repo_root: '/r',
};

function opened() {
  const data = path.join(temporaryFolder(), 'data');
  const files = agencyFiles(data);
  return {data, files, store: createSessionStore(files, {isId: isRunId})};
}

const modeOf = (file: string) => statSync(file).mode & 0o777;
const jsonIn = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

describe('session records', () => {
  test('are private, are listed, and are gone once discarded', async () => {
    const {data, files, store} = opened();
    expect(await store.list()).toEqual([]);
    await store.prepare('repo');
    await store.prepare('repo');
    await store.create(meta);
    const file = files.metaFile('repo', 'r1');
    expect(await store.list()).toEqual([{runId: 'r1', repoId: 'repo', file, meta, problem: null}]);
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(meta, null, 2)}\n`);
    const folders = [data, files.repos, files.runs('repo'), files.worktrees('repo'), path.dirname(file)];
    expect([...folders, file].map(modeOf)).toEqual([...folders.map(() => 0o700), 0o600]);
    await expect(store.create(meta)).rejects.toMatchObject({code: 'E_PERSIST_FAILED'});
    await store.discard(meta);
    expect(await store.list()).toEqual([]);
  });

  test('of another run or repository, and unreadable ones, are listed with the reason', async () => {
    const {files, store} = opened();
    await store.prepare('repo');
    const put = (runId: string, text: string) => {
      mkdirSync(files.run('repo', runId));
      writeFileSync(files.metaFile('repo', runId), text);
    };
    put('a', JSON.stringify({...meta, run_id: 'b'}));
    put('b', JSON.stringify({...meta, run_id: 'b', repo_id: 'other'}));
    put('c', JSON.stringify({...meta, run_id: 'c', created_at: ''}));
    put('d', '[]');
    mkdirSync(files.run('repo', 'e'));
    mkdirSync(files.run('repo', '.hidden'));
    symlinkSync(files.run('repo', 'a'), files.run('repo', 'linked'));
    const foreign = 'it names another run than its folder';
    expect((await store.list()).map(({runId, problem}) => [runId, problem])).toEqual([
      ['a', foreign],
      ['b', foreign],
      ['c', expect.stringMatching(/^created_at: /)],
      ['d', 'it does not contain a JSON object'],
      ['e', 'it does not exist'],
    ]);
  });

  test('keep every other field when one is changed, also unknown ones', async () => {
    const {files, store} = opened();
    await store.prepare('repo');
    await store.create({...meta, flags: {other: 1}, future: true});
    await store.update(meta, {flags: {needs_attention: true}});
    await store.update(meta, {archive: {archived_at: now}});
    expect(jsonIn(files.metaFile('repo', 'r1'))).toEqual({
      ...meta,
      flags: {other: 1, needs_attention: true},
      future: true,
      archive: {archived_at: now},
    });
  });

  test('that are gone or cannot be written are an error', async () => {
    const {files, store} = opened();
    await store.prepare('repo');
    const gone = store.update(meta, {archive: {archived_at: now}});
    await expect(gone).rejects.toMatchObject({code: 'E_PERSIST_FAILED'});
    writeFileSync(path.join(files.repos, 'file'), '');
    await expect(store.prepare('file')).rejects.toMatchObject({code: 'E_PERSIST_FAILED'});
    await store.create(meta);
    rmSync(files.metaFile('repo', 'r1'));
    writeFileSync(path.join(files.run('repo', 'r1'), 'real.json'), JSON.stringify(meta));
    symlinkSync('real.json', files.metaFile('repo', 'r1'));
    const linked = store.update(meta, {archive: {archived_at: now}});
    await expect(linked).rejects.toMatchObject({code: 'E_PERSIST_FAILED'});
    expect(jsonIn(path.join(files.run('repo', 'r1'), 'real.json'))).toEqual(meta);
  });
});

describe('session events', () => {
  const line = (event: string, data: object = {}) => ({
    schema_version: '1.0',
    timestamp: now,
    repo_id: 'repo',
    run_id: 'r1',
    event,
    data,
  });

  test('are appended to a private file, each on the disk before it is acknowledged', async () => {
    const {files} = opened();
    const events = createSessionEvents(files, () => now);
    expect(await events.last(meta)).toBeNull();
    const steps: string[] = [];
    for (const name of ['writeSync', 'fsyncSync'] as const) {
      const real = fs[name] as (...args: unknown[]) => unknown;
      vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
        steps.push(name);
        return real(...args);
      }) as never);
    }
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    await events.append(meta, {event: 'stop', data: {}});
    expect(steps).toEqual(['writeSync', 'fsyncSync']);
    await events.append(meta, {event: 'kill_session', data: {forced: true}});
    const file = files.eventsFile('repo', 'r1');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((each) => JSON.parse(each))).toEqual([
      line('stop'),
      line('kill_session', {forced: true}),
    ]);
    expect([modeOf(file), modeOf(path.dirname(file))]).toEqual([0o600, 0o700]);
    expect(await events.last(meta)).toBe('kill_session');
  });

  test('start on a new line after one torn by a crash', async () => {
    const {files, store} = opened();
    await store.prepare('repo');
    await store.create(meta);
    const events = createSessionEvents(files, () => now);
    const file = files.eventsFile('repo', 'r1');
    writeFileSync(file, '{"event":"st');
    expect(await events.last(meta)).toBeNull();
    await events.append(meta, {event: 'stop', data: {}});
    expect(readFileSync(file, 'utf8')).toBe(`{"event":"st\n${JSON.stringify(line('stop'))}\n`);
  });

  test('are never written through a link, and the error names the file', async () => {
    const {files, store} = opened();
    await store.prepare('repo');
    await store.create(meta);
    const file = files.eventsFile('repo', 'r1');
    symlinkSync('victim', file);
    const events = createSessionEvents(files, () => now);
    await expect(events.append(meta, {event: 'stop', data: {}})).rejects.toMatchObject({
      code: 'E_PERSIST_FAILED',
      message: 'failed to append stop event',
      details: [
        ['file', file],
        ['reason', expect.stringContaining('ELOOP')],
      ],
    });
    expect(readdirSync(path.dirname(file)).sort()).toEqual(['events.jsonl', 'meta.json']);
  });
});

test('the lock of a repository is released once, and a held one names its holder', async () => {
  const {files} = opened();
  const holder = {pid: 7, since: now};
  let isHeld = false;
  let released = 0;
  const lock = createRepoLock(files, async (file) => {
    expect(file).toBe(files.lock('repo'));
    return {
      acquire: async () => {
        if (isHeld) return {acquired: false, holder} as never;
        isHeld = true;
        const release = async () => {
          released++;
          isHeld = false;
        };
        return {acquired: true, lock: {release}} as never;
      },
    } as never;
  });
  await lock.release();
  await lock.acquire('repo');
  await expect(lock.acquire('repo')).rejects.toMatchObject({
    code: 'E_REPO_LOCKED',
    message: `repo repo is locked by pid 7 since ${now} (lock file: ${files.lock('repo')})`,
  });
  await lock.release();
  await lock.release();
  expect([released, isHeld]).toEqual([1, false]);
});

test('the record of a repository keeps when it was first seen, and unknown fields', async () => {
  const {files, store} = opened();
  await store.prepare('repo');
  let time = 'first';
  const records = createRepoRecords(files, () => time);
  expect(records.rootOf('repo')).toBe('');
  const repository = {repoId: 'repo', repoKey: 'key', root: '/r', originUrl: null};
  await records.remember(repository);
  const file = files.repoFile('repo');
  writeFileSync(file, JSON.stringify({...(jsonIn(file) as object), future: 1}));
  time = 'second';
  await records.remember({...repository, root: '/moved', originUrl: 'git@host:x.git'});
  expect(jsonIn(file)).toEqual({
    schema_version: '1.0',
    repo_key: 'key',
    repo_id: 'repo',
    future: 1,
    repo_root_last_seen: '/moved',
    agency_json_path: '/moved/agency.json',
    origin_present: true,
    origin_url: 'git@host:x.git',
    created_at: 'first',
    updated_at: 'second',
  });
  expect([records.rootOf('repo'), modeOf(file)]).toEqual(['/moved', 0o600]);
  rmSync(file);
  mkdirSync(file);
  await expect(records.remember(repository)).rejects.toMatchObject({code: 'E_PERSIST_FAILED'});
});

test.each<{env: Record<string, string>; platform: NodeJS.Platform; folder: string}>([
  {env: {}, platform: 'linux', folder: '/home/u/.local/share/agency'},
  {env: {}, platform: 'darwin', folder: '/home/u/Library/Application Support/agency'},
  {env: {XDG_DATA_HOME: '/x'}, platform: 'linux', folder: '/x/agency'},
  {env: {XDG_DATA_HOME: 'x'}, platform: 'linux', folder: '/home/u/.local/share/agency'},
  {env: {AGENCY_DATA_DIR: 'd', XDG_DATA_HOME: '/x'}, platform: 'darwin', folder: '/cwd/d'},
])('sessions are kept in $folder with $env on $platform', ({env, platform, folder}) => {
  expect(agencyDataFolder({env, platform, home: '/home/u', cwd: '/cwd'})).toBe(folder);
});
