import {type ChildProcess, spawn} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {build} from 'esbuild';
import {expect, onTestFinished} from 'vitest';
import type {ControllerOptions} from '../fixtures/agents/controller.ts';
import {eventually} from './eventually.ts';

/** The path of a small agent run by `sh`. */
export const agentScript = (name: string) => path.resolve(import.meta.dirname, '../fixtures/agents', name);

let runs = 0;
/** A run id that no other test, worker or earlier test run uses. */
export const uniqueRunId = () => `test-${process.pid}-${process.hrtime.bigint().toString(36)}-${runs++}`;

/** Live processes whose run id starts with this prefix. Independent of the product's own code. */
export function markedPids(runIdPrefix: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`BLACKBIRD_RUN_ID=${runIdPrefix}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** One letter as in `ps`: R, S, T for stopped …; null if the process is gone or a zombie. */
export function processState(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const state = stat.charAt(stat.lastIndexOf(')') + 2);
    return state === 'Z' || state === 'X' ? null : state;
  } catch {
    return null;
  }
}

/** Stopped, or waiting in `vfork` for a child that was stopped before it could exec. */
export const isStopped = (pid: number) => ['T', 'D'].includes(processState(pid) ?? '');

/** Waits until all of them are gone. */
export async function expectGone(pids: readonly number[]): Promise<void> {
  await eventually(() => expect(pids.filter((pid) => processState(pid) !== null)).toEqual([]));
}

/** The text of a file, empty while it does not exist. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // A process can exit between listing its folder and reading it.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** The pid an agent printed after a word. */
export function pidAfter(word: string, text: string): number {
  const pid = new RegExp(`^${word} (\\d+)$`, 'm').exec(text)?.[1];
  expect(pid, `a line "${word} <pid>" in:\n${text}`).toBeDefined();
  return Number(pid);
}

/** Bundles the controller, because Node 20 cannot run TypeScript. */
export async function buildController(folder: string): Promise<string> {
  const outfile = path.join(folder, 'controller.mjs');
  await build({
    entryPoints: [agentScript('controller.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {js: "import {createRequire} from 'node:module';const require=createRequire(import.meta.url);"},
    logLevel: 'warning',
  });
  return outfile;
}

type Fact = Readonly<Record<string, unknown>>;

/** A controller in its own process, and what it reported so far. Killed after the test. */
export function startController(script: string, options: ControllerOptions) {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const facts: Fact[] = [];
  createInterface({input: child.stdout}).on('line', (line) => facts.push(JSON.parse(line)));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  onTestFinished(() => void child.kill('SIGKILL'));

  return {
    child,
    exited: new Promise<number | null>((resolve) => child.once('exit', resolve)),
    errors: () => errors,
    fact: (name: string) =>
      eventually(() => {
        const fact = facts.find((candidate) => name in candidate);
        expect(fact, `fact "${name}"; stderr: ${errors}`).toBeDefined();
        return fact ?? {};
      }),
  };
}

/** The guardian a controller started, once there is one other than `previous`. */
export function guardianOf({pid}: ChildProcess, previous?: number): Promise<number> {
  return eventually(() => {
    const children = textOf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').map(Number);
    const guardian = children.find((child) => textOf(`/proc/${child}/cmdline`).includes('guardian'));
    expect(guardian).toBeDefined();
    expect(guardian).not.toBe(previous);
    return guardian ?? 0;
  });
}
