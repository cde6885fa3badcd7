import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect} from 'vitest';
import type {CliContext, Surface} from '../../src/cli/context.ts';
import {runCli} from '../../src/cli/program.ts';
import type {Plan, Task} from '../../src/services/contracts/plan.ts';
import {now} from './plans.ts';
import {temporaryFolder} from './temp-folder.ts';

export type CliOptions = {
  /** What the user types, line by line; then the input ends. */
  readonly answers?: readonly string[];
  /** Both streams are a terminal; `true` is one of 80 columns without colour. */
  readonly terminal?: boolean | Partial<Pick<Surface, 'columns' | 'hasColor'>>;
  readonly cwd?: string;
  readonly env?: CliContext['env'];
  readonly now?: CliContext['now'];
  /** Called with all of stdout so far, after each print. */
  readonly onOut?: (out: string) => void;
  readonly name?: CliContext['name'];
};

/** Everything the user sees, and the exit code. */
export type CliRun = {readonly code: number; readonly out: string; readonly err: string};

export type CliProject = {
  readonly folder: string;
  readonly home: string;
  readonly planFile: string;
  run(args: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** Runs it with `--json`; fails the test unless it succeeds without stderr output. */
  json(args: readonly string[], options?: CliOptions): Promise<unknown>;
  /** The error the command reports with `--json`, with nothing on stdout. */
  error(args: readonly string[], options?: CliOptions): Promise<{code: number; error: unknown}>;
  /** The tasks in the file, by id. */
  tasks(): Record<string, Task>;
  planText(): string;
  /** Every file below the project, except the lock of the plan. */
  files(): string[];
};

/** A project and a home in their own folders, and the command line run there, in this process. */
export function cliProject(plan?: Plan | string): CliProject {
  const around = temporaryFolder();
  const folder = path.join(around, 'project');
  const home = path.join(around, 'home');
  const planFile = path.join(folder, 'blackbird.plan.json');
  mkdirSync(folder);
  mkdirSync(home);
  if (plan !== undefined) writeFileSync(planFile, typeof plan === 'string' ? plan : planFileText(plan));

  const run: CliProject['run'] = async (args, options = {}) => {
    const printed = {out: '', err: ''};
    const answers = [...(options.answers ?? [])];
    const code = await runCli(args, {
      name: options.name ?? 'blackbird',
      version: '1.2.3',
      cwd: options.cwd ?? folder,
      env: {HOME: home, PATH: '', ...options.env},
      out: (text) => {
        printed.out += `${text}\n`;
        options.onOut?.(printed.out);
      },
      err: (text) => {
        printed.err += `${text}\n`;
      },
      write: (text) => {
        printed.out += text;
      },
      writeErr: (text) => {
        printed.err += text;
      },
      onSignals: () => () => {},
      ask: async (question) => {
        printed.err += `${question}\n`;
        return answers.shift() ?? null;
      },
      readAll: async () => answers.splice(0).join('\n'),
      isInteractive: options.terminal !== undefined,
      stdout: surfaceOf(options.terminal),
      stderr: surfaceOf(options.terminal),
      now: options.now ?? (() => now),
    });
    return {code, ...printed};
  };

  return {
    folder,
    home,
    planFile,
    run,
    json: async (args, options) => {
      const {code, out, err} = await run([...args, '--json'], options);
      expect({code, err}).toEqual({code: 0, err: ''});
      return JSON.parse(out);
    },
    error: async (args, options) => {
      const {code, out, err} = await run([...args, '--json'], options);
      expect(out).toBe('');
      return {code, error: JSON.parse(err).error};
    },
    tasks: () => JSON.parse(readFileSync(planFile, 'utf8')).items,
    planText: () => readFileSync(planFile, 'utf8'),
    files: () =>
      readdirSync(folder, {recursive: true, encoding: 'utf8'})
        .filter((file) => !/^\.blackbird.plan\.(lock|writes)$/.test(file))
        .sort(),
  };
}

export function planFileText({items, ...root}: Plan): string {
  return `${JSON.stringify({...root, items: Object.fromEntries(items)}, null, 2)}\n`;
}

/** Lines as printed. */
export const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

/**
 * What no output may contain, whatever a plan says: anything that controls, recolours, rings, reorders or
 * hides.
 */
export const controlCharacters =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function surfaceOf(terminal: CliOptions['terminal']): Surface {
  if (!terminal) return {isTerminal: false, columns: Number.POSITIVE_INFINITY, hasColor: false};
  return {isTerminal: true, columns: 80, hasColor: false, ...(terminal === true ? {} : terminal)};
}
