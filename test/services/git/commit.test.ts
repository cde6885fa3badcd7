import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryFolder} from '../../helpers/temp-folder.ts';
import {
  canary,
  changeOf,
  type TaskHistory,
  type TestRepository,
  ten,
  testRepository,
} from './test-repository.ts';

const request = {
  message: 'Do it\n\nBlackbird-Task: a\nBlackbird-Run: a-1\n',
  mark: {trailer: 'Blackbird-Run', value: 'a-1'},
};

/** A task changed files, and its change is committed. */
async function committed(history: TaskHistory, repository = testRepository()) {
  const {git, folder} = repository;
  const {from, to} = await changeOf(history, repository);
  const files = await repository.tracker().snapshot(to);
  const isLocked = () => existsSync(path.join(folder, '.git/index.lock'));
  const wasLocked = isLocked();
  const outcome = await repository.tracker().commit({from, to}, request);
  expect(await repository.tracker().snapshot(to)).toBe(files);
  expect(isLocked()).toBe(wasLocked);
  return {
    outcome,
    change: {from, to},
    repository,
    /** The paths that the commit changed, and how. */
    shown: () => git('show', '--format=', '--name-status', '--no-renames', 'HEAD').trim().split('\n'),
    status: () =>
      git('status', '--porcelain', '--untracked-files=all')
        .split('\n')
        .filter((line) => line !== '' && !line.includes('.blackbird')),
    inHead: (file: string) => git('show', `HEAD:${file}`),
  };
}

