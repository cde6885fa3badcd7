import {execFileSync} from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test, vi} from 'vitest';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {fingerprint, testRepository} from './test-repository.ts';

const patch = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** Without the object ids, which add nothing to the lines. */
const plain = (diff: string) => diff.replace(/^index [0-9a-f.]+( \d+)?\n/gm, '');

describe('the change of a task contains', () => {
  test('nothing', async () => {
    const {change, tracker} = testRepository();
    const {from, to, files, diff} = await change(() => {});
    expect(from).toMatch(/^[0-9a-f]{40}$/);
    expect({to, files, diff}).toEqual({to: from, files: [], diff: ''});
    expect(await tracker().summarize(from, to)).toEqual({
      files: [],
      total_files: 0,
      diffstat: '',
      snippets: [],
    });
  });

  test('how many lines its files have, before and after', async () => {
    const {change, write, remove, commit, tracker, folder} = testRepository();
    const odd = 'dir/[a-c] *:(glob).txt';
    write('a.txt', 'one\ntwo\nthree');
    write('b.txt', 'one\n');
    write('dir/a', 'another\n');
    commit();
    const {from, to} = await change(() => {
      write('a.txt', 'one\n');
      remove('b.txt');
      write(odd, '\u0000\n\n');
      write('empty', '');
      symlinkSync('a.txt', path.join(folder, 'link'));
    });
    const counts = (tree: string | null) =>
      Promise.all(
        ['a.txt', 'b.txt', odd, 'empty', 'none', 'link'].map((file) =>
          tracker().countLines(tree ?? '', file),
        ),
      );
    expect([await counts(from), await counts(to)]).toEqual([
      [3, 1, 0, 0, 0, 0],
      [1, 0, 2, 0, 0, 1],
    ]);
    expect(await rejectionOf(tracker().countLines('no tree', 'a.txt'))).toMatchObject({
      code: 'E_DIFF_UNAVAILABLE',
    });
  });

  test('files that it changed, added and deleted, and only those', async () => {
    const {change, write, remove, commit, tracker} = testRepository();
    for (const file of ['a.txt', 'b.txt', 'dir/c.txt']) write(file, 'one\ntwo\nthree\n');
    commit();
    const {from, to, files, diff} = await change(() => {
      write('a.txt', 'one\n2\nthree\n');
      remove('b.txt');
      write('new.txt', 'new\n');
    });
    expect(files).toEqual(['a.txt', 'b.txt', 'new.txt']);
    expect(plain(diff)).toBe(
      patch(
        'diff --git a/a.txt b/a.txt',
        ...['--- a/a.txt', '+++ b/a.txt', '@@ -1,3 +1,3 @@', ' one', '-two', '+2', ' three'],
        'diff --git a/b.txt b/b.txt',
        ...['deleted file mode 100644', '--- a/b.txt', '+++ /dev/null', '@@ -1,3 +0,0 @@'],
        ...['-one', '-two', '-three'],
        'diff --git a/new.txt b/new.txt',
        ...['new file mode 100644', '--- /dev/null', '+++ b/new.txt', '@@ -0,0 +1 @@', '+new'],
      ),
    );
    const summary = await tracker().summarize(from, to);
    expect(summary).toEqual({
      files: ['a.txt', 'b.txt', 'new.txt'],
      total_files: 3,
      diffstat: [
        ' a.txt         | 2 +-',
        ' b.txt (gone)  | 3 ---',
        ' new.txt (new) | 1 +',
        ' 3 files changed, 2 insertions(+), 4 deletions(-)',
      ].join('\n'),
      snippets: [
        {file: 'a.txt', snippet: '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three'},
        {file: 'new.txt', snippet: '@@ -0,0 +1 @@\n+new'},
        {file: 'b.txt', snippet: '@@ -1,3 +0,0 @@\n-one\n-two\n-three'},
      ],
    });
  });

  test('nothing that was changed, staged or untracked before it', async () => {
    const {change, write, remove, commit, git} = testRepository();
    for (const file of ['clean', 'dirty', 'staged', 'gone']) write(file);
    commit();
    write('dirty', 'mine\n');
    write('staged', 'mine, staged\n');
    git('add', 'staged');
    write('staged', 'mine, staged and changed again\n');
    remove('gone');
    write('untracked', 'mine, new\n');
    const {files, diff} = await change(() => {
      write('dirty', 'mine\nand the task\n');
      write('added', 'by the task\n');
    });
    expect(files).toEqual(['added', 'dirty']);
    expect(diff).toContain('\n mine\n+and the task\n');
    expect(diff).not.toContain('staged');
  });

  test('changes inside files that were untracked before it', async () => {
    const {change, write} = testRepository();
    write('notes/a.md', 'one\n');
    write('notes/b.md', 'one\n');
    const {files, diff} = await change(() => write('notes/b.md', 'one\ntwo\n'));
    expect(files).toEqual(['notes/b.md']);
    expect(diff).toContain('\n one\n+two\n');
  });

  test('a renamed file whose name looks like git output', async () => {
    const {change, write, commit, folder} = testRepository();
    const name = `:100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} M`;
    write(name, 'one\ntwo\nthree\n');
    write('other', 'one\n');
    commit();
    const {files, summary} = await change(() => {
      renameSync(path.join(folder, name), path.join(folder, `${name}\tnew`));
      write('other', 'two\n');
    });
    expect(files).toEqual([`${name}\tnew`, 'other']);
    expect(summary).not.toHaveProperty('note');
  });

  test('a file that was renamed, and what changed in it', async () => {
    const {change, write, commit, folder} = testRepository();
    const lines = Array.from({length: 30}, (_, index) => `line ${index}\n`);
    write('before.txt', lines.join(''));
    commit();
    const {files, diff} = await change(() => {
      mkdirSync(path.join(folder, 'dir'));
      renameSync(path.join(folder, 'before.txt'), path.join(folder, 'dir/after.txt'));
      appendFileSync(path.join(folder, 'dir/after.txt'), 'one more\n');
    });
    expect(files).toEqual(['dir/after.txt']);
    expect(diff).toContain('rename from before.txt\nrename to dir/after.txt\n');
    expect(diff).toContain('\n+one more\n');
  });

  test('binary files, by name', async () => {
    const {change, write, tracker} = testRepository();
    write('image.bin', Buffer.from([0, 1, 2, 3]));
    const {files, diff, from, to} = await change(() => {
      write('image.bin', Buffer.from([0, 1, 2, 3, 4]));
      write('text', 'text\n');
    });
    expect(files).toEqual(['image.bin', 'text']);
    expect(diff).toContain('Binary files a/image.bin and b/image.bin differ\n');
    const {snippets, diffstat} = await tracker().summarize(from, to);
    expect(snippets.map(({file}) => file)).toEqual(['text']);
    expect(diffstat).toContain(' image.bin  | Bin 4 -> 5 bytes\n');
  });

  const oddNames = [
    'grüße/日本語 🙂.txt',
    'with space',
    ' leading and trailing ',
    '-rf',
    '--output=x',
    ':(exclude)x',
    '*',
    'a?[b]',
    'quo"te',
    "apo'strophe",
    'back\\slash',
    'new\nline',
    'tab\tname',
    'bell\u0007',
    '#comment',
    '!negated',
    'cafe\u0301',
    'caf\u00e9',
    '.hidden/.file',
  ];

  test('files with any name', async () => {
    const {change, write, remove, folder} = testRepository();
    for (const name of oddNames.slice(0, 9)) write(name, 'before\n');
    // A name that is not valid text.
    const rawName = Buffer.concat([Buffer.from(`${folder}/raw-`), Buffer.from([0xff, 0xfe])]);
    const {files, diff} = await change(() => {
      for (const name of oddNames) write(name, 'after\n');
      writeFileSync(rawName, 'after\n');
    });
    expect(files.toSorted()).toEqual([...oddNames, 'raw-\ufffd\ufffd'].toSorted());
    expect(diff).toContain('+++ b/grüße/日本語 🙂.txt\t\n');
    expect(diff).toContain('+++ "b/new\\nline"\n');

    const back = await change(() => {
      for (const name of oddNames) remove(name);
      rmSync(rawName);
    });
    expect(back.files.toSorted()).toEqual([...oddNames, 'raw-\ufffd\ufffd'].toSorted());
    expect(back.diff.match(/^deleted file mode 100644$/gm)).toHaveLength(oddNames.length + 1);
  });

  test('symbolic links, as links', async () => {
    const {change, write, folder, remove} = testRepository();
    const outside = temporaryFolder();
    writeFileSync(path.join(outside, 'secret'), 'secret\n');
    write('target', 'target\n');
    symlinkSync('target', path.join(folder, 'link'));
    write('becomes-link/file');
    const {files, diff} = await change(() => {
      remove('link');
      symlinkSync('readme.md', path.join(folder, 'link'));
      symlinkSync(outside, path.join(folder, 'way-out'));
      symlinkSync('nowhere', path.join(folder, 'dangling'));
      remove('becomes-link');
      symlinkSync(outside, path.join(folder, 'becomes-link'));
    });
    expect(files).toEqual(['becomes-link', 'becomes-link/file', 'dangling', 'link', 'way-out']);
    expect(diff).toContain('-target\n\\ No newline at end of file\n+readme.md\n');
    expect(diff).not.toContain('secret');
  });

  test('the executable bit', async () => {
    const {change, write, folder} = testRepository();
    write('run.sh', '#!/bin/sh\n');
    const {files, diff} = await change(() => chmodSync(path.join(folder, 'run.sh'), 0o755));
    expect(files).toEqual(['run.sh']);
    expect(diff).toBe('diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n');
  });

  test('files that become folders and folders that become files', async () => {
    const {change, write, remove} = testRepository();
    write('file');
    write('folder/inside');
    const {files} = await change(() => {
      remove('file');
      write('file/now-inside');
      remove('folder');
      write('folder');
    });
    expect(files).toEqual(['file', 'file/now-inside', 'folder', 'folder/inside']);
  });

  test('files that become empty folders', async () => {
    const {change, write, remove, folder} = testRepository();
    write('file');
    const {files, diff} = await change(() => {
      remove('file');
      mkdirSync(path.join(folder, 'file'));
      write('other');
    });
    expect(files).toEqual(['file', 'other']);
    expect(diff).toContain('deleted file mode 100644');
  });

  test('a change that keeps size and time', async () => {
    const {change, write, folder} = testRepository();
    write('a', '1111\n');
    const file = path.join(folder, 'a');
    const {files} = await change(() => {
      const {atime, mtime} = statSync(file);
      writeFileSync(file, '2222\n');
      utimesSync(file, atime, mtime);
    });
    expect(files).toEqual(['a']);
  });

  test('changes in quick succession', async () => {
    const {tracker, write} = testRepository();
    const tracked = tracker();
    write('a', '0000\n');
    const trees = new Set<string | null>([await tracked.snapshot()]);
    for (let round = 1; round <= 5; round++) {
      write('a', `${round}${round}${round}${round}\n`);
      trees.add(await tracked.snapshot());
    }
    expect(trees.size).toBe(6);
  });

  test('a change within the second of the previous snapshot, found by a later one', async () => {
    const {tracker, write} = testRepository();
    const tracked = tracker();
    const second = () => Math.floor(Date.now() / 1000);
    let start: number;
    let before: string | null;
    let content = 1111;
    do {
      start = second();
      write('a', `${content++}\n`);
      before = await tracked.snapshot();
      write('a', `${content++}\n`);
    } while (second() !== start);
    // To git the file looks the same as before: same size, same second. Only the time of the index shows the difference.
    await vi.waitUntil(() => second() > start, {timeout: 30_000});
    expect(await tracked.snapshot()).not.toBe(before);
  });

  test('not a file that was only touched, which is not read again each time', async () => {
    const {change, folder} = testRepository();
    const {files} = await change(() => utimesSync(path.join(folder, 'readme.md'), 1, 1));
    expect(files).toEqual([]);
  });

  test('what the task committed', async () => {
    const {change, write, commit, git} = testRepository();
    const {files} = await change(() => {
      git('checkout', '-q', '-b', 'task');
      write('a');
      commit();
      write('b');
      git('add', 'b');
      git('stash', '-q');
    });
    expect(files).toEqual(['a']);
  });

  test('exact bytes, whatever the attributes say', async () => {
    const {change, write, git} = testRepository();
    git('config', 'core.autocrlf', 'true');
    write(
      '.gitattributes',
      '* text=auto eol=lf\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n*.no -diff\n',
    );
    write('lines.txt', 'one\n');
    write('a.id', '$Id$\n');
    write('a.u16', 'not utf-16 at all');
    write('a.no', 'one\n');
    const {files, diff} = await change(() => {
      write('lines.txt', 'one\r\n');
      write('a.id', '$Id: x$\n');
      write('a.no', 'two\n');
    });
    expect(files).toEqual(['a.id', 'a.no', 'lines.txt']);
    expect(diff).toContain('-one\n+one\r\n');
    expect(diff).toContain('-one\n+two\n');
  });

  test("never Blackbird's state and never the plan", async () => {
    const {change, write, commit} = testRepository();
    write('.blackbird/config.json', '{}\n');
    write('blackbird.plan.json', '{}\n');
    write('sub/blackbird.plan.json', '{}\n');
    commit();
    const {files} = await change(() => {
      write('.gitignore', '!.blackbird\n!.blackbird/**\n');
      write('.blackbird/config.json', '{"a":1}\n');
      write('.blackbird/runs/a/1.json', '{}\n');
      write('blackbird.plan.json', '{"a":1}\n');
      write('sub/blackbird.plan.json', '{"a":1}\n');
    });
    expect(files).toEqual(['.gitignore', 'sub/blackbird.plan.json']);
  });
});

