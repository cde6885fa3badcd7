import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {writeFiles} from '../../../src/services/git/write-files.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {canary, changeOf, fingerprint, type TaskHistory, ten, testRepository} from './test-repository.ts';

/** A task changed files, someone else changed some since, and the task is undone. */
async function undo(history: TaskHistory, {isForced = false, repository = testRepository()} = {}) {
  const {from, to} = await changeOf(history, repository);
  const head = () => [
    repository.git('rev-parse', 'HEAD'),
    repository.git('-c', 'core.fsmonitor=false', 'ls-files', '-s'),
  ];
  const untouched = head();
  const plan = await repository.tracker().planUndo({from, to}, {isForced});
  if (plan.conflicts.length === 0 || isForced) await repository.tracker().applyUndo(plan);
  expect(head()).toEqual(untouched);
  expect(await repository.tracker().snapshot(to)).toBe(plan.to);
  return {
    files: plan.files.map(({path: file, kind}) => `${kind} ${file}`),
    conflicts: plan.conflicts,
    text: (file: string) => readFileSync(path.join(repository.folder, file), 'utf8'),
    has: (file: string) => existsSync(path.join(repository.folder, file)),
    at: (file: string) => path.join(repository.folder, file),
    plan,
    repository,
  };
}

describe('an undo restores', () => {
  test('what a task changed, created and deleted, and nothing else', async () => {
    const {files, conflicts, text, has} = await undo({
      before: ({write, commit}) => {
        for (const file of ['changed', 'deleted', 'other', 'dir/deleted']) write(file);
        commit();
        write('dirty', 'mine\n');
      },
      task: ({write, remove}) => {
        write('changed', 'by the task\n');
        remove('deleted');
        remove('dir');
        write('new/deep/file', 'by the task\n');
      },
      since: ({write}) => write('other', 'later\n'),
    });
    expect(conflicts).toEqual([]);
    expect(files).toEqual([
      'changed changed',
      'restored deleted',
      'restored dir/deleted',
      'removed new/deep/file',
    ]);
    expect([text('changed'), text('deleted'), text('dir/deleted')]).toEqual([
      'changed\n',
      'deleted\n',
      'dir/deleted\n',
    ]);
    expect([text('other'), text('dirty')]).toEqual(['later\n', 'mine\n']);
    expect(has('new')).toBe(false);
  });

  test('its lines in a file that someone edited before and since', async () => {
    const {text, conflicts} = await undo({
      before: ({write, commit}) => {
        write('file', ten());
        commit();
        write('file', ten([0, 'before']));
      },
      task: ({write}) => write('file', ten([0, 'before'], [4, 'task'])),
      since: ({write}) => write('file', ten([0, 'before'], [4, 'task'], [9, 'since'])),
    });
    expect(conflicts).toEqual([]);
    expect(text('file')).toBe(ten([0, 'before'], [9, 'since']));
  });

  test("bytes as they were: CRLF, binary, no newline at the end, whatever the repository's settings", async () => {
    const binary = Buffer.from([0, 255, 13, 10, 0, 128]);
    const {repository} = await undo({
      before: ({write, commit, git}) => {
        git('config', 'core.autocrlf', 'input');
        write('.gitattributes', '*.txt text eol=lf\n');
        write('crlf.txt', 'one\r\ntwo\r\n');
        write('binary', binary);
        write('bare', 'no newline');
        commit();
      },
      task: ({write}) => {
        write('crlf.txt', 'one\ntwo\nthree\n');
        write('binary', Buffer.from([1, 2, 3, 0]));
        write('bare', 'a newline\n');
      },
    });
    const bytes = (file: string) => readFileSync(path.join(repository.folder, file));
    expect(bytes('crlf.txt').toString()).toBe('one\r\ntwo\r\n');
    expect(bytes('binary')).toEqual(binary);
    expect(bytes('bare').toString()).toBe('no newline');
  });

  test('modes, links and kinds', async () => {
    const {files, at, text} = await undo({
      before: ({write, commit, folder}) => {
        write('program', 'x\n', 0o755);
        write('private', 'x\n', 0o600);
        write('becomes-link');
        write('becomes-folder');
        write('folder-becomes-file/inner');
        symlinkSync('readme.md', path.join(folder, 'link'));
        commit();
      },
      task: ({write, folder, remove}) => {
        chmodSync(path.join(folder, 'program'), 0o644);
        write('private', 'y\n', 0o600);
        remove('becomes-link');
        symlinkSync('/etc/hostname', path.join(folder, 'becomes-link'));
        remove('becomes-folder');
        write('becomes-folder/inner', 'task\n');
        remove('folder-becomes-file');
        write('folder-becomes-file', 'task\n');
        unlinkSync(path.join(folder, 'link'));
        symlinkSync('elsewhere', path.join(folder, 'link'));
      },
    });
    expect(files).toHaveLength(8);
    expect(lstatSync(at('program')).mode & 0o777).toBe(0o755);
    expect(lstatSync(at('private')).mode & 0o777).toBe(0o600);
    expect(text('private')).toBe('x\n');
    expect(lstatSync(at('becomes-link')).isFile()).toBe(true);
    expect(text('becomes-folder')).toBe('becomes-folder\n');
    expect(text('folder-becomes-file/inner')).toBe('folder-becomes-file/inner\n');
    expect(readlinkSync(at('link'))).toBe('readme.md');
  });

  test('unusual names', async () => {
    const names = ['ä ö/ü.txt', '日本.txt', '-rf', '*.txt', 'new\nline', 'quote"d', ':(top)x', '.gitignored'];
    const {conflicts, has, text} = await undo({
      before: ({write, commit}) => {
        write('*.txt', 'before\n');
        commit();
      },
      task: ({write}) => {
        for (const name of names) write(name, 'task\n');
      },
    });
    expect(conflicts).toEqual([]);
    expect(names.filter((name) => name !== '*.txt' && has(name))).toEqual([]);
    expect(text('*.txt')).toBe('before\n');
  });

  test('a renamed file, with later edits in it', async () => {
    const {files, text, has} = await undo({
      before: ({write, commit}) => {
        write('old', ten());
        commit();
      },
      task: ({git, folder}) => {
        git('mv', 'old', 'new');
        writeFileSync(path.join(folder, 'new'), ten([1, 'task']));
      },
      since: ({write}) => write('new', ten([1, 'task'], [8, 'since'])),
    });
    expect(files).toEqual(['removed new', 'restored old']);
    expect(text('old')).toBe(ten([8, 'since']));
    expect(has('new')).toBe(false);
  });

  test('files of a nested repository, and never ignored files', async () => {
    const {text, has} = await undo({
      before: ({write, commit, folder, git}) => {
        testRepository({folder: path.join(folder, 'sub')});
        write('.gitignore', 'cache/\n');
        write('cache/kept', 'mine\n');
        git('add', '.gitignore');
        commit();
      },
      task: ({write}) => {
        write('sub/readme.md', 'task\n');
        write('cache/made', 'ignored\n');
      },
    });
    expect(text('sub/readme.md')).toBe('hello\n');
    expect([has('cache/kept'), has('cache/made'), has('sub/.git/HEAD')]).toEqual([true, true, true]);
  });

  test('the change of a repository without a commit', async () => {
    const repository = testRepository({commit: false});
    const {write, folder} = repository;
    write('mine', 'mine\n');
    const tracker = repository.tracker();
    const from = (await tracker.snapshot()) ?? '';
    write('mine', 'task\n');
    write('new', 'task\n');
    const to = (await tracker.snapshot(from)) ?? '';
    await tracker.applyUndo(await tracker.planUndo({from, to}, {isForced: false}));
    expect(readFileSync(path.join(folder, 'mine'), 'utf8')).toBe('mine\n');
    expect(existsSync(path.join(folder, 'new'))).toBe(false);
  });

  test('nothing twice: files that are already restored stay', async () => {
    const {plan, files} = await undo({
      task: ({write}) => write('readme.md', 'task\n'),
      since: ({write}) => write('readme.md', 'hello\n'),
    });
    expect({files, to: plan.to}).toEqual({files: [], to: plan.from});
  });
});