describe('the commit of a task', () => {
  test("contains exactly its change, with the message and the user's name", async () => {
    const {outcome, shown, status, repository} = await committed({
      before: ({write, commit, remove}) => {
        for (const file of ['changed', 'deleted', 'mine', 'gone']) write(file);
        commit();
        write('mine', 'not committed\n');
        write('untracked', 'mine\n');
        remove('gone');
      },
      task: ({write, remove}) => {
        write('changed', 'task\n');
        write('dir/new', 'task\n');
        remove('deleted');
      },
    });
    const {git} = repository;
    expect(outcome).toEqual({sha: git('rev-parse', 'HEAD').trim(), branch: 'main'});
    expect(shown()).toEqual(['M\tchanged', 'D\tdeleted', 'A\tdir/new']);
    expect(status()).toEqual([' D gone', ' M mine', '?? untracked']);
    expect(git('log', '-1', '--format=%an <%ae>%n%cn%n%B').trimEnd()).toBe(
      'tester <tester@localhost>\ntester\nDo it\n\nBlackbird-Task: a\nBlackbird-Run: a-1',
    );
    expect(git('reflog', '-1', '--format=%gs').trim()).toBe('blackbird: Do it');
    expect(git('fsck', '--strict')).toBe('');
  });

  test("leaves the user's edits in the same file, staged and unstaged, as they were", async () => {
    const {outcome, inHead, repository} = await committed({
      before: ({write, commit, git}) => {
        write('file', ten());
        commit();
        write('file', ten([0, 'staged']));
        git('add', 'file');
        write('file', ten([0, 'staged'], [9, 'edited']));
      },
      task: ({write}) => write('file', ten([0, 'staged'], [5, 'task'], [9, 'edited'])),
    });
    expect(outcome).toMatchObject({branch: 'main'});
    expect(inHead('file')).toBe(ten([5, 'task']));
    expect(repository.git('show', ':file')).toBe(ten([0, 'staged'], [5, 'task']));
    expect(repository.git('diff', '--cached', '--numstat').trim()).toBe('1\t1\tfile');
    expect(repository.git('diff', '--numstat').trim()).toBe('1\t1\tfile');
  });

  test('keeps the line endings that the user commits', async () => {
    const {inHead, status} = await committed({
      before: ({write, commit, git}) => {
        git('config', 'core.autocrlf', 'true');
        write('crlf.txt', ten().replaceAll('\n', '\r\n'));
        commit();
        git('add', '--renormalize', '.');
      },
      task: ({write}) => write('crlf.txt', ten([3, 'task']).replaceAll('\n', '\r\n')),
    });
    expect(inHead('crlf.txt')).toBe(ten([3, 'task']));
    expect(status()).toEqual([]);
  });

  test('includes modes, links, binary files and unusual names', async () => {
    const {shown, status} = await committed({
      before: ({write, commit}) => {
        write('program');
        write('binary', Buffer.from([0, 1, 2]));
        commit();
      },
      task: ({write, folder}) => {
        chmodSync(path.join(folder, 'program'), 0o755);
        write('binary', Buffer.from([0, 255, 10]));
        symlinkSync('readme.md', path.join(folder, 'link'));
        for (const name of ['ä ö.txt', '-x', '*.txt', 'new\nline']) write(name, 'task\n');
      },
    });
    expect(shown()).toHaveLength(7);
    expect(status()).toEqual([]);
  });

  test('is the first on a branch without commits', async () => {
    const {outcome, status, shown} = await committed(
      {
        before: ({write}) => write('mine', 'mine\n'),
        task: ({write}) => write('new', 'task\n'),
      },
      testRepository({commit: false}),
    );
    expect(outcome).toMatchObject({branch: 'main'});
    expect([shown(), status()]).toEqual([['A\tnew'], ['?? mine']]);
  });

  test('goes where HEAD is, also detached', async () => {
    const {outcome, repository} = await committed({
      before: ({git}) => git('checkout', '-q', '--detach'),
      task: ({write}) => write('readme.md', 'task\n'),
    });
    expect(outcome).toEqual({sha: repository.git('rev-parse', 'HEAD').trim()});
    expect(repository.git('log', '--format=%s', 'main').trim()).toBe('a commit');
  });

  test('is made in a worktree of the repository', async () => {
    const main = testRepository();
    const folder = path.join(temporaryFolder(), 'tree');
    main.git('worktree', 'add', '-q', '-b', 'side', folder);
    const repository = {
      ...main,
      folder,
      git: (...args: readonly string[]) => main.git('-C', folder, ...args),
    };
    const write = (file: string, text = '') => writeFileSync(path.join(folder, file), text);
    const {createChangeTracker} = await import('../../../src/services/git/change-tracker.ts');
    const {projectFolder} = await import('../../../src/services/stores/project-folder.ts');
    const {reviewRules} = await import('../../../src/machines/policies/review/review-summary.ts');
    const tracker = createChangeTracker({project: projectFolder(folder), env: main.env, rules: reviewRules});
    const from = (await tracker.snapshot()) ?? '';
    write('readme.md', 'task\n');
    const to = (await tracker.snapshot(from)) ?? '';
    expect(await tracker.commit({from, to}, request)).toMatchObject({branch: 'side'});
    expect(repository.git('status', '--porcelain', '-uno')).toBe('');
    expect(main.git('log', '--format=%s').trim()).toBe('a commit');
  });

  test('is made once: a second attempt finds it', async () => {
    const {outcome, change, repository} = await committed({task: ({write}) => write('readme.md', 'task\n')});
    repository.write('other');
    repository.commit('a later one');
    expect(await repository.tracker().commit(change, request)).toEqual(outcome);
    expect(repository.git('rev-list', '--count', 'HEAD').trim()).toBe('3');
  });

  test.each([
    {name: 'a commit', commit: true},
    {name: 'a first commit', commit: false},
  ])('never replaces $name made at the same moment', async ({commit}) => {
    const repository = testRepository({commit});
    const {git, folder, write} = repository;
    const bin = temporaryFolder();
    const real = execFileSync('sh', ['-c', 'command -v git'], {encoding: 'utf8'}).trim();
    // Right before HEAD is moved.
    const rival = `'${real}' -C '${folder}' commit -q --allow-empty -m rival`;
    writeFileSync(
      path.join(bin, 'git'),
      `#!/bin/sh\ncase " $* " in *' update-ref '*) (unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; ${rival}) >/dev/null ;; esac\nexec '${real}' "$@"\n`,
      {mode: 0o755},
    );
    const from = (await repository.tracker().snapshot()) ?? '';
    write('new', 'task\n');
    const to = (await repository.tracker().snapshot(from)) ?? '';
    const env = {PATH: `${bin}:${repository.env.PATH}`};
    expect(await repository.tracker({env}).commit({from, to}, request)).toEqual({
      skipped: 'HEAD moved while the commit was made',
    });
    expect(git('log', '--format=%s').trim().split('\n')[0]).toBe('rival');
  });

  test('leaves the mode of the index as it was', async () => {
    const {outcome, repository} = await committed({
      before: ({folder}) => chmodSync(path.join(folder, '.git/index'), 0o640),
      task: ({write}) => write('new', 'task\n'),
    });
    expect(outcome).toMatchObject({branch: 'main'});
    expect(statSync(path.join(repository.folder, '.git/index')).mode & 0o777).toBe(0o640);
  });

  test('is not made when something is staged at the same moment, and that stays staged', async () => {
    const repository = testRepository();
    const {git, folder, write} = repository;
    const bin = temporaryFolder();
    const real = execFileSync('sh', ['-c', 'command -v git'], {encoding: 'utf8'}).trim();
    // After our copy of the index was made, and before it replaces the index.
    const rival = `(unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; '${real}' -C '${folder}' add mine)`;
    writeFileSync(
      path.join(bin, 'git'),
      `#!/bin/sh\ncase "$GIT_INDEX_FILE" in */user.index) ${rival} ;; esac\nexec '${real}' "$@"\n`,
      {mode: 0o755},
    );
    write('mine');
    const from = (await repository.tracker().snapshot()) ?? '';
    write('new', 'task\n');
    const to = (await repository.tracker().snapshot(from)) ?? '';
    const head = git('rev-parse', 'HEAD');
    const env = {PATH: `${bin}:${repository.env.PATH}`};
    expect(await repository.tracker({env}).commit({from, to}, request)).toEqual({
      skipped: 'another git is changing the index',
    });
    expect(git('diff', '--cached', '--name-only')).toBe('mine\n');
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(existsSync(path.join(folder, '.git/index.lock'))).toBe(false);
  });

  test('moves HEAD once the index is written and unlocked: a crash then leaves no lock, and nothing to undo', async () => {
    const repository = testRepository();
    const {git, folder, write} = repository;
    const [bin, seen] = [temporaryFolder(), path.join(temporaryFolder(), 'seen')];
    const real = execFileSync('sh', ['-c', 'command -v git'], {encoding: 'utf8'}).trim();
    const look = `ls '${folder}/.git/index.lock' || '${real}' -C '${folder}' diff --cached --name-only`;
    const script = `case " $* " in *' update-ref '*) (${look}) > '${seen}' 2> /dev/null;; esac\nexec '${real}' "$@"\n`;
    writeFileSync(path.join(bin, 'git'), `#!/bin/sh\n${script}`, {mode: 0o755});
    const tracker = repository.tracker({env: {PATH: `${bin}:${process.env.PATH}`}});
    const from = (await tracker.snapshot()) ?? '';
    write('readme.md', 'task\n');
    const to = (await tracker.snapshot(from)) ?? '';
    expect(await tracker.commit({from, to}, request)).toMatchObject({branch: 'main'});
    expect(readFileSync(seen, 'utf8')).toBe('readme.md\n');
    expect(git('status', '--porcelain', '-uno')).toBe('');
  });

  test('is made after a first attempt died with the index written: what the user staged stays staged', async () => {
    const {outcome, inHead, status, repository} = await committed({
      before: ({write, commit, git}) => {
        write('file', ten());
        commit();
        write('file', ten([0, 'staged']));
        git('add', 'file');
      },
      task: ({write}) => write('file', ten([0, 'staged'], [5, 'task'])),
      since: ({git}) => git('add', 'file'),
    });
    expect(outcome).toMatchObject({branch: 'main'});
    expect(inHead('file')).toBe(ten([5, 'task']));
    expect(repository.git('show', ':file')).toBe(ten([0, 'staged'], [5, 'task']));
    expect(status()).toEqual(['M  file']);
  });

  test.each([
    {name: 'nothing', forge: () => {}, made: ['A\tother', 'A\tpart']},
    {
      name: 'a part of the change',
      forge: ({git}: TestRepository) => git('add', 'part'),
      made: ['A\tother'],
    },
    {
      name: 'more than the change',
      forge: ({git, write}: TestRepository) => {
        write('more', 'never seen\n');
        git('add', 'part', 'more');
      },
      made: ['A\tother'],
    },
  ])('is made although the agent put the trailer on a commit of $name', async ({forge, made}) => {
    const {outcome, shown, repository} = await committed({
      task: ({write}) => ['part', 'other'].map((file) => write(file)),
      since: (it) => {
        forge(it);
        it.git('commit', '-q', '--allow-empty', '-m', request.message);
      },
    });
    expect(outcome).toMatchObject({sha: repository.git('rev-parse', 'HEAD').trim(), branch: 'main'});
    expect(shown()).toEqual(made);
  });

  test('runs no program configured in the repository', async () => {
    const {program, wasRun} = canary(temporaryFolder());
    const {outcome} = await committed({
      before: ({git, folder}) => {
        for (const key of ['core.fsmonitor', 'core.editor', 'gpg.program', 'diff.external'])
          git('config', key, program);
        git('config', 'commit.gpgSign', 'true');
        mkdirSync(path.join(folder, '.git/hooks'), {recursive: true});
        for (const hook of [
          'pre-commit',
          'commit-msg',
          'post-commit',
          'reference-transaction',
          'post-index-change',
        ])
          symlinkSync(program, path.join(folder, '.git/hooks', hook));
      },
      task: ({write}) => write('new', 'task\n'),
    });
    expect(outcome).toMatchObject({branch: 'main'});
    expect(wasRun()).toBe(false);
  });
});