describe('ignored files', () => {
  test('are left out, by every rule that git knows', async () => {
    const {change, write, folder, env, git} = testRepository();
    write('.gitignore', '*.log\n');
    write('dir/.gitignore', 'local\n');
    writeFileSync(path.join(folder, '.git/info/exclude'), 'by-info\n');
    mkdirSync(path.join(env.HOME ?? '', '.config/git'), {recursive: true});
    writeFileSync(path.join(env.HOME ?? '', '.config/git/ignore'), 'by-user\n');
    const files = ['a.log', 'dir/local', 'by-info', 'by-user'];
    const seen = await change(() => {
      for (const file of [...files, 'local', 'seen']) write(file);
    });
    expect(seen.files).toEqual(['local', 'seen']);

    writeFileSync(path.join(env.HOME ?? '', 'my ignores'), 'by-setting\n');
    git('config', '--global', 'core.excludesFile', '~/my ignores');
    const again = await change(() => {
      for (const file of ['by-setting', 'by-user']) write(file, 'changed\n');
    });
    expect(again.files).toEqual(['by-user']);
  });

  test('are included when they are tracked', async () => {
    const {change, write, git, commit, remove, folder} = testRepository();
    write('.gitignore', 'dist\n*.env\n');
    write('dist/tracked.js', 'one\n');
    write('dist/other.js', 'one\n');
    symlinkSync('tracked.js', path.join(folder, 'dist/link.js'));
    git('add', '-f', 'dist/tracked.js', 'dist/link.js');
    commit();
    const {files} = await change(() => {
      write('dist/tracked.js', 'two\n');
      write('dist/other.js', 'two\n');
      remove('dist/link.js');
    });
    expect(files).toEqual(['dist/link.js', 'dist/tracked.js']);
    const later = await change(() => {
      write('x.env', 'added by force\n');
      git('add', '-f', 'x.env');
      remove('dist/tracked.js');
    });
    expect(later.files).toEqual(['dist/tracked.js', 'x.env']);
  });

  test('that the task itself ignored stay included for this task, but not for the next', async () => {
    const {change, write} = testRepository();
    write('build/out.js', 'one\n');
    const {files, diff} = await change(() => {
      write('.gitignore', 'build\n');
      write('build/out.js', 'two\n');
    });
    expect(files).toEqual(['.gitignore', 'build/out.js']);
    expect(diff).toContain('-one\n+two\n');
    const next = await change(() => write('build/out.js', 'three\n'));
    expect(next.files).toEqual([]);
  });

  test('that the task itself ignored stay included for another Blackbird that continues it', async () => {
    const {tracker, write} = testRepository();
    write('build/out.js', 'one\n');
    const from = (await tracker().snapshot()) ?? '';
    write('.gitignore', 'build\n');
    write('build/out.js', 'two\n');
    write('build/new.js', 'two\n');
    const next = tracker();
    const to = (await next.snapshot(from)) ?? '';
    expect((await next.files(from, to)).map(({path: file}) => file)).toEqual(['.gitignore', 'build/out.js']);
  });

  test('ignored just now are included when they are tracked', async () => {
    const {tracker, write, commit} = testRepository();
    write('build/out.js', 'one\n');
    commit();
    const tracked = tracker();
    await tracked.snapshot();
    write('.gitignore', 'build\n');
    const from = await tracked.snapshot();
    write('build/out.js', 'two\n');
    const to = await tracked.snapshot(from);
    expect((await tracked.summarize(from, to)).files).toEqual(['build/out.js']);
  });
});

