import {type ChildProcess, spawn} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, onTestFinished} from 'vitest';
import type {ProviderId} from '../../src/services/contracts/agent.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {processState, textOf} from './agent-processes.ts';
import {builtCli} from './built-cli.ts';
import {eventually} from './eventually.ts';
import {planFileText} from './run-cli.ts';
import {temporaryFolder} from './temp-folder.ts';

/** A prompt with directives for the demo agent. */
export const demo = (...directives: readonly string[]) =>
  directives.map((directive) => `demo: ${directive}`).join('\n');

export type Env = Readonly<Record<string, string | undefined>>;
export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
};

/** A running Blackbird and its output so far. Killed after the test. */
export type Running = {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out(): string;
  err(): string;
};

export type EngineProject = {
  readonly folder: string;
  /** The environment of every Blackbird here, also for terminals. */
  readonly env: Env;
  start(args: readonly string[], options?: {env?: Env; cwd?: string}): Running;
  run(args: readonly string[], options?: {env?: Env; cwd?: string}): Promise<Ended>;
  planText(): string;
  statuses(): Record<string, string>;
  /** The records of a task on disk, oldest first. */
  runs(taskId: string): RunRecord[];
  latest(taskId: string): RunRecord | undefined;
  changeLatest(taskId: string, fields: Partial<RunRecord>): void;
  text(file: string): string;
  write(file: string, text: string): void;
  /** Live processes marked with any run of this project. */
  agents(): number[];
};

export type EngineProjectOptions = {
  readonly config?: Readonly<Record<string, unknown>>;
  /** The saved choice; null for none. */
  readonly agent?: ProviderId | null;
  readonly env?: Env;
};

/** A project in its own folder, with the built program run there as a user does. */
export function engineProject(
  plan: Plan,
  {config, agent = 'demo', env: given = {}}: EngineProjectOptions = {},
): EngineProject {
  const around = temporaryFolder();
  const [folder, home, bin] = ['project', 'home', 'bin'].map((name) => path.join(around, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [folder, home, bin, path.join(folder, '.blackbird')]) mkdirSync(each);
  symlinkSync(builtCli, path.join(bin, 'blackbird'));
  symlinkSync(process.execPath, path.join(bin, 'node'));
  const planFile = path.join(folder, 'blackbird.plan.json');
  writeFileSync(planFile, planFileText(plan));
  const save = (name: string, value: object) =>
    writeFileSync(path.join(folder, '.blackbird', name), JSON.stringify({schemaVersion: 1, ...value}));
  if (config) save('config.json', config);
  if (agent !== null) save('agent.json', {selectedAgent: agent});

  const env: Env = {
    HOME: home,
    LANG: 'C.UTF-8',
    // Identifies every process of this project, Blackbird included.
    BLACKBIRD_TEST_PROJECT: folder,
    ...given,
    PATH: [bin, given.PATH ?? process.env.PATH ?? ''].join(path.delimiter),
  };
  const processes = (marker: string) => processesWith([`BLACKBIRD_TEST_PROJECT=${folder}\0`, marker]);
  onTestFinished(() => {
    for (const pid of processes('')) killNow(pid);
  });

  const start: EngineProject['start'] = (args, options = {}) => {
    const child = spawn(process.execPath, [builtCli, ...args], {
      cwd: options.cwd ?? folder,
      env: {...env, ...options.env},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = {out: '', err: ''};
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed.err += text;
    });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({code, signal, ...printed}));
    });
    return {pid: child.pid ?? 0, child, ended, out: () => printed.out, err: () => printed.err};
  };

  const recordFiles = (taskId: string) => {
    const runsFolder = path.join(folder, '.blackbird', 'runs', taskId);
    return namesIn(runsFolder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .map((name) => path.join(runsFolder, name));
  };
  const runs = (taskId: string): RunRecord[] =>
    recordFiles(taskId)
      .map((file) => JSON.parse(readFileSync(file, 'utf8')))
      .sort((a, b) => a.attempt - b.attempt);

  return {
    folder,
    env,
    start,
    run: (args, options) => start(args, options).ended,
    planText: () => readFileSync(planFile, 'utf8'),
    statuses: () => {
      const {items}: {items: Record<string, {status: string}>} = JSON.parse(readFileSync(planFile, 'utf8'));
      return Object.fromEntries(Object.entries(items).map(([id, {status}]) => [id, status]));
    },
    runs,
    latest: (taskId) => runs(taskId).at(-1),
    changeLatest: (taskId, fields) => {
      const run = runs(taskId).at(-1);
      const file = recordFiles(taskId).find((name) => path.basename(name) === `${run?.run_id}.json`);
      if (!file) throw new Error(`no run of ${taskId}`);
      writeFileSync(file, JSON.stringify({...run, ...fields}));
    },
    text: (file) => textOf(path.join(folder, file)),
    write: (file, text) => {
      // Written atomically: a watcher of the folder never reads half of it.
      const whole = path.join(around, 'being-written');
      writeFileSync(whole, text);
      renameSync(whole, path.join(folder, file));
    },
    agents: () => processes('BLACKBIRD_RUN_ID='),
  };
}

/** Waits until a run of the task is resumable and its agent has written `file`. */
export async function untilAtWork(project: EngineProject, taskId: string, file = 'started'): Promise<void> {
  await eventually(() => {
    expect(project.latest(taskId)).toMatchObject({state: 'running', resumable: true});
    expect(project.text(file)).not.toBe('');
  });
}

/** Starts a task that runs until stopped, and stops it as Ctrl+C does. */
export async function pauseInTheMiddle(project: EngineProject, taskId: string): Promise<Ended> {
  const running = project.start(['execute', taskId]);
  await untilAtWork(project, taskId);
  running.child.kill('SIGINT');
  return running.ended;
}

function processesWith(variables: readonly string[]): number[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
        return variables.every((variable) => environment.includes(variable));
      } catch {
        return false;
      }
    })
    .map(Number)
    .filter((pid) => pid !== process.pid && processState(pid) !== null);
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It exited by itself.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