describe('what undos took out since the last commit', () => {
  /** Three files are in HEAD, an undo takes them out of the working files, and the task begins again. */
  async function repeated(since: (repository: TestRepository) => void) {
    const repository = testRepository();
    const {git, write, folder} = repository;
    const files = ['one', 'two', 'three'];
    for (const file of files) write(file, `${file}\n`);
    git('add', '.');
    git('commit', '-qm', 'the last commit');
    const tracker = repository.tracker();
    const undone = await changeOf(
      {task: () => files.map((file) => rmSync(path.join(folder, file))), since},
      repository,
    );
    const change = await changeOf({task: () => write('one', 'again\n')}, repository);
    const commit = () => tracker.commit(change, request, {...undone, now: change.from});
    const outcome = await commit();
    const inHead = git('ls-tree', '--name-only', 'HEAD', ...files)
      .trim()
      .split('\n');
    return {repository, outcome, inHead, commit, one: git('show', 'HEAD:one')};
  }

  test('is taken out of HEAD with the next one, which is made once', async () => {
    const {outcome, inHead, one, commit, repository} = await repeated(() => {});
    expect(outcome.sha).toBe(repository.git('rev-parse', 'HEAD').trim());
    expect({inHead, one}).toEqual({inHead: ['one'], one: 'again\n'});
    expect(await commit()).toEqual(outcome);
    expect(repository.git('status', '--porcelain', '-uno')).toBe('');
  });

  test('stays taken out where a part of it is no longer in HEAD', async () => {
    const {inHead, one, repository} = await repeated(({git}) => git('commit', '-qm', 'in part', 'one'));
    expect({inHead, one}).toEqual({inHead: ['one'], one: 'again\n'});
    expect(repository.git('status', '--porcelain', '-uno')).toBe('');
  });

  test('stays in HEAD where the user brought it back, or committed something else', async () => {
    const {inHead, one, repository} = await repeated(({git, write}) => {
      git('restore', 'two');
      write('three', 'mine\n');
      git('commit', '-qm', 'mine', 'three');
    });
    expect({inHead, one}).toEqual({inHead: ['one', 'three', 'two'], one: 'again\n'});
    expect(repository.git('show', 'HEAD:three')).toBe('mine\n');
    expect(repository.git('status', '--porcelain', '-uno')).toBe('');
  });
});