describe('every kind of repository', () => {
  test('one without a commit', async () => {
    const {change, write} = testRepository({commit: false});
    write('a', 'one\n');
    const {files} = await change(() => {
      write('a', 'two\n');
      write('b');
    });
    expect(files).toEqual(['a', 'b']);
  });

  test('an empty one', async () => {
    const {change, write} = testRepository({commit: false});
    const {files, diff} = await change(() => write('a', 'one\n'));
    expect(files).toEqual(['a']);
    expect(diff).toContain('+one\n');
  });

  test('one whose objects have SHA-256 names', async () => {
    const folder = temporaryFolder();
    execFileSync('git', ['init', '-q', '--object-format=sha256', folder]);
    const {change, write} = testRepository({folder});
    const {files, from} = await change(() => write('a'));
    expect(files).toEqual(['a']);
    expect(from).toHaveLength(64);
  });

  test('a project in a subfolder: the task may change the whole repository', async () => {
    const {change, write} = testRepository();
    write('app/blackbird.plan.json', '{}\n');
    const {files} = await change(
      () => {
        write('app/blackbird.plan.json', '{"a":1}\n');
        write('app/.blackbird/x');
        write('app/a');
        write('lib/b');
        write('blackbird.plan.json');
      },
      {below: 'app'},
    );
    expect(files).toEqual(['app/a', 'blackbird.plan.json', 'lib/b']);
  });

  test('a linked worktree', async () => {
    const {git, folder, commit, write} = testRepository();
    write('.gitignore', 'trees\n');
    commit();
    const tree = path.join(folder, 'trees/one');
    git('worktree', 'add', '-q', '-b', 'one', tree);
    const worktree = testRepository({folder: tree, commit: false});
    const before = fingerprint(path.join(folder, '.git'));
    const {files} = await worktree.change(() => worktree.write('a'));
    expect(files).toEqual(['a']);
    expect(fingerprint(path.join(folder, '.git'))).toEqual(before);
  });

  test('one below a path with colons, quotes and spaces', async () => {
    const folder = path.join(temporaryFolder(), 'a:b "c" d');
    const {change, write, commit} = testRepository({folder});
    for (let file = 0; file < 20; file++) write(`f${file}`);
    commit();
    const {files} = await change(() => write('a'));
    expect(files).toEqual(['a']);
    // Borrowed, not stored again: the way to the objects of the repository was found.
    expect(fingerprint(path.join(folder, '.blackbird/changes/objects'))).not.toHaveProperty('[length]', 0);
    expect(looseObjects(folder)).toBeLessThan(10);
  });

  test('submodules: their files, committed or not', async () => {
    const library = testRepository();
    library.write('lib.c', 'one\n');
    library.commit();
    const {git, folder, change, commit, write, env} = testRepository();
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.folder, 'vendor/lib');
    commit();
    const inside = (...args: string[]) => git('-C', 'vendor/lib', ...args);
    const {files} = await change(() => write('vendor/lib/lib.c', 'two\n'));
    expect(files).toEqual(['vendor/lib/lib.c']);
    const {files: committed, diff} = await change(() => {
      write('vendor/lib/lib.c', 'three\n');
      write('vendor/lib/new.c');
      inside('add', '-A');
      inside('commit', '-q', '-m', 'in the submodule');
      write('main.c');
    });
    expect(committed).toEqual(['main.c', 'vendor/lib/lib.c', 'vendor/lib/new.c']);
    expect(diff).toContain('-two\n+three\n');
    expect(looseObjects(folder)).toBeLessThan(15);

    const clone = temporaryFolder();
    execFileSync('git', ['clone', '-q', folder, clone], {env});
    const uninitialized = testRepository({folder: clone, commit: false});
    const seen = await uninitialized.change(() => uninitialized.write('a'));
    expect(seen.files).toEqual(['a']);
  });

  test('submodules and the repository, after all of their indexes broke', async () => {
    const library = testRepository();
    const {git, folder, change, commit, write} = testRepository();
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.folder, 'lib');
    commit();
    await change(() => {});
    for (const name of readdirSync(path.join(folder, '.blackbird/changes'))) {
      if (name.endsWith('.index')) writeFileSync(path.join(folder, '.blackbird/changes', name), 'nonsense');
    }
    const {files} = await change(() => write('lib/new.c'));
    expect(files).toEqual(['lib/new.c']);
  });

  test('nested repositories: their files, committed or not', async () => {
    const {change, folder, write} = testRepository();
    const {files, summary} = await change(() => {
      const clone = testRepository({folder: path.join(folder, 'clone')});
      clone.write('uncommitted');
      testRepository({folder: path.join(folder, 'empty'), commit: false}).write('new');
      write('a');
    });
    expect(files).toEqual(['a', 'clone/readme.md', 'clone/uncommitted', 'empty/new']);
    const nested = (folder: string, names: string) => ({
      kind: 'nested_repository',
      text: `${folder} is a git repository of its own; in it: ${names}`,
      path: folder,
    });
    expect(summary.side_effects).toEqual([
      nested('clone', 'clone/readme.md, clone/uncommitted'),
      nested('empty', 'empty/new'),
    ]);
    const next = await change(() => write('clone/uncommitted', 'changed\n'));
    expect(next.files).toEqual(['clone/uncommitted']);
  });

  test('a nested repository that git cannot open counts as one entry, which changes with anything in it', async () => {
    const {change, folder, write} = testRepository();
    const {files} = await change(() => {
      const odd = testRepository({folder: path.join(folder, 'odd')});
      odd.git('config', 'core.repositoryFormatVersion', '99');
      write('odd/hidden');
    });
    expect(files).toEqual(['odd']);
    expect((await change(() => write('odd/hidden', 'more than before\n'))).files).toEqual(['odd']);
    expect((await change(() => {})).files).toEqual([]);
  });

  test('binary files, and files larger than 1 MB, are named', async () => {
    const {change, write} = testRepository();
    const {summary} = await change(() => {
      write('at.txt', 'x'.repeat(1024 * 1024));
      write('above.txt', 'x'.repeat(1024 * 1024 + 1));
      write('a.bin', Buffer.from([0, 1, 2]));
    });
    expect(summary.side_effects).toEqual([
      {kind: 'large_file', text: 'large files: above.txt (2 MB)', path: 'above.txt'},
      {kind: 'binary_file', text: 'binary files: a.bin', path: 'a.bin'},
    ]);
  });

  test('deleted files that git has no copy of are named', async () => {
    const {change, write, commit, remove} = testRepository();
    for (const name of ['committed', 'edited', 'large']) write(name, 'first\n');
    commit();
    write('edited', 'mine\n');
    write('mine.txt', 'mine, too\n');
    write('large', 'x'.repeat(9 * 1024 * 1024));
    const {summary} = await change(() => {
      for (const name of ['committed', 'edited', 'mine.txt', 'large']) remove(name);
    });
    expect(summary.side_effects).toEqual([
      {kind: 'lost_file', text: 'deleted, with no copy left: large', path: 'large'},
      {
        kind: 'lost_file',
        text: 'deleted, and not in git; blackbird undo brings back: edited, mine.txt',
        path: 'edited',
      },
    ]);
  });

  test('deleted files are named when git cannot tell whether it has them', async () => {
    const {change, write, commit, remove} = testRepository();
    for (const name of ['a', 'b']) write(name, 'mine\n');
    commit();
    const {summary} = await change(() => {
      remove('a');
      write('.git/config', '[');
    });
    expect(summary).toMatchObject({
      files: ['a'],
      side_effects: [
        {kind: 'lost_file', text: 'deleted, and git cannot tell whether it has a copy: a', path: 'a'},
      ],
    });
  });

  test('small deleted files are read by a single git process, whatever they contain', async () => {
    const {change, write, remove} = testRepository();
    const texts = ['', '\n', 'a b 3\n', '\u00e9\0', '9 bytes, changed x; cannot be read\n'];
    for (const [at, text] of texts.entries()) write(`f${at}`, text);
    const {summary} = await change(() => {
      for (const at of texts.keys()) remove(`f${at}`);
    });
    expect(summary.side_effects).toEqual([
      {kind: 'lost_file', text: 'deleted, with no copy left: f4', path: 'f4'},
      {
        kind: 'lost_file',
        path: 'f0',
        text: 'deleted, and not in git; blackbird undo brings back: f0, f1, f2, f3',
      },
    ]);
  });

  test('pipes and sockets do not block', async () => {
    const {change, folder, write} = testRepository();
    const {files} = await change(() => {
      execFileSync('mkfifo', [path.join(folder, 'pipe')]);
      write('a');
    });
    expect(files).toEqual(['a']);
  });
});