describe('a conflict', () => {
  const cases: Record<string, TaskHistory & {reason: string; path: string}> = {
    'the same lines were edited': {
      path: 'readme.md',
      task: ({write}) => write('readme.md', 'task\n'),
      since: ({write}) => write('readme.md', 'since\n'),
      reason: 'edited since, in the same place',
    },
    'a binary file was changed': {
      path: 'binary',
      before: ({write, commit}) => {
        write('binary', Buffer.from([0, 1]));
        commit();
      },
      task: ({write}) => write('binary', Buffer.from([0, 2])),
      since: ({write}) => write('binary', Buffer.from([0, 3])),
      reason: 'edited since, in the same place',
    },
    'it was deleted': {
      path: 'readme.md',
      task: ({write}) => write('readme.md', 'task\n'),
      since: ({remove}) => remove('readme.md'),
      reason: 'deleted since',
    },
    'a file that the task created was edited': {
      path: 'new',
      task: ({write}) => write('new', 'task\n'),
      since: ({write}) => write('new', 'task\nsince\n'),
      reason: 'edited since; the task created it',
    },
    'a file that the task deleted was made again': {
      path: 'readme.md',
      task: ({remove}) => remove('readme.md'),
      since: ({write}) => write('readme.md', 'since\n'),
      reason: 'created again since',
    },
    'it is a link now': {
      path: 'readme.md',
      task: ({write}) => write('readme.md', 'task\n'),
      since: ({remove, folder}) => {
        remove('readme.md');
        symlinkSync('elsewhere', path.join(folder, 'readme.md'));
      },
      reason: 'replaced by something else since',
    },
  };

  test.each(Object.entries(cases))('is reported and touches nothing: %s', async (_, each) => {
    const repository = testRepository();
    const files = () => fingerprint(repository.folder);
    let before: Record<string, string> = {};
    const {conflicts} = await undo(
      {
        ...each,
        since: (seen) => {
          seen.write('kept', 'kept\n');
          each.since?.(seen);
          before = files();
        },
      },
      {repository},
    );
    expect(conflicts).toEqual([{path: each.path, reason: each.reason, isForceable: true}]);
    const worked = ([name]: readonly [string, string]) => !name.startsWith('.blackbird');
    expect(Object.entries(files()).filter(worked)).toEqual(Object.entries(before).filter(worked));
  });

  test.each(Object.entries(cases))('is overridden by force: %s', async (_, each) => {
    const repository = testRepository();
    const {plan} = await undo(each, {isForced: true, repository});
    expect(plan.files.map(({path: file}) => file)).toEqual([each.path]);
    // Overwritten content is in the recorded tree: the undo can be undone.
    const tracker = repository.tracker();
    const back = await tracker.planUndo({from: plan.from, to: plan.to}, {isForced: false});
    expect(back.conflicts).toEqual([]);
    await tracker.applyUndo(back);
    expect(await tracker.snapshot(plan.to)).toBe(plan.from);
  });

  test('content that was never recorded, or has no place any more, stays even with force', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024, 'x');
    const {conflicts, has, text} = await undo(
      {
        before: ({write, commit}) => {
          write('dir/file', 'before\n');
          commit();
        },
        task: ({write, remove}) => {
          write('large', large);
          remove('dir/file');
        },
        since: ({folder}) => {
          rmSync(path.join(folder, 'dir'), {recursive: true, force: true});
          mkdirSync(path.join(folder, 'real'));
          symlinkSync('real', path.join(folder, 'dir'));
        },
      },
      {isForced: true},
    );
    expect(conflicts).toEqual([
      {path: 'dir/file', reason: 'dir is no longer a folder', isForceable: false},
      {path: 'large', reason: 'too large to have been recorded', isForceable: false},
    ]);
    expect([has('large'), has('real/file')]).toEqual([true, false]);
    expect(text('readme.md')).toBe('hello\n');
  });
});

