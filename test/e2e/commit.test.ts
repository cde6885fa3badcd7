import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {demo, engineProject} from '../helpers/engine-project.ts';
import {planOf, task} from '../helpers/plans.ts';

const lines = (third: string, last = 'six') => `one\ntwo\n${third}\nfour\nfive\n${last}\n`;

test('each task is its own commit, in a tree with edits and staged work of the user', async () => {
  const project = engineProject(
    planOf(
      task('a', {
        title: 'Change the third line',
        description: 'As agreed.',
        prompt: demo('write file.txt one\\ntwo\\nTASK\\nfour\\nfive\\nMINE', 'write new.txt new'),
      }),
      task('b', {title: 'Add another', prompt: demo('write other.txt b')}),
      task('c', {title: 'Touch what is not committed', prompt: demo('write mine.txt c')}),
    ),
    {config: {execution: {commit: 'task'}}},
  );
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: project.folder,
      encoding: 'utf8',
      env: {...process.env, HOME: project.folder},
    });
  git('init', '-q', '-b', 'work');
  git('config', 'user.name', 'Somebody');
  git('config', 'user.email', 'somebody@localhost');
  project.write('.gitignore', '.blackbird/\nblackbird.plan.json\n');
  project.write('file.txt', lines('three'));
  project.write('staged.txt', 'one\n');
  git('add', '.gitignore', 'file.txt', 'staged.txt');
  git('commit', '-qm', 'first');
  project.write('staged.txt', 'staged\n');
  git('add', 'staged.txt');
  project.write('staged.txt', 'staged, and more\n');
  project.write('file.txt', lines('three', 'MINE'));
  project.write('mine.txt', 'mine\n');

  const {code, out} = await project.run(['execute']);
  expect(code).toBe(0);
  const [, second = '', third = ''] = git('log', '--format=%h', '--reverse').trim().split('\n');
  expect(git('log', '--format=%an: %s', '--reverse').trim().split('\n')).toEqual([
    'Somebody: first',
    'Somebody: Change the third line',
    'Somebody: Add another',
  ]);
  const [run] = project.runs('a');
  expect(git('log', '-1', '--format=%B', second).trim()).toBe(
    `Change the third line\n\nAs agreed.\n\nBlackbird-Task: a\nBlackbird-Run: ${run?.run_id}`,
  );
  expect(run?.commit).toEqual({sha: git('rev-parse', second).trim(), branch: 'work'});
  expect(git('show', `${second}:file.txt`)).toBe(lines('TASK'));
  expect(git('show', '--format=', '--name-status', third).trim()).toBe('A\tother.txt');
  expect(out).toMatch(new RegExp(`^✓ a {2}done .* committed ${second.slice(0, 7)}$`, 'm'));
  expect(out).toContain(
    '  not committed: mine.txt is not in HEAD: it was there, and not committed, before the task',
  );
  expect(git('status', '--porcelain').trimEnd().split('\n')).toEqual([
    ' M file.txt',
    'MM staged.txt',
    '?? mine.txt',
  ]);
  expect(project.statuses()).toEqual({a: 'done', b: 'done', c: 'done'});
  expect((await project.run(['runs', 'a', run?.run_id ?? ''])).out).toMatch(
    /^commit +[0-9a-f]{40} on work$/m,
  );
});

test.each<{name: string; since: (git: (...args: string[]) => string) => void; tracked: readonly string[]}>([
  {
    name: 'and takes out what the undo took out, without what the user brought back',
    since: (git) => git('restore', 'back.txt'),
    tracked: ['.gitignore', 'back.txt', 'file.txt', 'new.txt', 'same.txt'],
  },
  {
    name: 'where the undo was committed by hand',
    since: (git) => git('commit', '-qam', 'undone'),
    tracked: ['.gitignore', 'file.txt', 'new.txt', 'same.txt'],
  },
])('a task that was committed and undone is committed again, $name', async ({since, tracked}) => {
  const writing = (third: string, ...files: string[]) =>
    demo(
      `write file.txt one\\ntwo\\n${third}\\nfour\\nfive\\nsix`,
      ...files.map((file) => `write ${file} text`),
    );
  const prompt = writing('FIRST', 'back.txt', 'old.txt', 'same.txt');
  const project = engineProject(planOf(task('a', {prompt})), {config: {execution: {commit: 'task'}}});
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: project.folder,
      encoding: 'utf8',
      env: {...process.env, HOME: project.folder},
    });
  git('init', '-q');
  git('config', 'user.name', 'Somebody');
  git('config', 'user.email', 'somebody@localhost');
  project.write('.gitignore', '.blackbird/\nblackbird.plan.json\n');
  project.write('file.txt', lines('three'));
  git('add', '.');
  git('commit', '-qm', 'first');

  expect((await project.run(['execute'])).code).toBe(0);
  expect((await project.run(['undo', 'a', '--yes'])).code).toBe(0);
  since(git);
  await project.run(['edit', 'a', '--prompt', writing('SECOND', 'new.txt', 'same.txt')]);
  const {code, out} = await project.run(['execute']);
  expect({code, out}).toEqual({code: 0, out: expect.stringContaining(' committed ')});
  expect(out).not.toContain('not committed');
  expect(git('show', 'HEAD:file.txt')).toBe(lines('SECOND'));
  expect(git('ls-files').trim().split('\n')).toEqual(tracked);
  expect(git('status', '--porcelain')).toBe('');
});
