import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {listFiles} from '../../../src/services/git/list-files.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {canary, testRepository} from './test-repository.ts';

const sorted = async (list: Promise<readonly string[]>) => [...(await list)].sort();

describe('in a repository', () => {
  test("tracked and new files, without ignored, deleted or Blackbird's own", async () => {
    const {folder, env, write, remove, commit} = testRepository();
    write('.gitignore', 'built/\n*.log\n');
    write('src/kept.ts');
    write('src/gone.ts');
    commit();
    remove('src/gone.ts');
    write('src/new file é.ts');
    write('built/out.js');
    write('debug.log');
    write('.blackbird/runs/x.json');
    expect(await sorted(listFiles({root: folder, env}))).toEqual([
      '.gitignore',
      'readme.md',
      'src/kept.ts',
      'src/new file é.ts',
    ]);
  });

  test('of a project in a subfolder, relative to it', async () => {
    const {folder, env, write} = testRepository();
    write('packages/app[1]/src/a.ts');
    write('packages/other/b.ts');
    expect(await sorted(listFiles({root: path.join(folder, 'packages/app[1]'), env}))).toEqual(['src/a.ts']);
  });

  test('without a commit', async () => {
    const {folder, env, write} = testRepository({commit: false});
    write('a.ts');
    expect(await sorted(listFiles({root: folder, env}))).toEqual(['a.ts']);
  });

  test('runs no program that the repository names', async () => {
    const {folder, env, git, write} = testRepository();
    const {program, wasRun} = canary(temporaryFolder());
    git('config', 'core.fsmonitor', program);
    git('config', 'core.hooksPath', path.dirname(program));
    write('a.ts');
    expect(await sorted(listFiles({root: folder, env}))).toEqual(['a.ts', 'readme.md']);
    expect(wasRun()).toBe(false);
  });

  test('a broken one is walked as a folder', async () => {
    const {folder, env, write} = testRepository();
    write('.git/config', 'this is no config\n');
    expect(await sorted(listFiles({root: folder, env}))).toEqual(['readme.md']);
  });
});

describe('outside a repository', () => {
  const project = () => {
    const folder = temporaryFolder();
    const write = (file: string) => {
      mkdirSync(path.dirname(path.join(folder, file)), {recursive: true});
      writeFileSync(path.join(folder, file), '');
    };
    for (const file of ['b.ts', 'a.ts', 'deep/er/c.ts', 'node_modules/x/index.js', '.blackbird/lock'])
      write(file);
    symlinkSync('/', path.join(folder, 'everything'));
    return folder;
  };

  test('the files of its folders; links are not followed', async () => {
    expect(await listFiles({root: project(), env: {}})).toEqual(['a.ts', 'b.ts', 'deep/er/c.ts']);
  });

  test.each([
    {walkLimit: 2, found: ['a.ts', 'b.ts']},
    {walkLimit: 3, found: ['a.ts', 'b.ts', 'deep/er/c.ts']},
  ])('not more than $walkLimit, nearest first', async ({walkLimit, found}) => {
    expect(await listFiles({root: project(), env: {}, walkLimit})).toEqual(found);
  });
});