describe('what git would leave out', () => {
  test.each(['git~1', 'below/GIT~1', '.git ', '.git.'])('%j is an ordinary file', async (name) => {
    const {change, write} = testRepository();
    const {diff} = await change(() => write(name, 'evil\n'));
    expect(diff).toContain('\n+evil\n');
  });

  test('a link in place of .gitmodules, which git refuses, hides no other change', async () => {
    const {change, write, folder} = testRepository();
    const {files, diff} = await change(() => {
      symlinkSync('readme.md', path.join(folder, '.gitmodules'));
      write('other');
    });
    expect(files).toEqual(['.gitmodules', 'other']);
    expect(diff).toMatch(/^\+9 bytes, changed \S+; cannot be read$/m);
  });

  test('a folder called .GIT does not make two names one', async () => {
    const {change, write, folder, commit} = testRepository();
    write('src/a.js');
    commit();
    mkdirSync(path.join(folder, '.GIT'));
    const {files} = await change(() => {
      write('README.md', 'evil\n');
      write('SRC/a.js', 'evil\n');
    });
    expect(files).toEqual(['README.md', 'SRC/a.js']);
  });

  test('a repository that was moved away, with a file that points to it, is still used', async () => {
    const {change, write, folder} = testRepository();
    const elsewhere = temporaryFolder();
    const {files} = await change(() => {
      renameSync(path.join(folder, '.git'), path.join(elsewhere, 'moved'));
      write('.git', `gitdir: ${path.join(elsewhere, 'moved')}\n`);
      write('evil');
    });
    expect(files).toEqual(['evil']);
  });

  test('a file that becomes unreadable is reported as such, and hides no other change', async () => {
    const {change, write, remove, folder, commit} = testRepository();
    write('a', 'kind\n');
    commit();
    const {files, diff} = await change(() => {
      remove('a');
      execFileSync('mkfifo', [path.join(folder, 'a')]);
      write('b');
    });
    expect(files).toEqual(['a', 'b']);
    expect(diff).toMatch(/^-kind\n\+0 bytes, changed \S+; cannot be read$/m);
    const {files: same} = await change(() => {});
    expect(same).toEqual([]);
  });
});

