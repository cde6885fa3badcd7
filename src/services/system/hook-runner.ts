import {type ChildProcess, spawn} from 'node:child_process';
import type {HookRunner} from '../contracts/hooks.ts';
import {despiteGroupSignals} from './group-signals.ts';
import {identifyProcess} from './process-identity.ts';

const longestTail = 2000;

/** Runs the user's commands with `sh -c`, each in its own process group and with a time limit. */
export function createHookRunner({
  cwd,
  env,
  timeLimitMs = 30_000,
  start = spawn,
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeLimitMs?: number;
  readonly start?: typeof spawn;
}): HookRunner {
  const running = new Set<ChildProcess>();
  const runOnce = (command: string, data: unknown) =>
    new Promise<HookEnd>((resolve) => {
      // Without free file descriptors there are no pipes; the error event says so.
      const child: ChildProcess = start('sh', ['-c', command], {
        cwd,
        env,
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      running.add(child);
      // Only what never ran may be repeated.
      const hasRun = child.pid === undefined || identifyProcess(child.pid) !== null;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        endGroup(child);
      }, timeLimitMs);
      let tail = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        tail = (tail + text).slice(-longestTail);
      });
      const end = (problem: string | null, signal: NodeJS.Signals | null = null) => {
        clearTimeout(timer);
        running.delete(child);
        // A child of the command may hold it open indefinitely.
        child.stderr?.destroy();
        resolve({problem, signal: hasRun ? null : signal});
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => {
        // Its last output is read first.
        setImmediate(() => {
          const problem = isLate
            ? `it took longer than ${timeLimitMs / 1000} s`
            : problemOf(code, signal, tail);
          end(problem, signal);
        });
      });
      // A command that does not read closes its stdin.
      child.stdin?.on('error', () => {});
      child.stdin?.end(`${JSON.stringify(data)}\n`);
    });

  return {
    run: async (command, data) => (await despiteGroupSignals(() => runOnce(command, data))).problem,
    stop: () => {
      for (const child of running) endGroup(child);
    },
  };
}

/** `signal` is what ended it before it ran. */
type HookEnd = {readonly problem: string | null; readonly signal: NodeJS.Signals | null};

function problemOf(code: number | null, signal: NodeJS.Signals | null, tail: string): string | null {
  if (code === 0) return null;
  const words = tail.trim().split('\n').at(-1) ?? '';
  return `${code === null ? `it was ended by ${signal}` : `exit code ${code}`}${words === '' ? '' : `: ${words}`}`;
}

function endGroup({pid}: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It exited in the meantime.
  }
}