describe('nothing is committed, and the reason is given,', () => {
  const cases: Record<string, TaskHistory & {readonly skipped: string}> = {
    'where the user has edited the same lines': {
      before: ({write}) => write('readme.md', 'mine\n'),
      task: ({write}) => write('readme.md', 'mine and task\n'),
      skipped: 'readme.md differs from HEAD in the same place: your own change is not committed',
    },
    'where the index has a conflict that no merge left': {
      before: ({write, commit, git}) => {
        write('file', ten());
        commit();
        write('file', ten([0, 'stashed']));
        git('stash', '-q');
        write('file', ten([0, 'other']));
        commit();
        try {
          git('stash', 'apply', '-q');
        } catch {
          // The intended conflict.
        }
      },
      task: ({write}) => write('file', ten([0, 'other'], [9, 'task'])),
      since: ({write}) => write('file', ten([0, 'other'], [9, 'task'])),
      skipped: 'file is in conflict in the index',
    },
    'where the user has staged the same lines': {
      before: ({write, commit, git}) => {
        write('file', ten());
        commit();
        write('file', ten([3, 'staged']));
        git('add', 'file');
        write('file', ten());
      },
      task: ({write}) => write('file', ten([3, 'task'])),
      skipped: 'file: what you have staged is in the same place',
    },
    'where the task changed a file that was never committed': {
      before: ({write}) => write('mine', 'mine\n'),
      task: ({write}) => write('mine', 'task\n'),
      skipped: 'mine is not in HEAD: it was there, and not committed, before the task',
    },
    'where it changed nothing': {task: () => {}, skipped: 'it changed no files'},
    'where the agent committed its change': {
      task: ({write}) => write('readme.md', 'task\n'),
      since: ({commit}) => commit('by the agent'),
      skipped: 'nothing is left to commit: HEAD has the change already',
    },
    'during a merge': {
      task: ({write}) => write('new', 'task\n'),
      since: ({folder, git}) => writeFileSync(path.join(folder, '.git/MERGE_HEAD'), git('rev-parse', 'HEAD')),
      skipped: 'a merge is in progress',
    },
    'during a rebase': {
      task: ({write}) => write('new', 'task\n'),
      since: ({folder}) => mkdirSync(path.join(folder, '.git/rebase-merge')),
      skipped: 'a rebase is in progress',
    },
    'during a bisect': {
      task: ({write}) => write('new', 'task\n'),
      since: ({folder}) => writeFileSync(path.join(folder, '.git/BISECT_LOG'), ''),
      skipped: 'a bisect is in progress',
    },
    'where a filter would have to run': {
      before: ({write, commit}) => {
        write('.gitattributes', '*.bin filter=lfs\n');
        commit();
      },
      task: ({write}) => write('a.bin', 'task\n'),
      skipped: 'a.bin goes through the git filter lfs',
    },
    'where it worked in a repository inside this one': {
      before: ({folder}) => void testRepository({folder: path.join(folder, 'sub')}),
      task: ({write}) => write('sub/new', 'task\n'),
      skipped: 'sub is a repository of its own',
    },
    'while another git changes the index': {
      task: ({write}) => write('new', 'task\n'),
      since: ({folder}) => writeFileSync(path.join(folder, '.git/index.lock'), ''),
      skipped: 'another git is changing the index',
    },
    'while another git moves HEAD': {
      before: ({write, git}) => {
        write('staged', 'mine\n');
        git('add', 'staged');
      },
      task: ({write}) => write('new', 'task\n'),
      since: ({folder, git}) =>
        writeFileSync(path.join(folder, '.git', `${git('symbolic-ref', 'HEAD').trim()}.lock`), ''),
      skipped: 'HEAD moved while the commit was made',
    },
  };

  test.each(Object.entries(cases))('%s', async (_, {skipped, ...each}) => {
    const repository = testRepository();
    const {git} = repository;
    let seen: readonly unknown[] = [];
    const state = () => [git('rev-parse', 'HEAD'), git('ls-files', '-s'), git('stash', 'list')];
    const {outcome} = await committed(
      {
        ...each,
        since: (given) => {
          each.since?.(given);
          seen = state();
        },
      },
      repository,
    );
    expect(outcome).toEqual({skipped});
    expect(state()).toEqual(seen);
  });

  test('without a committer identity', async () => {
    const repository = testRepository();
    const {write, folder} = repository;
    const tracker = repository.tracker({
      env: {GIT_AUTHOR_NAME: '', GIT_AUTHOR_EMAIL: '', GIT_COMMITTER_NAME: '', GIT_COMMITTER_EMAIL: ''},
    });
    const from = (await tracker.snapshot()) ?? '';
    write('new', 'task\n');
    const to = (await tracker.snapshot(from)) ?? '';
    expect(await tracker.commit({from, to}, request)).toEqual({
      skipped: 'git does not know who you are: set user.name and user.email with git config --global',
    });
    rmSync(path.join(folder, '.git'), {recursive: true});
    expect(Object.keys(await tracker.commit({from, to}, request))).toEqual(['skipped']);
  });
});
