import {chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {execa} from 'execa';
import type {Plan} from '../../src/services/contracts/plan.ts';
import {planFileText} from './run-cli.ts';
import {temporaryFolder} from './temp-folder.ts';

/** The built program. The variable selects another build, to try it out while others test. */
export const builtCli = path.resolve(process.env.BLACKBIRD_TEST_DIST ?? 'dist', 'blackbird.cjs');

export type BuiltProject = {
  readonly folder: string;
  readonly planFile: string;
  readonly env: Record<string, string>;
  /** Runs the program in a process of its own. */
  run(args: readonly string[], options?: {input?: string}): Promise<ProcessRun>;
  /** Runs a line of bash, in which `blackbird` is the program. */
  bash(script: string, options?: {input?: string}): Promise<ProcessRun>;
  planText(): string;
  /** The names in the project's folder, sorted. */
  entries(): string[];
};

export type ProcessRun = {readonly code: number | undefined; readonly out: string; readonly err: string};

/** A project, a home and a PATH of their own for the built program. */
export function builtProject(plan?: Plan | string): BuiltProject {
  const around = temporaryFolder();
  const folder = path.join(around, 'project');
  const home = path.join(around, 'home');
  const programs = path.join(around, 'bin');
  const planFile = path.join(folder, 'blackbird.plan.json');
  for (const each of [folder, home, programs]) mkdirSync(each);
  const link = path.join(programs, 'blackbird');
  writeFileSync(link, `#!/bin/sh\nexec '${process.execPath}' '${builtCli}' "$@"\n`);
  chmodSync(link, 0o755);
  if (plan !== undefined) writeFileSync(planFile, typeof plan === 'string' ? plan : planFileText(plan));
  const env = {HOME: home, PATH: `${programs}:${process.env.PATH}`, LC_ALL: 'C.UTF-8'};

  const start = async (file: string, args: readonly string[], input = ''): Promise<ProcessRun> => {
    const {exitCode, stdout, stderr} = await execa(file, args, {
      cwd: folder,
      env,
      extendEnv: false,
      input,
      reject: false,
      stripFinalNewline: false,
      maxBuffer: 1024 ** 3,
      timeout: 170_000,
    });
    return {code: exitCode, out: stdout, err: stderr};
  };

  return {
    folder,
    planFile,
    env,
    run: (args, {input} = {}) => start(process.execPath, [builtCli, ...args], input),
    bash: (script, {input} = {}) => start('bash', ['-c', script], input),
    planText: () => readFileSync(planFile, 'utf8'),
    entries: () => readdirSync(folder).sort(),
  };
}
