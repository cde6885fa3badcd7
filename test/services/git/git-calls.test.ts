import {execFileSync} from 'node:child_process';
import {readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {splitChange} from '../../../src/services/git/tree-diff.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {type TestRepository, testRepository} from './test-repository.ts';

/** A `git` that records its arguments before it runs. */
function listeningGit(): {readonly PATH: string; asked(): string[]} {
  const folder = temporaryFolder();
  const log = path.join(folder, 'log');
  const real = execFileSync('sh', ['-c', 'command -v git'], {encoding: 'utf8'}).trim();
  writeFileSync(path.join(folder, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`, {
    mode: 0o755,
  });
  return {
    PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}`,
    asked: () => {
      const calls = readFileSync(log, 'utf8').trim().split('\n');
      writeFileSync(log, '');
      return (
        calls
          // After a slow scan, as on a busy machine, the index is refreshed with what it saw.
          .filter((call) => !call.includes('--refresh'))
          .map((call) => call.split(' ').find((word) => /^[a-z]/.test(word) && !word.includes('=')) ?? '')
      );
    },
  };
}

/** What a tracker reports as changed since its last snapshot. */
async function task({write}: TestRepository, tracked: ReturnType<TestRepository['tracker']>, text: string) {
  const from = await tracked.snapshot();
  write('a', text);
  const to = await tracked.snapshot(from);
  return tracked.summarize(from, to);
}

// Each git process costs a task more than anything else Blackbird does for it.
test.each([
  {rules: ''},
  // Rules for paths that are never added make `git add` fail.
  {rules: '.blackbird/\nblackbird.plan.json\n'},
])('a task costs six calls of git, once the files it changes are known: $rules', async ({rules}) => {
  const repository = testRepository();
  repository.write('.gitignore', rules);
  repository.write('blackbird.plan.json', '{}');
  const {PATH, asked} = listeningGit();
  const tracked = repository.tracker({env: {PATH}});
  await task(repository, tracked, 'one\n');
  asked();
  const {files, snippets} = await task(repository, tracked, 'two\n');
  expect(files).toEqual(['a']);
  expect(JSON.stringify(snippets)).toContain('+two');
  const [before, after, ...calls] = asked();
  expect([before, after]).toEqual(['ls-files', 'ls-files']);
  // The last two run at the same time.
  expect(calls.toSorted()).toEqual(['cat-file', 'diff-tree', 'update-index', 'write-tree']);
});

test('the first task of a project asks git nothing about an index that was just made', async () => {
  const repository = testRepository();
  const {PATH, asked} = listeningGit();
  const {files} = await task(repository, repository.tracker({env: {PATH}}), 'one\n');
  expect(files).toEqual(['a']);
  expect(asked().toSorted()).toEqual(
    [
      // The repository, its files, those it tracks although they are ignored, and the snapshot before.
      ...['rev-parse', 'config', 'ls-files', 'ls-files', 'update-index', 'write-tree'],
      // The snapshot after, the change, and its objects, some of which only the repository had.
      ...['ls-files', 'update-index', 'write-tree', 'diff-tree', 'cat-file', 'pack-objects'],
    ].toSorted(),
  );
});

describe('ignored files are listed again', () => {
  test('when a rule outside the files changes', async () => {
    const {tracker, write, folder} = testRepository();
    write('build/out.js', 'one\n');
    const tracked = tracker();
    await tracked.snapshot();
    writeFileSync(path.join(folder, '.git/info/exclude'), 'build\n');
    const from = await tracked.snapshot();
    write('build/out.js', 'two\n');
    const to = await tracked.snapshot(from);
    expect((await tracked.summarize(from, to)).files).toEqual([]);
  });

  test('when a file comes under a rule that ignores itself, so that it is seen when it comes back', async () => {
    const {tracker, write, commit, remove} = testRepository();
    write('src/x.ts', 'kind\n');
    write('src/y.ts', 'kind\n');
    commit();
    const tracked = tracker();
    await tracked.snapshot();
    write('src/.gitignore', '*\n');
    remove('src/x.ts');
    const gone = await tracked.snapshot();
    write('src/x.ts', 'evil\n');
    const back = await tracked.snapshot(gone);
    expect((await tracked.summarize(gone, back)).files).toEqual(['src/x.ts']);
  });

  test('when a tracked, ignored file comes back', async () => {
    const {tracker, write, git, commit, remove} = testRepository();
    write('.gitignore', 'dist\n');
    write('dist/tracked.js', 'one\n');
    git('add', '-f', 'dist/tracked.js');
    commit();
    const tracked = tracker();
    await tracked.snapshot();
    remove('dist/tracked.js');
    const gone = await tracked.snapshot();
    write('dist/tracked.js', 'two\n');
    const back = await tracked.snapshot(gone);
    expect((await tracked.summarize(gone, back)).files).toEqual(['dist/tracked.js']);
  });
});

describe('the patches of a change', () => {
  test('belong to their files, whatever they contain', async () => {
    const {change, write, git, commit, folder} = testRepository();
    write('link', 'text\n');
    write('old name', `${'same\n'.repeat(20)}one\n`);
    commit();
    const {summary} = await change(() => {
      write('a', `x\rdiff --git a/b b/b\n${'y'.repeat(9000)}\0z\n`);
      write('b\nc', 'two\n');
      git('mv', 'old name', 'new name');
      write('new name', `${'same\n'.repeat(20)}two\n`);
    });
    expect(summary.files).toEqual(['a', 'b\nc', 'new name']);
    const quoted = new Map(summary.snippets.map((each) => [each.file, JSON.stringify(each)]));
    expect(quoted.get('b\nc')).toContain('+two');
    expect(quoted.get('new name')).toContain('-one');

    // A file that becomes a link is two patches.
    const {summary: typed} = await change(() => {
      rmSync(path.join(folder, 'link'));
      symlinkSync('readme.md', path.join(folder, 'link'));
      write('z', 'last\n');
    });
    expect(typed.files).toEqual(['link', 'z']);
    expect(JSON.stringify(typed.snippets.filter(({file}) => file === 'z'))).toContain('+last');
  });

  test('are requested one by one when they are too long together', async () => {
    const {change, write} = testRepository();
    const {summary} = await change(() => {
      write('long', 'a line of the long file\n'.repeat(250_000));
      write('short', 'two\n');
    });
    expect(summary.files).toEqual(['long', 'short']);
    expect(summary.note).toBeUndefined();
    expect(JSON.stringify(summary.snippets)).toContain('+two');
  });

  test('are told apart from the list and the table, whatever the names are', () => {
    const entry = (kind: string) => `:100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} ${kind}`;
    const list = [
      entry('M'),
      '1\t1\tname',
      entry('R090'),
      ':x',
      '-\t-\t',
      '1\t1\t1\t1\tname',
      '1\t1\t',
      ':x',
      '-\t-\t',
      '',
    ];
    const patches = ['diff --git a/x b/x\n+one\0\n', 'diff --git a/y b/y\n-two\n'];
    const table = ' name | 2 +-\n 2 files changed\n';
    expect(splitChange(`${list.join('\0')}${table}\0${patches.join('')}`)).toEqual({
      list: list.join('\0'),
      diffstat: table,
      patches,
    });
    expect(splitChange(`${list.join('\0')}${table}`)).toEqual({
      list: list.join('\0'),
      diffstat: table,
      patches: [],
    });
  });
});
