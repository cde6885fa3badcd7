import {type ChildProcess, spawn} from 'node:child_process';
import {systemErrorCode} from '../contracts/errors.ts';

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

/** Enough for any list of sessions or changes; what comes behind it is read and dropped. */
const maxLength = 4_000_000;
/** For output that a child of the program keeps open, such as a daemon that a git hook started. */
const drainMilliseconds = 500;

/**
 * Runs a program to its end, by its arguments and never through a shell. It has a process group of its
 * own, so that a Ctrl+C meant for us, or the end of our terminal, does not break it in the middle.
 */
export function runProgram({file, args, env, timeLimitMs}: ProgramRun): Promise<ProgramResult> {
  return new Promise((resolve) => {
    // Where no more files can be opened it has no pipes; its error tells.
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
    const end = (result: ProgramResult) => {
      for (const timer of timers) clearTimeout(timer);
      resolve(result);
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
      if (code !== null) end({type: 'ended', code, ...printed});
      else end({type: 'failed', reason: `it was ended by ${signal} or took longer than ${timeLimitMs} ms`});
    });
  });
}