describe('large files', () => {
  const limit = 8 * 1024 * 1024;

  test('are stored up to the limit, and compared by size and time above it', async () => {
    const {change, write, folder} = testRepository();
    write('at', Buffer.alloc(limit));
    write('above', Buffer.alloc(limit + 1));
    write('grows', 'small\n');
    const {files, diff} = await change(() => {
      write('at', Buffer.alloc(limit, 1));
      truncateSync(path.join(folder, 'above'), limit * 3);
      truncateSync(path.join(folder, 'grows'), limit + 1);
      write('a');
    });
    expect(files).toEqual(['a', 'above', 'at', 'grows']);
    expect(diff).toMatch(/^-8388609 bytes, changed \S+; too large to be recorded\n\+25165824 bytes, /m);
    expect(diff).toContain('-small\n+8388609 bytes, changed ');
    const {files: shrunk} = await change(() => {
      truncateSync(path.join(folder, 'above'), 5);
      rmSync(path.join(folder, 'grows'));
    });
    expect(shrunk).toEqual(['above', 'grows']);
    const {files: same} = await change(() => {});
    expect(same).toEqual([]);
  });

  test('are changed when they get the same size and their old time back', async () => {
    const {change, write, folder} = testRepository();
    write('large', Buffer.alloc(limit + 1));
    const {mtime} = statSync(path.join(folder, 'large'));
    const {files} = await change(() => {
      write('large', Buffer.alloc(limit + 1, 1));
      utimesSync(path.join(folder, 'large'), mtime, mtime);
    });
    expect(files).toEqual(['large']);
  });

  test('of LFS are not copied', async () => {
    const {change, write, folder} = testRepository();
    write('.gitattributes', '*.psd filter=lfs diff=lfs merge=lfs -text\n');
    write('a.psd', Buffer.alloc(64 * 1024 + 1));
    write('small.psd', Buffer.alloc(64 * 1024));
    write('a.png', Buffer.alloc(64 * 1024 + 1));
    const {files, diff} = await change(() => {
      for (const file of ['a.psd', 'small.psd', 'a.png']) appendFileSync(path.join(folder, file), 'more');
    });
    expect(files).toEqual(['a.png', 'a.psd', 'small.psd']);
    expect(diff).toContain('-65537 bytes, changed ');
    // The small one was stored before, and became too large for that.
    expect(diff.match(/^Binary files/gm)).toHaveLength(2);
  });
});