test('a file whose place is taken by a folder with other files is not restored, even with force', async () => {
  const {conflicts, text} = await undo(
    {
      task: ({remove}) => remove('readme.md'),
      since: ({write}) => write('readme.md/mine', 'mine\n'),
    },
    {isForced: true},
  );
  const reason = 'a folder is in its place, with readme.md/mine';
  expect(conflicts).toEqual([{path: 'readme.md', reason, isForceable: false}]);
  expect(text('readme.md/mine')).toBe('mine\n');
});

describe('writing', () => {
  test('is refused, as a whole, when a file changed since it was planned', async () => {
    const repository = testRepository();
    const {write, folder} = repository;
    const tracker = repository.tracker();
    const from = (await tracker.snapshot()) ?? '';
    write('readme.md', 'task\n');
    write('new', 'task\n');
    const to = (await tracker.snapshot(from)) ?? '';
    const plan = await tracker.planUndo({from, to}, {isForced: false});
    write('readme.md', 'meanwhile\n');
    expect(await rejectionOf(tracker.applyUndo(plan))).toMatchObject({
      code: 'E_UNDO_REFUSED',
      details: [['changed', 'readme.md']],
    });
    expect(readFileSync(path.join(folder, 'readme.md'), 'utf8')).toBe('meanwhile\n');
    expect(existsSync(path.join(folder, 'new'))).toBe(true);
  });

  test('restores everything when one file cannot be written', () => {
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    const place = {top: at('top'), staged: at('staged'), replaced: at('replaced')};
    for (const each of Object.values(place)) mkdirSync(each);
    mkdirSync(at('top/dir'));
    writeFileSync(at('top/dir/goes'), 'before\n', {mode: 0o640});
    writeFileSync(at('top/changes'), 'before\n');
    writeFileSync(at('staged/changes'), 'after\n');
    mkdirSync(at('staged/new'));
    writeFileSync(at('staged/new/file'), 'after\n');
    const before = fingerprint(place.top);
    const entry = {mode: '100644', id: 'a'.repeat(40)};
    const entries = [
      {file: 'dir/goes', entry: {mode: '000000', id: ''}},
      {file: 'changes', entry},
      {file: 'new/file', entry},
      {file: 'not-staged', entry},
    ];
    expect(() => writeFiles(entries, place)).toThrow(/the files could not be written: ENOENT/);
    expect(fingerprint(place.top)).toEqual(before);
  });

  test('runs no program configured in the repository', async () => {
    const {program, wasRun} = canary(temporaryFolder());
    await undo({
      before: ({write, commit, git, folder}) => {
        write('file', ten());
        commit();
        write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
        for (const [key, value] of Object.entries({
          'filter.evil.clean': program,
          'filter.evil.smudge': program,
          'diff.evil.textconv': program,
          'diff.external': program,
          'merge.evil.driver': program,
          'core.fsmonitor': program,
        }))
          git('config', key, value);
        for (const hook of ['post-checkout', 'post-index-change'])
          symlinkSync(program, path.join(folder, '.git/hooks', hook));
      },
      task: ({write}) => write('file', ten([1, 'task'])),
      since: ({write}) => write('file', ten([1, 'task'], [9, 'since'])),
    });
    expect(wasRun()).toBe(false);
  });

  test('is refused without git, with the reason', async () => {
    const repository = testRepository();
    rmSync(path.join(repository.folder, '.git'), {recursive: true});
    const error = await rejectionOf(
      repository.tracker().planUndo({from: 'a'.repeat(40), to: 'b'.repeat(40)}, {isForced: false}),
    );
    expect(error).toMatchObject({
      code: 'E_UNDO_REFUSED',
      message: 'the change cannot be undone: there is no git repository',
    });
  });
});
