import {type ChildProcess, spawn} from 'node:child_process';
import {realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {type Capabilities, capabilitiesSchema, type Provider} from '../contracts/agent.ts';
import {findOnPath, isExecutable} from '../system/executables.ts';
import {despiteGroupSignals} from '../system/group-signals.ts';

export type ProbeResult =
  | {readonly installed: false; readonly reason: string}
  | {readonly installed: true; readonly path: string; readonly capabilities: Capabilities};

/** Keeps results across processes. What it returns is validated, so a plain JSON file will do. */
export type ProbeCache = {
  get(key: string): unknown;
  set(key: string, value: Capabilities): unknown;
};

export type ProbeOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cache?: ProbeCache;
  readonly timeLimitMs?: number;
};

const maxHelpLength = 1_000_000;
const remembered = new Map<string, Capabilities>();

/** Whether a provider is installed and what its version can do. Each version is probed once. */
export async function probeProvider(
  provider: Provider,
  {env, cache, timeLimitMs = 10_000}: ProbeOptions,
): Promise<ProbeResult> {
  const {executable} = provider;
  const isPlace = path.isAbsolute(executable);
  const file = isPlace ? executable : findOnPath(executable, env.PATH ?? '');
  if (file === null || (isPlace && !isExecutable(file))) {
    return {installed: false, reason: `${executable} is not on the PATH`};
  }

  const {helpArgs} = provider;
  if (helpArgs === null) {
    return {installed: true, path: file, capabilities: provider.capabilities({version: '', help: ''})};
  }
  const key = [provider.id, helpArgs.join(' '), identityOf(file)].join(':');
  const known = remembered.get(key) ?? capabilitiesSchema.safeParse(await cache?.get(key)).data;
  if (known !== undefined) {
    remembered.set(key, known);
    return {installed: true, path: file, capabilities: known};
  }

  const help = await textOf(file, helpArgs, env, timeLimitMs);
  if (!help.ok) return {installed: false, reason: `${file} does not work: ${help.reason}`};
  // Not every executable supports `--version`, and none has to.
  const version = await textOf(file, ['--version'], env, timeLimitMs);
  const capabilities = provider.capabilities({version: version.ok ? version.text : '', help: help.text});
  remembered.set(key, capabilities);
  await cache?.set(key, capabilities);
  return {installed: true, path: file, capabilities};
}

/** Changes with every installed version, because package managers write a new file. */
function identityOf(file: string): string {
  const {mtimeMs, size} = statSync(file);
  return [realpathSync(file), mtimeMs, size].join(':');
}

type Answer = {readonly signal: NodeJS.Signals | null} & (
  | {readonly ok: true; readonly text: string}
  | {readonly ok: false; readonly reason: string}
);

/**
 * The output of a program that exits with 0. Never waits longer than the limit, even if a child holds its
 * pipes open.
 */
function textOf(
  file: string,
  args: readonly string[],
  env: ProbeOptions['env'],
  timeLimitMs: number,
): Promise<Answer> {
  return despiteGroupSignals(() => askOnce(file, args, env, timeLimitMs));
}

function askOnce(
  file: string,
  args: readonly string[],
  env: ProbeOptions['env'],
  timeLimitMs: number,
): Promise<Answer> {
  return new Promise((resolve) => {
    // Without free file descriptors there are no pipes; the error event says so.
    const child: ChildProcess = spawn(file, args, {
      env,
      // Not in the project, whose settings must not affect the answer.
      cwd: path.parse(file).root,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    const end = (answer: Answer) => {
      clearTimeout(timer);
      child.stdout?.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      killGroup(child.pid);
      end({ok: false, signal: null, reason: `no answer within ${timeLimitMs} ms`});
    }, timeLimitMs);

    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text = `${text}${chunk}`.slice(0, maxHelpLength);
    });
    child.on('error', (error) => end({ok: false, signal: null, reason: error.message}));
    child.on('close', (code, signal) => {
      end(code === 0 ? {ok: true, signal, text} : {ok: false, signal, reason: signal ?? `exit code ${code}`});
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It exited in the meantime.
  }
}
