import {execFileSync} from 'node:child_process';
import {appendFileSync, readdirSync, rmSync, statSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {SurroundingsReader} from '../../../src/services/contracts/side-effects.ts';
import {IgnoredMemory} from '../../../src/services/git/ignored-files.ts';
import {createSurroundingsReader} from '../../../src/services/git/surroundings.ts';
import {eventually} from '../../helpers/eventually.ts';
import {fileCalls} from '../../helpers/file-calls.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {testRepository} from './test-repository.ts';

const always = new Date(0).toISOString();

const readerOf = (folder: string, env: Record<string, string>) =>
  createSurroundingsReader({
    root: folder,
    stateFolder: path.join(folder, '.blackbird'),
    settings: {},
    env,
  });

// The folders of runs fill up with a plan, and are searched after every task.
test('folders of runs in which nothing came or went are not listed again, and foreign files in them are seen', async () => {
  const {folder, env, write} = testRepository();
  const names = Array.from({length: 9}, (_, place) => `t${place}`);
  for (const name of names) write(`.blackbird/runs/${name}/r-1.json`, '{}');
  write('.blackbird/runs/t3/payload.sh', 'kind');
  const places = new Set(names.map((name) => path.join(folder, '.blackbird/runs', name, '/')));
  const reader = readerOf(folder, env);
  const listed = async () =>
    (await fileCalls('readdirSync', () => reader.ignoredSince(always))).filter((each) => places.has(each))
      .length;
  expect(await listed()).toBe(9);
  await eventually(async () => expect(await listed()).toBe(0));
  const since = await laterThan(path.join(folder, '.blackbird/runs/t3/payload.sh'));
  expect(await reader.ignoredSince(since)).toEqual({count: 0, names: []});
  appendFileSync(path.join(folder, '.blackbird/runs/t3/payload.sh'), 'evil');
  write('.blackbird/runs/t4/second.sh', 'evil');
  expect((await reader.ignoredSince(since)).hidden?.names.toSorted()).toEqual([
    '.blackbird/runs/t3/payload.sh',
    '.blackbird/runs/t4/second.sh',
  ]);
});

/** A time after the last change of a file. */
async function laterThan(file: string): Promise<string> {
  await eventually(() => expect(Date.now() - 100).toBeGreaterThan(statSync(file).ctimeMs));
  return new Date(Date.now() - 50).toISOString();
}

test("a foreign file in Blackbird's own folder is reported, Blackbird's files are not", async () => {
  const {folder, env, write} = testRepository();
  for (const name of ['p.sh', 'x/payload.sh', 'x/y/second.sh', 'runs/a/a-1.json', 'config.json', 'plan.lock'])
    write(`.blackbird/${name}`, '{}');
  write('.blackbird/.config.json.12.0123456789ab.tmp', '');
  write('.blackbird/lock.c.12.0123456789abcdef', '');
  write('.blackbird/.payload.12.0123456789ab.tmp', '');
  const reader = createSurroundingsReader({
    root: folder,
    stateFolder: path.join(folder, '.blackbird'),
    settings: {},
    env,
  });
  expect(await reader.ignoredSince(new Date(0).toISOString())).toEqual({
    count: 0,
    names: [],
    hidden: {
      count: 3,
      names: ['.blackbird/.payload.12.0123456789ab.tmp', '.blackbird/p.sh', '.blackbird/x/ (2 files)'],
    },
  });
  expect(await reader.ignoredSince('2999-01-01T00:00:00.000Z')).toEqual({count: 0, names: []});
});

test('so is a foreign file in its subfolders', async () => {
  const {folder, env, write} = testRepository();
  const own = [
    ...[
      'jobs/20261117-1.json',
      'jobs/20261117-1.notes.jsonl',
      'requests/0123456789abcdef.json',
      'drafts/a.edit.json',
    ],
    ...['runs/a/a-1.json', 'runs/a/a-1.stdout.log', 'runs/a/a-1.check-1-2.log', 'runs/a/a-1.journal.jsonl'],
    ...['runs/a/a-1.decision.taken', 'runs/a/a-1.comments/c1.json', 'runs/a/.a-1.json.12.0123456789ab.tmp'],
    ...[
      'changes/main.index',
      'changes/work.12.0123456789ab/git-x/HEAD',
      `changes/objects/ab/${'0'.repeat(38)}`,
    ],
    ...[
      'changes/objects/pack/pack-ab.idx',
      'plan-drafts/d.json',
      'inspectors/12.json',
      'demo-sessions/s.json',
    ],
  ];
  for (const name of own) write(`.blackbird/${name}`, '');
  const {ignoredSince} = readerOf(folder, env);
  expect(await ignoredSince(always)).toEqual({count: 0, names: []});
  for (const name of ['runs/p.sh', 'runs/a/p.sh', 'changes/objects/p', 'drafts/p'])
    write(`.blackbird/${name}`, '');
  const names = ['changes/objects/p', 'drafts/p', 'runs/p.sh', 'runs/a/p.sh'].map(
    (name) => `.blackbird/${name}`,
  );
  expect((await ignoredSince(always)).hidden).toEqual({count: 4, names: expect.arrayContaining(names)});
});

describe("outside git's view", () => {
  const nested = (...commands: readonly string[]) =>
    `git init -q sub; rm sub/.git/config; ${commands.join(';')}`;

  test.each([
    {
      name: "git's own writes",
      script: 'git commit -q --allow-empty -m x; git tag t; git gc -q',
      told: {},
    },
    {
      name: 'files in the .git folder',
      script: 'for f in p logs/p objects/p info/p; do echo evil > .git/$f; done',
      told: {inGit: ['.git/info/p', '.git/logs/p', '.git/objects/p', '.git/p']},
    },
    {
      name: 'hooks of a submodule',
      script: 'mkdir -p .git/modules/a/b/hooks; touch .git/modules/a/b/hooks/update .git/modules/a/b/HEAD',
      told: {inGit: ['.git/modules/a/b/hooks/update']},
    },
    {
      name: 'a folder with the name of a git folder',
      script: 'mkdir -p lib/.git .GIT; touch lib/.git/HEAD .GIT/x',
      told: {inGit: ['.GIT/x', 'lib/.git/HEAD']},
    },
    {
      name: 'files that a nested repository ignores',
      script: nested('echo "*" > sub/.git/info/exclude', 'mkdir sub/deep', 'touch sub/evil sub/deep/evil'),
      told: {inGit: ['sub/.git/info/exclude'], unseen: ['sub/deep/evil', 'sub/evil']},
    },
    {
      name: 'a repository somewhere else',
      script:
        'mkdir sub ../r && git init -q ../r; echo "*" > ../r/.git/info/exclude; ln -s ../../r/.git sub; touch sub/e',
      told: {inGit: ['sub/.git'], unseen: ['sub/e']},
    },
    {
      name: 'a repository whose name is not valid text',
      script: 'd=$(printf "s\\377"); git init -q "$d"; touch "$d/evil"',
      told: {unseen: ['s\ufffd/evil']},
    },
    {name: 'pipes', script: 'mkdir src; mkfifo src/pipe', told: {unseen: ['src/pipe (not a file)']}},
  ])('$name', async ({script, told}) => {
    const {folder, env} = testRepository({folder: path.join(temporaryFolder(), 'project')});
    execFileSync('sh', ['-c', script], {cwd: folder, env});
    const {inGit, unseen} = await readerOf(folder, env).ignoredSince(always);
    const sorted = {
      ...(inGit && {inGit: inGit.names.toSorted()}),
      ...(unseen && {unseen: unseen.names.toSorted()}),
    };
    expect(sorted).toEqual(told);
    expect(await readerOf(folder, env).ignoredSince('2999-01-01T00:00:00.000Z')).toEqual({
      count: 0,
      names: [],
    });
  });
});

test.each([
  {name: 'of a file', text: '{"execution": {"commit": "task"}}', known: [{execution: {commit: 'task'}}]},
  {name: 'without a file', text: null, known: [null]},
  {name: 'that are not an object', text: '[1]', known: []},
  {name: 'that are not JSON', text: '{', known: []},
  {
    name: 'nested too deep to be written',
    text: `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    known: [],
  },
])('the settings $name are read with their digest', async ({text, known}) => {
  const {folder, env, write} = testRepository();
  if (text !== null) write('config.json', text);
  const reader = createSurroundingsReader({
    root: folder,
    stateFolder: path.join(folder, '.blackbird'),
    settings: {'.blackbird/config.json': path.join(folder, 'config.json'), 'agent.json': '/nowhere'},
    env,
  });
  expect([...((await reader.look()).contents ?? [])]).toEqual(
    known.map((content) => ['.blackbird/config.json', content]),
  );
});

test('new ignored files are reported', async () => {
  const {folder, env, write} = testRepository();
  write('.gitignore', '*.log\n');
  write('made.log', 'by the agent');
  expect(await readerOf(folder, env).ignoredSince(always)).toEqual({count: 1, names: ['made.log']});
});

test('ignored files that git cannot list in time are reported as unknown', async () => {
  const {folder, env, write} = testRepository();
  write('made.log', 'by the agent');
  // Git waits for somebody to write to it.
  execFileSync('mkfifo', [path.join(folder, '.gitignore')]);
  const reader = createSurroundingsReader({
    root: folder,
    stateFolder: path.join(folder, '.blackbird'),
    settings: {},
    env,
    timeLimitMs: 100,
  });
  expect(await reader.ignoredSince(always)).toEqual({count: 0, names: [], isCut: true});
});

test('git is asked for ignored files again after two seconds, and for another repository', async () => {
  vi.useFakeTimers({toFake: ['performance']});
  onTestFinished(() => void vi.useRealTimers());
  const [here, there] = [testRepository(), testRepository()];
  for (const {write} of [here, there]) write('a.log');
  const memory = new IgnoredMemory();
  const now = (top: string, answer: readonly string[]) => memory.now(top, async () => answer);
  expect(await now(here.folder, ['a.log', 'gone.log'])).toEqual(['a.log', 'gone.log']);
  vi.advanceTimersByTime(1_999);
  expect(await now(here.folder, ['asked again'])).toEqual(['a.log']);
  vi.advanceTimersByTime(1);
  expect(await now(here.folder, ['asked again'])).toEqual(['asked again']);
  expect(await now(there.folder, ['asked there'])).toEqual(['asked there']);
  expect(memory.gone(there.folder, ['a.log', 'b.log'])).toEqual({count: 1, names: ['b.log']});
  expect(memory.gone(here.folder, ['b.log'])).toEqual({count: 0, names: []});
});

test('ignored files that are gone are reported: by the previous scan, by the last scan if that was just now, and after a crash', async () => {
  const {folder, env, write} = testRepository();
  write('.gitignore', '*.log\nout/\n');
  for (const name of ['a.log', 'src/b.log', 'out/c', 'out/d/e', 'src/kept.txt']) write(name, 'x');
  const remove = (name: string) => rmSync(path.join(folder, name), {recursive: true});
  const before = (reader: SurroundingsReader) =>
    reader.look({withIgnored: true}).then(({ignored}) => ignored ?? []);
  const late = '2999-01-01T00:00:00.000Z';
  const reader = readerOf(folder, env);
  expect((await reader.look()).ignored).toBeUndefined();
  const first = await before(reader);
  expect([...(first as readonly string[])].toSorted()).toEqual(['a.log', 'out/', 'src/b.log']);
  remove('src');
  expect(await reader.ignoredSince(late, first)).toEqual({
    count: 0,
    names: [],
    removed: {count: 1, names: ['src/b.log']},
  });
  const second = await before(reader);
  remove('out');
  expect(await reader.ignoredSince(late, second)).toMatchObject({removed: {count: 1, names: ['out/']}});
  expect(await readerOf(folder, env).ignoredSince(late, first)).toMatchObject({removed: {count: 2}});
  // When another repository contains the project now, nothing is known of the previous one.
  rmSync(path.join(folder, '.git'), {recursive: true});
  expect(await reader.ignoredSince(late, first)).toEqual({count: 0, names: []});
});

test.each([
  {name: 'the files as they are', script: 'echo 2 > a; echo 2 > n; rm b; git add -A', told: []},
  {name: 'other content', script: 'echo 2 > a; git add a; echo 1 > a', told: ['a']},
  {name: 'a mode', script: 'git update-index --chmod=+x a', told: ['a']},
  {name: 'a link', script: 'ln -s a l; git add l; rm l; ln -s b l; ln -s a m; git add m', told: ['l']},
  {name: 'a file in place of a link', script: 'printf b > l; git add l; rm l; ln -s b l', told: ['l']},
  {name: 'a file that is unstaged and stays', script: 'git rm -q --cached a', told: ['a']},
  {
    name: 'line endings as git stores them',
    script: 'printf "1\\r\\n2\\r\\n" > a; git -c core.autocrlf=true add a',
    told: [],
  },
  {name: 'what git committed', script: 'echo 2 > a; git commit -qam x; echo 3 > a', told: []},
  {name: 'nothing, only a read', script: 'touch a; git status', told: []},
])('files staged with other content than they have, by what is staged: $name', async ({script, told}) => {
  const {folder, env, write, git} = testRepository();
  for (const name of ['a', 'b', 'mine']) write(name, '1\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  // The user's own, partly staged before the task.
  write('mine', '2\n');
  git('add', 'mine');
  write('mine', '3\n');
  const reader = readerOf(folder, env);
  await reader.look({withIgnored: true});
  execFileSync('sh', ['-c', script], {cwd: folder, env});
  const {staged} = await reader.ignoredSince('2999-01-01T00:00:00.000Z');
  expect(staged).toEqual(told.length === 0 ? undefined : {count: told.length, names: told});
});

const neverTold = '2999-01-01T00:00:00.000Z';

test('before the first commit, what is staged otherwise than it is counts too', async () => {
  const {folder, env, write, git} = testRepository({commit: false});
  write('mine', '1\n');
  git('add', 'mine');
  write('mine', '2\n');
  const reader = readerOf(folder, env);
  await reader.look({withIgnored: true});
  for (const name of ['a', 'b']) write(name, '1\n');
  git('add', 'a', 'b');
  write('a', '2\n');
  expect(await reader.ignoredSince(neverTold)).toEqual({
    count: 0,
    names: [],
    staged: {count: 1, names: ['a']},
  });
});

test('a staged submodule counts unless its folder has that commit checked out', async () => {
  const {folder, env, write, git} = testRepository();
  write('a', '1\n');
  git('add', 'a');
  git('commit', '-qm', 'first');
  const reader = readerOf(folder, env);
  await reader.look({withIgnored: true});
  git('clone', '-q', '.', 'sub');
  const id = git('rev-parse', 'HEAD').trim();
  for (const name of ['lib', 'sub']) git('update-index', '--add', '--cacheinfo', `160000,${id},${name}`);
  expect((await reader.ignoredSince(neverTold)).staged).toEqual({count: 1, names: ['lib']});
});

test('where git fails, it is told what nobody knows', async () => {
  const {folder, env, write} = testRepository();
  const reader = readerOf(folder, env);
  const {ignored} = await reader.look({withIgnored: true});
  write('.git/index', 'broken');
  const why = expect.stringContaining('index');
  expect(await reader.ignoredSince(neverTold, ignored)).toEqual({
    count: 0,
    names: [],
    unknown: [
      {what: 'staged', why},
      {what: 'ignored', why},
    ],
  });
  const broken = readerOf(folder, env);
  const before = await broken.look({withIgnored: true});
  expect(before.ignored).toEqual({why});
  rmSync(path.join(folder, '.git/index'));
  expect(await broken.ignoredSince(neverTold, before.ignored)).toEqual({
    count: 0,
    names: [],
    unknown: [
      {what: 'removed', why},
      {what: 'staged', why},
    ],
  });
});

test('what was staged between two tasks belongs to neither', async () => {
  const {folder, env, write, git} = testRepository();
  const reader = readerOf(folder, env);
  await reader.look({withIgnored: true});
  write('mine', '1\n');
  git('add', 'mine');
  write('mine', '2\n');
  await reader.look({withIgnored: true});
  write('a', '1\n');
  git('add', 'a');
  write('a', '2\n');
  const {staged} = await reader.ignoredSince('2999-01-01T00:00:00.000Z');
  expect(staged).toEqual({count: 1, names: ['a']});
});

test('the compared copy of the index is removed afterwards', async () => {
  const {folder, env, write, git} = testRepository();
  const temporary = temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const reader = readerOf(folder, env);
  await reader.look({withIgnored: true});
  write('a', '1\n');
  git('add', 'a');
  write('a', '2\n');
  const {staged} = await reader.ignoredSince('2999-01-01T00:00:00.000Z');
  expect([staged, readdirSync(temporary)]).toEqual([{count: 1, names: ['a']}, []]);
});

test('a repository reports its state, and a folder without one that it has none', async () => {
  const {folder, env, write, git} = testRepository();
  const reader = (root: string) =>
    createSurroundingsReader({
      root,
      stateFolder: path.join(root, '.blackbird'),
      settings: {},
      env,
    });
  const {standing} = reader(folder);
  const commit = (text: string) => {
    write('a b.txt', text);
    git('add', '.');
    git('commit', '-qm', text);
  };
  commit('first');
  git('branch', 'other');
  commit('ours');
  expect(await standing()).toEqual({isDetached: false, underWay: null, conflicts: []});
  git('checkout', '-q', '--detach', 'other');
  expect(await standing()).toEqual({isDetached: true, underWay: null, conflicts: []});
  commit('theirs');
  expect(() => git('merge', '-q', 'main')).toThrow();
  expect(await standing()).toEqual({isDetached: true, underWay: 'a merge', conflicts: ['a b.txt']});
  expect(await reader('/').standing()).toBeNull();
});

test('files that git is told to overlook are reported once', async () => {
  const {folder, env, write, git, commit} = testRepository();
  for (const name of ['a', 'b', 'mine']) write(name);
  commit();
  git('update-index', '--skip-worktree', 'mine');
  const reader = readerOf(folder, env);
  await reader.look({withIgnored: true});
  git('update-index', '--skip-worktree', 'a');
  git('update-index', '--assume-unchanged', 'b');
  const found = {count: 0, names: [], overlooked: {count: 2, names: ['a', 'b']}};
  expect(await reader.ignoredSince(neverTold)).toEqual(found);
  await reader.look({withIgnored: true});
  expect(await reader.ignoredSince(neverTold)).toEqual({count: 0, names: []});
});
