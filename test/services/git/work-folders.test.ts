import {execFileSync} from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {makeGitFolder, withWorkFolder} from '../../../src/services/git/work-folders.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const settings = {objectFormat: 'sha1', ignoreCase: false, excludesFile: '', infoExclude: ''};

/** The work folder and the git folder that a job gets, the second one after `between`. */
async function twoJobs(between: (gitFolder: string, work: string) => void = () => {}) {
  const store = {folder: temporaryFolder()};
  const job = () =>
    withWorkFolder(store, async (work) => {
      const names = readdirSync(work);
      const git = makeGitFolder(work, settings);
      writeFileSync(path.join(work, 'main.index'), 'x');
      const config = readFileSync(path.join(git, 'config'), 'utf8');
      return {work, git, names, config, entries: readdirSync(git).sort()};
    });
  const first = await job();
  between(first.git, first.work);
  return {first, second: await job(), store};
}

const made = ['HEAD', 'config', 'info', 'refs'];

test('a work folder and its git folder are reused, without what the previous job left', async () => {
  const {first, second} = await twoJobs();
  expect(second).toEqual({...first, names: [path.basename(first.git)]});
  expect(first.entries).toEqual(made);
});

describe('a git folder is recreated when someone', () => {
  const cases: ReadonlyArray<readonly [string, (git: string, work: string) => void]> = [
    ['changed its settings', (git) => writeFileSync(path.join(git, 'config'), '[core]\nfsmonitor = evil\n')],
    ['added a file', (git) => writeFileSync(path.join(git, 'commondir'), '/elsewhere\n')],
    ['added a hook', (git) => mkdirSync(path.join(git, 'hooks'))],
    [
      'appended their own attributes',
      (git) => writeFileSync(path.join(git, 'info/attributes'), '* diff=x\n'),
    ],
    ['added a ref', (git) => writeFileSync(path.join(git, 'refs/x'), '')],
    ['removed a file', (git) => rmSync(path.join(git, 'HEAD'))],
    [
      'replaced it by a link',
      (git) => {
        renameSync(git, `${git}.moved`);
        symlinkSync(`${git}.moved`, git);
      },
    ],
    [
      'added a link to a file of the user',
      (git) => {
        rmSync(path.join(git, 'config'));
        const mine = path.join(git, '../../mine');
        writeFileSync(mine, 'mine\n');
        linkSync(mine, path.join(git, 'config'));
      },
    ],
    [
      'added a pipe',
      (git) => {
        rmSync(path.join(git, 'config'));
        execFileSync('mkfifo', [path.join(git, 'config')]);
      },
    ],
    ['removed everything', (_git, work) => rmSync(work, {recursive: true})],
  ];
  test.each(cases)('%s', async (_, tamper) => {
    const {first, second, store} = await twoJobs(tamper);
    expect({config: second.config, entries: second.entries}).toEqual({config: first.config, entries: made});
    const mine = path.join(store.folder, 'mine');
    if (existsSync(mine)) expect(readFileSync(mine, 'utf8')).toBe('mine\n');
  });
});

test('an index that someone puts where the next job works is not used', async () => {
  const {second} = await twoJobs((_git, work) => writeFileSync(path.join(work, 'main.index'), 'evil'));
  expect(second.names).toEqual([path.basename(second.git)]);
});

test('other settings have another folder; concurrent jobs have their own folders', async () => {
  const store = {folder: temporaryFolder()};
  const [one, other] = await Promise.all(
    [settings, {...settings, ignoreCase: true}].map((each) =>
      withWorkFolder(store, async (work) => ({work, git: makeGitFolder(work, each)})),
    ),
  );
  expect(one?.work).not.toBe(other?.work);
  expect(path.basename(one?.git ?? '')).not.toBe(path.basename(other?.git ?? ''));
});

test('a job that fails leaves nothing', async () => {
  const store = {folder: temporaryFolder()};
  const failing = withWorkFolder(store, async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(readdirSync(store.folder)).toEqual([]);
});