describe('very many files', () => {
  test('5,000 changed files make a bounded summary', async () => {
    const {change, write, tracker} = testRepository();
    const {from, to, files} = await change(() => {
      for (let file = 0; file < 5_000; file++) {
        write(`many/${String(file).padStart(4, '0')}.txt`, 'a line of text\n'.repeat(30));
      }
    });
    expect(files).toHaveLength(25);
    const summary = await tracker().summarize(from, to);
    expect(summary.total_files).toBe(5_000);
    expect(Buffer.byteLength(summary.diffstat)).toBeLessThanOrEqual(4_000);
    expect(summary.diffstat).toMatch(/\n \.\.\.\n 5000 files changed, 150000 insertions\(\+\)$/);
    expect(summary.snippets).toHaveLength(3);
    for (const {snippet} of summary.snippets) expect(snippet.split('\n')).toHaveLength(20);
    expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThan(10_000);
  });
});

describe("the user's data", () => {
  test('is the same before and after, to the byte', async () => {
    const {write, commit, git, change, folder, env} = testRepository();
    write('a', 'one\n');
    write('stashed', 'one\n');
    commit();
    git('tag', 'v1');
    write('stashed', 'two\n');
    git('stash', '-q');
    write('a', 'staged\n');
    git('add', 'a');
    write('a', 'staged and changed\n');
    write('untracked');
    const home = fingerprint(env.HOME ?? '');
    const before = fingerprint(path.join(folder, '.git'));
    const {files} = await change(() => write('b'));
    expect(files).toEqual(['b']);
    expect(fingerprint(path.join(folder, '.git'))).toEqual(before);
    expect(fingerprint(env.HOME ?? '')).toEqual(home);
    expect(git('status', '--porcelain')).toBe('MM a\n?? .blackbird/\n?? b\n?? untracked\n');
  });

  test("contains nothing of Blackbird's, which keeps its own privately", async () => {
    const {change, write, folder} = testRepository();
    await change(() => write('a'));
    const kept = path.join(folder, '.blackbird/changes');
    const [index, objects, work = '', ...others] = readdirSync(kept).sort();
    expect([index, objects, others]).toEqual(['main.index', 'objects', []]);
    expect(work).toMatch(/^work\./);
    for (const each of ['.', 'objects', work])
      expect(statSync(path.join(kept, each)).mode & 0o777).toBe(0o700);
  });
});

