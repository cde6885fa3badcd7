import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {reviewRules} from '../../../src/machines/policies/review/review-summary.ts';
import type {ChangeTracker, ReviewSummary} from '../../../src/services/contracts/changes.ts';
import {createChangeTracker} from '../../../src/services/git/change-tracker.ts';
import {projectFolder} from '../../../src/services/stores/project-folder.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

export type TestRepository = {
  readonly folder: string;
  readonly env: Record<string, string>;
  git(...args: readonly string[]): string;
  write(file: string, content?: string | Buffer, mode?: number): void;
  remove(file: string): void;
  commit(message?: string): void;
  /** A tracker of the project in this folder, or in one below it. */
  tracker(options?: TrackerOptions): ChangeTracker;
  /** What a callback changed, according to the tracker. */
  change(job: () => unknown, options?: TrackerOptions): Promise<SeenChange>;
};

export type TrackerOptions = {
  readonly below?: string;
  readonly env?: Record<string, string>;
  readonly timeLimitMs?: number;
};

export type SeenChange = {
  readonly from: string | null;
  readonly to: string | null;
  readonly files: readonly string[];
  readonly summary: ReviewSummary;
  readonly diff: string;
};

/** A folder with a repository in it and no user settings; `commit: false` leaves it without a commit. */
export function testRepository({commit = true, folder = temporaryFolder()} = {}): TestRepository {
  mkdirSync(folder, {recursive: true});
  const home = temporaryFolder();
  const env = {
    HOME: home,
    PATH: process.env.PATH ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'tester',
    GIT_AUTHOR_EMAIL: 'tester@localhost',
    GIT_COMMITTER_NAME: 'tester',
    GIT_COMMITTER_EMAIL: 'tester@localhost',
  };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'gc.auto=0', ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const repository: TestRepository = {
    folder,
    env,
    git,
    write: (file, content = `${file}\n`, mode = 0o644) => {
      const target = path.join(folder, file);
      mkdirSync(path.dirname(target), {recursive: true});
      writeFileSync(target, content);
      chmodSync(target, mode);
    },
    remove: (file) => rmSync(path.join(folder, file), {recursive: true}),
    commit: (message = 'a commit') => {
      git('add', '-A');
      git('commit', '-q', '--no-verify', '-m', message);
    },
    tracker: ({below = '.', env: more = {}, ...limits} = {}) =>
      createChangeTracker({
        project: projectFolder(path.join(folder, below)),
        env: {...env, ...more},
        rules: reviewRules,
        ...limits,
      }),
    change: async (job, options) => {
      const tracker = repository.tracker(options);
      const from = await tracker.snapshot();
      await job();
      const to = await tracker.snapshot(from);
      const summary = await tracker.summarize(from, to);
      const diff = from && to ? await tracker.diff(from, to, {stat: false}) : '';
      return {from, to, files: summary.files, summary, diff};
    },
  };
  git('init', '-q', '-b', 'main');
  if (commit) {
    repository.write('readme.md', 'hello\n');
    repository.commit();
  }
  return repository;
}

/** Every file below a folder with its kind, mode and content. */
export function fingerprint(folder: string): Record<string, string> {
  const entries = readdirSync(folder, {recursive: true, encoding: 'utf8'}).sort();
  return Object.fromEntries(entries.map((entry) => [entry, describe(path.join(folder, entry))]));
}

function describe(file: string): string {
  const {mode} = lstatSync(file);
  const content = lstatSync(file).isSymbolicLink()
    ? readlinkSync(file)
    : lstatSync(file).isFile()
      ? createHash('sha256').update(readFileSync(file)).digest('hex')
      : '';
  return `${mode.toString(8)} ${content}`;
}

/** A program that leaves a trace when it is run, and the trace. */
export function canary(folder: string): {readonly program: string; wasRun(): boolean} {
  const program = path.join(folder, 'canary.sh');
  const trace = path.join(folder, 'canary.trace');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${trace}'\nexit 0\n`, {mode: 0o755});
  return {program, wasRun: () => existsSync(trace)};
}

/** What happened to a repository before, during and after a task. */
export type TaskHistory = {
  readonly before?: (repository: TestRepository) => void;
  readonly task: (repository: TestRepository) => void;
  readonly since?: (repository: TestRepository) => void;
};

/** Plays it, and returns the task's change. */
export async function changeOf({before, task, since}: TaskHistory, repository: TestRepository) {
  before?.(repository);
  const tracker = repository.tracker();
  const from = (await tracker.snapshot()) ?? '';
  task(repository);
  const to = (await tracker.snapshot(from)) ?? '';
  since?.(repository);
  return {from, to};
}

/** A file of ten lines, some of them edited. */
export const ten = (...edits: ReadonlyArray<readonly [line: number, text: string]>) =>
  Array.from({length: 10}, (_, at) => edits.find(([line]) => line === at)?.[1] ?? `line ${at}`)
    .map((line) => `${line}\n`)
    .join('');
