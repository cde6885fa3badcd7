import {type ChildProcess, spawn} from 'node:child_process';
import {systemErrorCode} from '../contracts/errors.ts';
import {despiteGroupSignals} from './group-signals.ts';

export type ProgramRun = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeLimitMs: number;
};

export type ProgramResult =
  | {readonly type: 'ended'; readonly code: number; readonly stdout: string; readonly stderr: string}
  | {readonly type: 'notFound'}
  | {readonly type: 'failed'; readonly reason: string};

/** Enough for any list of sessions or changes; the rest is read and dropped. */
const maxLength = 4_000_000;
/** For output that a child keeps open, such as a daemon started by a git hook. */
const drainMilliseconds = 500;

/**
 * Runs a program to its end, never through a shell. It has its own process group, so that a Ctrl+C meant for
 * us, or a closed terminal, does not interrupt it.
 */
export async function runProgram(program: ProgramRun): Promise<ProgramResult> {
  const {result} = await despiteGroupSignals(() => runOnce(program));
  return result;
}

type End = {readonly result: ProgramResult; readonly signal: NodeJS.Signals | null};

function runOnce({file, args, env, timeLimitMs}: ProgramRun): Promise<End> {
  return new Promise((resolve) => {
    // Without free file descriptors there are no pipes; the error event says so.
    const child: ChildProcess = spawn(file, args, {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = {stdout: '', stderr: ''};
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        if (printed[stream].length < maxLength) printed[stream] += text;
      });
    }
    const timers = [setTimeout(() => child.kill('SIGKILL'), timeLimitMs)];
    const end = (result: ProgramResult, signal: NodeJS.Signals | null = null) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({result, signal});
    };
    child.once('error', (error) => {
      const isMissing = systemErrorCode(error) === 'ENOENT';
      end(isMissing ? {type: 'notFound'} : {type: 'failed', reason: error.message});
    });
    child.once('exit', () => {
      timers.push(
        setTimeout(() => [child.stdout, child.stderr].map((pipe) => pipe?.destroy()), drainMilliseconds),
      );
    });
    child.once('close', (code, signal) => {
      const reason = `it was ended by ${signal} or took longer than ${timeLimitMs} ms`;
      end(code === null ? {type: 'failed', reason} : {type: 'ended', code, ...printed}, signal);
    });
  });
}