describe('a change can be shown later', () => {
  test("after the files changed again and the user's repository dropped or lost everything", async () => {
    const {change, write, git, folder, tracker, commit} = testRepository();
    for (let file = 0; file < 5; file++) write(`dir/f${file}`, `${file}\n`);
    commit();
    write('dir/f0', 'only staged\n');
    git('add', '-A');
    const {from, to, diff} = await change(() => {
      write('dir/f0', 'by the task\n');
      write('dir/f1', 'by the task\n');
    });
    write('dir/f1', 'later\n');
    git('add', '-A');
    git('commit', '-q', '--amend', '-m', 'another');
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    const again = () => tracker().diff(from ?? '', to ?? '', {stat: false});
    expect(await again()).toBe(diff);
    rmSync(path.join(folder, '.git'), {recursive: true});
    expect(await again()).toBe(diff);
  });

  test.each(['a file', 'a folder'])(
    "even of %s that was recorded before the user's repository dropped it",
    async (what) => {
      const {change, write, git, commit} = testRepository();
      const file = what === 'a file' ? 'f' : 'dir/f';
      write(file, 'one\n');
      commit();
      await change(() => write('other'));
      git('reset', '-q', 'HEAD~1');
      git('reflog', 'expire', '--expire=now', '--all');
      git('gc', '-q', '--prune=now');
      const {files, diff} = await change(() => write(file, 'one\ntwo\n'));
      expect(files).toEqual([file]);
      expect(diff).toContain('@@ -1 +1,2 @@\n one\n+two\n');
    },
  );

  test('even of files that one tracker recorded before and after the repository dropped them', async () => {
    const {tracker, write, git, commit} = testRepository();
    const tracked = tracker();
    write('dir/f', 'one\n');
    commit();
    write('not committed');
    const before = await tracked.snapshot();
    git('reset', '-q', 'HEAD~1');
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    const from = await tracked.snapshot();
    write('dir/f', 'two\n');
    const to = await tracked.snapshot(from);
    expect(from).toBe(before);
    expect(await tracked.diff(from ?? '', to ?? '', {stat: false})).toContain('-one\n+two\n');
  });

  test('as a table', async () => {
    const {change, write, tracker} = testRepository();
    const {from, to} = await change(() => write('a', 'one\n'));
    expect(await tracker().diff(from ?? '', to ?? '', {stat: true})).toBe(
      ' a (new) | 1 +\n 1 file changed, 1 insertion(+)\n',
    );
  });

  test('after any number of runs, from a few files', async () => {
    const {write, tracker, folder} = testRepository();
    const tracked = tracker();
    const trees = [await tracked.snapshot()];
    for (let run = 0; run < 52; run++) {
      write('a', `${run}\n`);
      trees.push(await tracked.snapshot());
      await tracked.summarize(trees.at(-2) ?? null, trees.at(-1) ?? null);
    }
    const packs = readdirSync(path.join(folder, '.blackbird/changes/objects/pack'));
    expect(packs.filter((name) => name.endsWith('.pack')).length).toBeLessThan(5);
    expect(await tracked.diff(trees[1] ?? '', trees[2] ?? '', {stat: false})).toContain('-0\n+1\n');
    expect(await tracked.diff(trees[0] ?? '', trees[52] ?? '', {stat: false})).toContain('+51\n');
  });

  test('up to a size that a person could read', async () => {
    const {write, tracker} = testRepository();
    const from = await tracker().snapshot();
    const lines = `${'x'.repeat(99)}\n`.repeat(80_000);
    for (let file = 0; file < 9; file++) write(`f${file}`, `${file}${lines}`);
    const to = await tracker().snapshot(from);
    const {message} = await rejectionOf(tracker().diff(from ?? '', to ?? '', {stat: false}));
    expect(message).toBe(
      'the change cannot be shown: git diff-tree printed more than 64 MiB; --stat shows its files',
    );
    expect(await tracker().diff(from ?? '', to ?? '', {stat: true})).toContain(' 9 files changed, ');
    const {snippets, files} = await tracker().summarize(from, to);
    expect({files: files.length, snippets: snippets.length}).toEqual({files: 9, snippets: 3});
  });

  test('or the reason why not', async () => {
    const {tracker, folder, change, write} = testRepository();
    const {from, to} = await change(() => write('a'));
    const ids: Array<[string, string]> = [
      ['HEAD', 'HEAD~1'],
      ['--output=x', from ?? ''],
      ['', ''],
      [from ?? '', 'f'.repeat(40)],
    ];
    for (const [one, other] of ids) {
      const {code} = await rejectionOf(tracker().diff(one, other, {stat: false}));
      expect(code).toBe('E_DIFF_UNAVAILABLE');
    }
    rmSync(path.join(folder, '.blackbird'), {recursive: true});
    const {message} = await rejectionOf(tracker().diff(from ?? '', to ?? '', {stat: false}));
    expect(message).toMatch(
      /^the change cannot be shown: git no longer has the recorded files of this task;/,
    );
  });
});

describe('without git', () => {
  const nothing = {files: [], diffstat: '', snippets: []};

  test('no repository: no tree, and a summary that says so', async () => {
    const {tracker, folder} = testRepository();
    rmSync(path.join(folder, '.git'), {recursive: true});
    const tracked = tracker();
    expect(await tracked.snapshot()).toBeNull();
    expect(await tracked.summarize(null, null)).toEqual({...nothing, note: 'there is no git repository'});
    expect(existsSync(path.join(folder, '.blackbird'))).toBe(false);
  });

  test('no git program', async () => {
    const {tracker} = testRepository();
    const tracked = tracker({env: {PATH: temporaryFolder()}});
    expect(await tracked.snapshot()).toBeNull();
    expect(await tracked.summarize(null, null)).toEqual({...nothing, note: 'git is not installed'});
  });

  test('a repository that git does not understand', async () => {
    const {tracker, folder} = testRepository();
    writeFileSync(path.join(folder, '.git/HEAD'), 'nonsense');
    const tracked = tracker();
    expect(await tracked.snapshot()).toBeNull();
    expect((await tracked.summarize(null, null)).note).toMatch(
      /^git rev-parse failed: fatal: not a git repository/,
    );
  });

  test('a git that hangs ends at the limit', async () => {
    const {tracker, folder} = testRepository();
    execFileSync('mkfifo', [path.join(folder, '.gitattributes')]);
    execFileSync('mkfifo', [path.join(folder, '.gitignore')]);
    const tracked = tracker({timeLimitMs: 1_000});
    expect(await tracked.snapshot()).toBeNull();
    expect(await tracked.summarize(null, null)).toEqual({...nothing, note: 'git took longer than 1 s'});
    rmSync(path.join(folder, '.gitattributes'));
    rmSync(path.join(folder, '.gitignore'));
    expect(await tracker().snapshot()).toMatch(/^[0-9a-f]{40}$/);
  });

  test('a Ctrl+C that also reaches git is survived, one that repeats forever is not', async () => {
    const {tracker} = testRepository();
    const expected = await tracker().snapshot();
    const folder = temporaryFolder();
    const git = (times: number) => {
      const real = execFileSync('sh', ['-c', 'command -v git'], {encoding: 'utf8'}).trim();
      const script = `#!/bin/sh\nfor n in $(seq ${times}); do mkdir "${folder}/$1-$n" 2>/dev/null && kill -INT $$; done\nexec ${real} "$@"\n`;
      writeFileSync(path.join(folder, 'git'), script, {mode: 0o755});
      return tracker({env: {PATH: `${folder}:${process.env.PATH}`}});
    };
    expect(await git(1).snapshot()).toBe(expected);
    const tracked = git(20);
    expect(await tracked.snapshot()).toBeNull();
    expect((await tracked.summarize(null, null)).note).toMatch(/^git [\w-]+ was interrupted$/);
  });

  test('trees that are gone', async () => {
    const {tracker} = testRepository();
    const {note, ...rest} = await tracker().summarize('a'.repeat(40), 'b'.repeat(40));
    expect(rest).toEqual(nothing);
    expect(note).toMatch(/^git diff-tree failed: fatal: /);
  });

  test('only one of the two trees', async () => {
    const {tracker} = testRepository();
    const tracked = tracker();
    const tree = await tracked.snapshot();
    const {note, ...rest} = await tracked.summarize(null, tree);
    expect({note, rest}).toEqual({note: 'the files were not recorded', rest: nothing});
  });
});

