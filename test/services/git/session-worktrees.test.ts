import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {createWorktrees, repositoryIdentity} from '../../../src/services/git/worktrees.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const identity = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** A repository with one commit on main. */
function repository({isEmpty = false} = {}) {
  const around = temporaryFolder();
  const root = path.join(around, 'repo');
  mkdirSync(root);
  const env = {...identity, PATH: process.env.PATH, HOME: around};
  const gitIn = (folder: string, ...args: readonly string[]) =>
    execFileSync('git', args, {cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']}).trim();
  const git = (...args: readonly string[]) => gitIn(root, ...args);
  git('init', '--quiet', '--initial-branch=main');
  if (!isEmpty) git('commit', '--quiet', '--allow-empty', '-m', 'begin');
  const place = path.join(around, 'tree');
  const worktrees = createWorktrees(env);
  const add = async (branch = 'agency/x-1') => {
    await worktrees.add({root, path: place, branch, commit: git('rev-parse', 'main')});
    return place;
  };
  const commit = (folder: string, message = 'work') =>
    gitIn(folder, 'commit', '--quiet', '--allow-empty', '-m', message);
  return {around, root, env, git, gitIn, worktrees, place, add, commit};
}

describe('the identity of a repository', () => {
  test.each([
    'git@github.com:test/repo',
    'git@github.com:test/repo.git',
    'https://github.com/test/repo',
    'https://github.com/test/repo.git',
  ])('%s is the same everywhere', (url) => {
    expect(repositoryIdentity(url, '/anywhere')).toEqual({
      repoKey: 'github:test/repo',
      repoId: '2bb51811aefd999f',
    });
  });

  test.each([
    null,
    '',
    'ssh://git@github.com/test/repo',
    'https://github.com/a/b/c',
    'git@example.com:a/b',
    'https://github.com/a',
  ])('%j is identified by its path', (url) => {
    expect(repositoryIdentity(url, '/a').repoKey).toMatch(/^path:[0-9a-f]{64}$/);
    expect(repositoryIdentity(url, '/a')).toEqual(repositoryIdentity(null, '/a'));
    expect(repositoryIdentity(url, '/a').repoId).not.toBe(repositoryIdentity(url, '/b').repoId);
  });

  test('is the same from the top, from below, through a link and from a worktree', async () => {
    const {root, around, worktrees, add} = repository();
    const found = await worktrees.repositoryAt(root);
    expect(found).toEqual({root, originUrl: null, ...repositoryIdentity(null, root)});
    mkdirSync(path.join(root, 'deep'));
    symlinkSync(root, path.join(around, 'link'));
    for (const folder of [path.join(root, 'deep'), path.join(around, 'link'), await add()]) {
      expect(await worktrees.repositoryAt(folder), folder).toEqual(found);
    }
  });

  test('uses the address as it is written, not as git rewrites it', async () => {
    const {root, git, worktrees} = repository();
    git('config', 'url.ssh://elsewhere/.insteadOf', 'https://github.com/');
    git('remote', 'add', 'origin', 'https://github.com/test/repo.git');
    expect(await worktrees.repositoryAt(root)).toMatchObject({
      repoId: '2bb51811aefd999f',
      originUrl: 'https://github.com/test/repo.git',
    });
  });

  test('of a bare one is its own', async () => {
    const {around, git, worktrees} = repository();
    const bare = path.join(around, 'bare.git');
    git('clone', '--quiet', '--bare', '.', bare);
    expect(await worktrees.repositoryAt(bare)).toMatchObject({root: bare, ...repositoryIdentity(null, bare)});
  });

  test('ignores git variables in the environment', async () => {
    const {root, env} = repository();
    const other = repository();
    const disturbed = createWorktrees({
      ...env,
      GIT_DIR: path.join(other.root, '.git'),
      GIT_WORK_TREE: other.root,
    });
    expect((await disturbed.repositoryAt(root)).root).toBe(root);
  });

  test('does not exist outside one', async () => {
    const {around, worktrees} = repository();
    expect(await rejectionOf(worktrees.repositoryAt(around))).toMatchObject({
      code: 'E_NO_REPO',
      message: 'not inside a git repository',
    });
  });

  test('a missing git is named', async () => {
    expect(await rejectionOf(createWorktrees({PATH: temporaryFolder()}).repositoryAt('/'))).toMatchObject({
      code: 'E_GIT_NOT_INSTALLED',
    });
  });
});

describe('branches', () => {
  test('the current one, and none when HEAD is detached', async () => {
    const {root, git, worktrees} = repository();
    expect(await worktrees.currentBranch(root)).toBe('main');
    git('checkout', '--quiet', '--detach');
    expect(await worktrees.currentBranch(root)).toBeNull();
  });

  test('only a local branch with its full name counts', async () => {
    const {root, git, worktrees} = repository();
    git('tag', 'v1');
    git('branch', 'feature/a');
    const commit = git('rev-parse', 'HEAD');
    expect(await worktrees.branchCommit(root, 'main')).toBe(commit);
    expect(await worktrees.branchCommit(root, 'feature/a')).toBe(commit);
    for (const wrong of [
      'v1',
      'HEAD',
      'main~0',
      'main^{commit}',
      '@',
      '--help',
      '',
      'feature',
      '../heads/main',
      'main\n',
      '$(id)',
    ]) {
      expect(await worktrees.branchCommit(root, wrong), wrong).toBeNull();
    }
  });

  test('an empty repository has no commits', async () => {
    expect(await repository({isEmpty: true}).worktrees.hasCommits(repository({isEmpty: true}).root)).toBe(
      false,
    );
    const {root, worktrees} = repository();
    expect(await worktrees.hasCommits(root)).toBe(true);
  });
});

describe('a worktree', () => {
  test('is created on its own branch, tracks nothing, and can be removed', async () => {
    const {root, git, gitIn, worktrees, add, place} = repository();
    git('config', 'branch.autoSetupMerge', 'always');
    await add();
    expect(gitIn(place, 'symbolic-ref', 'HEAD')).toBe('refs/heads/agency/x-1');
    expect(git('config', '--list')).not.toContain('branch.agency/x-1');
    await worktrees.remove(root, place);
    expect(existsSync(place)).toBe(false);
    expect(git('branch', '--list', 'agency/*', '--format=%(refname:short)')).toBe('agency/x-1');
  });

  test('whose folder is gone is pruned from git as well', async () => {
    const {root, git, worktrees, add} = repository();
    const place = await add();
    rmSync(place, {recursive: true});
    await worktrees.remove(root, place);
    expect(git('worktree', 'list', '--porcelain')).not.toContain(place);
    await worktrees.remove(root, place);
  });

  test('the main checkout is never removed', async () => {
    const {root, worktrees} = repository();
    expect(await rejectionOf(worktrees.remove(root, root))).toMatchObject({code: 'E_WORKTREE_REMOVE_FAILED'});
    expect(existsSync(path.join(root, '.git'))).toBe(true);
  });

  test('a folder unknown to git is left alone', async () => {
    const {around, root, worktrees} = repository();
    const folder = path.join(around, 'mine');
    mkdirSync(folder);
    await worktrees.remove(root, folder);
    expect(existsSync(folder)).toBe(true);
  });

  test('an existing branch is not touched', async () => {
    const {git, add, place} = repository();
    git('branch', 'agency/x-1');
    expect(await rejectionOf(add())).toMatchObject({
      code: 'E_WORKTREE_CREATE_FAILED',
      message: "git worktree add failed: a branch named 'agency/x-1' already exists",
    });
    expect(git('branch', '--list', 'agency/*')).toContain('agency/x-1');
    expect(existsSync(place)).toBe(false);
  });

  test('that fails half-way leaves neither folder nor branch', async () => {
    const {root, git, add, place} = repository();
    writeFileSync(path.join(root, '.gitattributes'), '* filter=broken\n');
    writeFileSync(path.join(root, 'file'), 'text');
    git('add', '.');
    git('commit', '--quiet', '-m', 'files');
    git('config', 'filter.broken.smudge', 'false');
    git('config', 'filter.broken.required', 'true');
    expect(await rejectionOf(add())).toMatchObject({code: 'E_WORKTREE_CREATE_FAILED'});
    expect({place: existsSync(place), branches: git('branch', '--list', 'agency/*')}).toEqual({
      place: false,
      branches: '',
    });
    expect(git('worktree', 'list', '--porcelain')).not.toContain(place);
  });

  test('a branch called agency is in the way, and git says so', async () => {
    const {git, add} = repository();
    git('branch', 'agency');
    expect((await rejectionOf(add())).message).toMatch(/^git worktree add failed: .*agency/s);
  });
});

describe('what would be lost', () => {
  test('changes and new files, but no ignored ones', async () => {
    const {root, git, worktrees, add} = repository();
    writeFileSync(path.join(root, '.gitignore'), 'ignored\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'ignore');
    const place = await add();
    writeFileSync(path.join(place, 'ignored'), '');
    expect(await worktrees.changes(place)).toEqual([]);
    git('config', 'status.showUntrackedFiles', 'no');
    writeFileSync(path.join(place, 'new'), '');
    writeFileSync(path.join(place, '.gitignore'), 'changed\n');
    expect(await worktrees.changes(place)).toEqual([' M .gitignore', '?? ignored', '?? new']);
  });

  test('commits on the session branch alone', async () => {
    const {root, gitIn, worktrees, add, commit} = repository();
    const place = await add();
    expect(await worktrees.unmergedCommits(root, place, 'agency/x-1')).toBeNull();
    commit(place);
    commit(place);
    const head = gitIn(place, 'rev-parse', 'HEAD');
    const unmerged = {count: 2, unbranched: 0, head};
    expect(await worktrees.unmergedCommits(root, place, 'agency/x-1')).toEqual(unmerged);
    rmSync(place, {recursive: true});
    expect(await worktrees.unmergedCommits(root, null, 'agency/x-1')).toEqual(unmerged);
  });

  test.each(['branch', 'tag', 'remote'])('commits that are also on a %s are safe', async (kind) => {
    const {root, git, worktrees, add, commit} = repository();
    const place = await add();
    commit(place);
    if (kind === 'branch') git('branch', 'kept', 'agency/x-1');
    if (kind === 'tag') git('tag', 'kept', 'agency/x-1');
    if (kind === 'remote') git('update-ref', 'refs/remotes/origin/kept', 'agency/x-1');
    expect(await worktrees.unmergedCommits(root, place, 'agency/x-1')).toBeNull();
  });

  test('commits of a detached HEAD are on no branch', async () => {
    const {root, gitIn, worktrees, add, commit} = repository();
    const place = await add();
    commit(place);
    gitIn(place, 'checkout', '--quiet', '--detach');
    commit(place);
    const head = gitIn(place, 'rev-parse', 'HEAD');
    expect(await worktrees.unmergedCommits(root, place, 'agency/x-1')).toEqual({
      count: 2,
      unbranched: 1,
      head,
    });
    gitIn(place, 'branch', 'rescued');
    expect(await worktrees.unmergedCommits(root, place, 'agency/x-1')).toBeNull();
  });

  test('a branch that is gone, and its folder too: nothing is left to lose', async () => {
    const {root, worktrees} = repository();
    expect(await worktrees.unmergedCommits(root, null, 'agency/gone')).toBeNull();
  });
});

test('checking runs no hook and no fsmonitor of the repository', async () => {
  const {around, root, git, worktrees, add} = repository();
  const place = await add();
  const hook = path.join(around, 'hook');
  writeFileSync(hook, `#!/bin/sh\necho "$0" >> '${path.join(around, 'ran')}'\n`, {mode: 0o755});
  git('config', 'core.fsmonitor', hook);
  git('config', 'core.hooksPath', around);
  for (const name of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    writeFileSync(path.join(around, name), readFileSync(hook), {mode: 0o755});
  }
  await worktrees.repositoryAt(place);
  await worktrees.changes(place);
  await worktrees.unmergedCommits(root, place, 'agency/x-1');
  await worktrees.currentBranch(root);
  await worktrees.branchCommit(root, 'main');
  expect(existsSync(path.join(around, 'ran'))).toBe(false);
});
