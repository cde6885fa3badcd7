import {spawnSync} from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {
  ensureStateFolder,
  findProjectRoot,
  projectFolder,
} from '../../../src/services/stores/project-folder.ts';
import {rejectionOf} from '../../helpers/errors.ts';
import {canMount, mountTmpfs, remount} from '../../helpers/mounts.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const modeOf = (file: string) => (lstatSync(file).mode & 0o777).toString(8);

test('every file of a project has its place', () => {
  expect(projectFolder('/work/shop')).toEqual({
    root: '/work/shop',
    planFile: '/work/shop/blackbird.plan.json',
    stateFolder: '/work/shop/.blackbird',
    configFile: '/work/shop/.blackbird/config.json',
    planLockFile: '/work/shop/.blackbird/plan.lock',
    lockFile: '/work/shop/.blackbird/lock',
    agentFile: '/work/shop/.blackbird/agent.json',
    agentCacheFile: '/work/shop/.blackbird/agent-versions.json',
    runsFolder: '/work/shop/.blackbird/runs',
    inspectorsFolder: '/work/shop/.blackbird/inspectors',
    feedbackFolder: '/work/shop/.blackbird/parent-review-feedback',
    draftsFolder: '/work/shop/.blackbird/drafts',
    jobsFolder: '/work/shop/.blackbird/jobs',
    requestsFolder: '/work/shop/.blackbird/requests',
    planDraftsFolder: '/work/shop/.blackbird/plan-drafts',
    writeTrailFile: '/work/shop/.blackbird/plan.writes',
  });
});

describe('the root of a project', () => {
  /** A folder tree from its paths; a path that ends in `/` is a folder. */
  function tree(...paths: string[]): string {
    const root = temporaryFolder();
    for (const each of paths) {
      mkdirSync(path.join(root, each.endsWith('/') ? each : path.dirname(each)), {recursive: true});
      if (!each.endsWith('/')) writeFileSync(path.join(root, each), '');
    }
    return root;
  }

  test.each([
    {name: 'is the folder with the plan', paths: ['a/blackbird.plan.json'], start: 'a', found: 'a'},
    {
      name: 'is the nearest one upwards',
      paths: ['blackbird.plan.json', 'a/blackbird.plan.json', 'a/b/c/'],
      start: 'a/b/c',
      found: 'a',
    },
    {name: 'is the start folder when there is no plan', paths: ['a/b/.git/'], start: 'a/b', found: 'a/b'},
    {
      name: 'may be the repository itself',
      paths: ['a/blackbird.plan.json', 'a/.git/', 'a/b/'],
      start: 'a/b',
      found: 'a',
    },
    {
      name: 'is never outside the repository',
      paths: ['blackbird.plan.json', 'a/.git/', 'a/b/'],
      start: 'a/b',
      found: 'a/b',
    },
    {
      name: 'is never outside a linked worktree, where .git is a file',
      paths: ['blackbird.plan.json', 'a/.git', 'a/b/'],
      start: 'a/b',
      found: 'a/b',
    },
  ])('$name', ({paths, start, found}) => {
    const root = tree(...paths);
    expect(findProjectRoot(path.join(root, start))).toBe(path.join(root, found));
  });

  test('ends at the root of the file system', () => {
    expect(findProjectRoot('/')).toBe('/');
  });
});

describe('the state folder', () => {
  test('is private and, except for the settings, ignored by git', async () => {
    const root = temporaryFolder();
    const mask = process.umask(0);
    onTestFinished(() => {
      process.umask(mask);
    });
    const project = projectFolder(root);
    await ensureStateFolder(project);
    const ignore = path.join(project.stateFolder, '.gitignore');
    expect([modeOf(project.stateFolder), modeOf(ignore), readdirSync(project.stateFolder)]).toEqual([
      '700',
      '600',
      ['.gitignore'],
    ]);
    expect(readFileSync(ignore, 'utf8')).toBe('*\n!.gitignore\n!config.json\n');
  });

  test('hides runs and locks from git, and shows the settings', async () => {
    const root = temporaryFolder();
    const project = projectFolder(root);
    await ensureStateFolder(project);
    mkdirSync(path.join(project.runsFolder, 'a'), {recursive: true});
    for (const file of [
      project.configFile,
      project.lockFile,
      project.agentFile,
      path.join(project.runsFolder, 'a', 'r.json'),
    ]) {
      writeFileSync(file, '{}');
    }
    spawnSync('git', ['init', '--quiet'], {cwd: root});
    const {stdout} = spawnSync('git', ['ls-files', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toEqual(['.blackbird/.gitignore', '.blackbird/config.json']);
  });

  test('that exists is left as it is, and so is its ignore rule', async () => {
    const project = projectFolder(temporaryFolder());
    mkdirSync(project.stateFolder);
    chmodSync(project.stateFolder, 0o755);
    writeFileSync(path.join(project.stateFolder, '.gitignore'), 'mine\n');
    await ensureStateFolder(project);
    await ensureStateFolder(project);
    expect(readFileSync(path.join(project.stateFolder, '.gitignore'), 'utf8')).toBe('mine\n');
    expect(modeOf(project.stateFolder)).toBe('755');
  });

  test('is created once by many at the same time', async () => {
    const project = projectFolder(temporaryFolder());
    await Promise.all(Array.from({length: 10}, () => ensureStateFolder(project)));
    expect(readdirSync(project.stateFolder)).toEqual(['.gitignore']);
  });

  test('that is a link is refused, and nothing is written there', async () => {
    const elsewhere = temporaryFolder();
    const project = projectFolder(temporaryFolder());
    symlinkSync(elsewhere, project.stateFolder);
    expect((await rejectionOf(ensureStateFolder(project))).code).toBe('E_STORE_UNSAFE');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('whose ignore rule is a link is refused, and nothing is written there', async () => {
    const elsewhere = temporaryFolder();
    const project = projectFolder(temporaryFolder());
    mkdirSync(project.stateFolder);
    symlinkSync(path.join(elsewhere, 'victim'), path.join(project.stateFolder, '.gitignore'));
    expect((await rejectionOf(ensureStateFolder(project))).code).toBe('E_STORE_UNSAFE');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test.skipIf(!canMount)('on a full disk leaves no partial rule (needs the right to mount)', async () => {
    const project = projectFolder(mountTmpfs(path.join(temporaryFolder(), 'small'), 'size=8k,mode=700'));
    expect(() => writeFileSync(path.join(project.root, 'ballast'), Buffer.alloc(64 * 1024))).toThrow(
      'ENOSPC',
    );
    const file = path.join(project.stateFolder, '.gitignore');
    expect((await rejectionOf(ensureStateFolder(project))).message).toBe(
      `cannot write the file ${file}: the disk is full; nothing was changed`,
    );
    expect(readdirSync(project.stateFolder)).toEqual([]);
  });

  test.skipIf(!canMount)(
    'on a read-only disk is reported, not thrown (needs the right to mount)',
    async () => {
      const project = projectFolder(mountTmpfs(path.join(temporaryFolder(), 'fixed'), 'size=64k,mode=700'));
      mkdirSync(project.stateFolder);
      remount(project.root, 'ro');
      expect((await rejectionOf(ensureStateFolder(project))).message).toBe(
        `cannot write the file ${path.join(project.stateFolder, '.gitignore')}: the file system is read-only; nothing was changed`,
      );
    },
  );
});