describe('left-over state', () => {
  test('a broken index is rebuilt', async () => {
    const {change, write, folder} = testRepository();
    await change(() => {});
    for (const content of ['', 'nonsense', Buffer.alloc(100)]) {
      writeFileSync(path.join(folder, '.blackbird/changes/main.index'), content);
      const {files} = await change(() => write('a', `${content.length}\n`));
      expect(files).toEqual(['a']);
    }
  });

  test('an index whose objects are gone is rebuilt', async () => {
    const {change, write, folder} = testRepository({commit: false});
    write('a', 'one\n');
    await change(() => {});
    rmSync(path.join(folder, '.blackbird/changes/objects'), {recursive: true});
    const {files, diff} = await change(() => write('a', 'two\n'));
    expect(files).toEqual(['a']);
    expect(diff).toContain('-one\n+two\n');
  });

  test('folders of dead processes are removed, those of live ones are not', async () => {
    const {change, folder} = testRepository();
    await change(() => {});
    const dead = execFileSync('sh', ['-c', 'echo $$'], {encoding: 'utf8'}).trim();
    const kept = path.join(folder, '.blackbird/changes');
    for (const pid of [dead, process.pid]) mkdirSync(path.join(kept, `work.${pid}.0123456789ab`));
    await change(() => {});
    const left = readdirSync(kept).filter((name) => name.startsWith('work'));
    expect(left).toContain(`work.${process.pid}.0123456789ab`);
    expect(left.filter((name) => !name.startsWith(`work.${process.pid}.`))).toEqual([]);
  });

  test('links that lead elsewhere are refused', async () => {
    for (const link of [
      '.blackbird',
      '.blackbird/changes',
      '.blackbird/changes/objects',
      '.blackbird/changes/objects/pack',
    ]) {
      const {tracker, folder} = testRepository();
      const elsewhere = temporaryFolder();
      mkdirSync(path.dirname(path.join(folder, link)), {recursive: true});
      symlinkSync(elsewhere, path.join(folder, link));
      const tracked = tracker();
      expect(await tracked.snapshot()).toBeNull();
      expect((await tracked.summarize(null, null)).note).toContain('is a symbolic link');
      expect(readdirSync(elsewhere)).toEqual([]);
    }
  });

  test('a link in place of the index is not followed', async () => {
    const {change, write, folder} = testRepository();
    await change(() => {});
    const index = path.join(folder, '.blackbird/changes/main.index');
    rmSync(index);
    symlinkSync('/dev/zero', index);
    const {files} = await change(() => write('a'));
    expect(files).toEqual(['a']);
  });
});

describe('concurrently', () => {
  test('snapshots of one and of several trackers agree', async () => {
    const {tracker, write} = testRepository();
    for (let file = 0; file < 200; file++) write(`f${file}`);
    const one = tracker();
    const trees = await Promise.all([one, one, one, tracker(), tracker()].map((each) => each.snapshot()));
    expect(new Set(trees).size).toBe(1);
    expect(trees[0]).toMatch(/^[0-9a-f]{40}$/);
  });

  test('snapshots, summaries and a repack by the user do not disturb each other', async () => {
    const {tracker, write, git, folder} = testRepository();
    const tracked = tracker();
    const from = await tracked.snapshot();
    write('a', 'one\n');
    const to = await tracked.snapshot(from);
    const jobs = Array.from({length: 4}, () => [
      tracked.summarize(from, to),
      tracker().diff(from ?? '', to ?? '', {stat: true}),
      tracker().snapshot(),
    ]).flat();
    git('gc', '-q');
    const results = await Promise.all(jobs);
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(3);
    const left = readdirSync(path.join(folder, '.blackbird/changes')).sort();
    expect(left.slice(0, 2)).toEqual(['main.index', 'objects']);
    // One to work in rests until the process ends.
    expect(left.length).toBeLessThanOrEqual(3);
  });
});

/** Objects that were stored again in Blackbird's own folder. */
function looseObjects(folder: string): number {
  const objects = path.join(folder, '.blackbird/changes/objects');
  const entries = readdirSync(objects, {recursive: true, encoding: 'utf8'});
  return entries.filter((entry) => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(entry)).length;
}

describe('the index kept between two snapshots', () => {
  test.each(['--assume-unchanged', '--skip-worktree'])(
    'hides nothing after an agent set %s in it',
    async (way) => {
      const {folder, env, tracker, write, commit} = testRepository();
      write('file', 'kind\n');
      commit();
      const looking = tracker();
      const from = (await looking.snapshot()) ?? '';
      write('file', 'evil\n');
      execFileSync('git', ['update-index', way, 'file'], {
        cwd: folder,
        env: {...env, GIT_INDEX_FILE: path.join(folder, '.blackbird/changes/main.index')},
      });
      for (const each of [looking, tracker()]) {
        const to = (await each.snapshot(from)) ?? '';
        expect(await each.files(from, to)).toEqual([
          {path: 'file', kind: 'changed', lines: {added: 1, removed: 1}},
        ]);
      }
    },
  );
});
