import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {demo, type EngineProject, engineProject} from '../helpers/engine-project.ts';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject} from '../helpers/run-cli.ts';

const lines = (third: string, last = 'six') => `one\ntwo\n${third}\nfour\nfive\n${last}\n`;

/** Two tasks that ran, the second built on the first, in a repository with edits and staged work of the user. */
async function ranProject(): Promise<EngineProject & {git(...args: string[]): string}> {
  const project = engineProject(
    planOf(
      task('a', {
        prompt: demo('write file.txt one\\ntwo\\nTASK\\nfour\\nfive\\nsix', 'write new/file.txt new'),
      }),
      task('b', {deps: ['a'], prompt: demo('write other.txt b')}),
    ),
  );
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: project.folder,
      encoding: 'utf8',
      env: {...process.env, HOME: project.folder},
    });
  git('init', '-q');
  project.write('file.txt', lines('three'));
  project.write('staged.txt', 'one\n');
  git('add', 'file.txt', 'staged.txt');
  git('commit', '-qm', 'first');
  project.write('staged.txt', 'staged\n');
  git('add', 'staged.txt');
  project.write('staged.txt', 'staged, and more\n');
  expect(await project.run(['execute'])).toMatchObject({code: 0});
  return {...project, git};
}

test('a task is undone, later edits stay, and undoing the undo brings it back', async () => {
  const project = await ranProject();
  const {run, text, statuses, runs, git} = project;
  const index = git('ls-files', '-s');

  const refused = await run(['undo', 'a']);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('cannot undo a: b built on it')]);
  const unasked = await run(['undo', 'b']);
  expect([unasked.code, unasked.err]).toEqual([1, expect.stringContaining('blackbird undo b --yes')]);
  const declined = await cliProject().run(['undo', 'b'], {
    cwd: project.folder,
    env: {PATH: process.env.PATH},
    terminal: true,
    answers: ['n'],
  });
  expect(declined.out).toBe('would undo 1 file\n  removed   other.txt\n');
  expect([statuses(), text('other.txt')]).toEqual([{a: 'done', b: 'done'}, 'b\n']);
  expect((await run(['undo', 'b', '--yes'])).out).toMatch(
    /^b is todo again · 1 file undone\n {2}removed {3}other.txt\n/,
  );

  project.write('file.txt', lines('TASK', 'SIX, since'));
  const dry = await run(['undo', 'a', '--dry-run']);
  expect(dry.out).toBe('would undo 2 files\n  changed   file.txt\n  removed   new/file.txt\n');
  expect(text('file.txt')).toBe(lines('TASK', 'SIX, since'));

  expect(await run(['undo', 'a', '--yes'])).toMatchObject({code: 0, err: ''});
  expect(text('file.txt')).toBe(lines('three', 'SIX, since'));
  expect(existsSync(path.join(project.folder, 'new'))).toBe(false);
  expect(statuses()).toEqual({a: 'todo', b: 'todo'});
  expect([git('ls-files', '-s'), text('staged.txt')]).toEqual([index, 'staged, and more\n']);

  expect((await run(['logs', 'a'])).out).toContain('file.txt');

  const undo = runs('a').at(-1)?.run_id ?? '';
  expect((await run(['undo', 'a'])).err).toContain(`blackbird undo a ${undo}`);
  expect(await run(['undo', 'a', undo, '--yes'])).toMatchObject({code: 0, err: ''});
  expect(text('file.txt')).toBe(lines('TASK', 'SIX, since'));
  expect(statuses()).toEqual({a: 'done', b: 'todo'});
});

test('a conflict names the files and touches nothing; force overwrites, and can be undone', async () => {
  const project = await ranProject();
  const {run, text, runs} = project;
  await run(['undo', 'b', '--yes']);
  project.write('file.txt', lines('MINE'));
  const conflict = await run(['undo', 'a']);
  expect(conflict.code).toBe(1);
  expect(conflict.err).toContain('file.txt  edited since, in the same place');
  expect([text('file.txt'), text('new/file.txt')]).toEqual([lines('MINE'), 'new\n']);
  expect((await run(['undo', 'a', '--dry-run'])).out.trimEnd().split('\n')).toEqual([
    'refused: cannot undo a: a file has changed since; nothing was touched',
    '--force would undo 2 files:',
    '  removed   new/file.txt',
    '  conflict  file.txt  edited since, in the same place',
  ]);
  const forced = await run(['undo', 'a', '--force', '--json']);
  const [last] = forced.out.trim().split('\n').slice(-1);
  expect(JSON.parse(last ?? '')).toMatchObject({
    event: 'job.stopped',
    undo: {
      conflicts: [{path: 'file.txt', reason: 'edited since, in the same place', is_forceable: true}],
      files: [
        {path: 'file.txt', kind: 'changed'},
        {path: 'new/file.txt', kind: 'removed'},
      ],
    },
  });
  expect(text('file.txt')).toBe(lines('three'));
  await run(['undo', 'a', runs('a').at(-1)?.run_id ?? '', '--yes']);
  expect(text('file.txt')).toBe(lines('MINE'));
});

test('without git nothing can be undone, and it says so', async () => {
  const project = engineProject(planOf(task('a', {prompt: demo('write file.txt x')})));
  await project.run(['execute']);
  const {code, err} = await project.run(['undo', 'a']);
  expect([code, err]).toEqual([1, expect.stringContaining('there is no git repository')]);
});
