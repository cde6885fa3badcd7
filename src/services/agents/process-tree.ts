import type {ChildProcess} from 'node:child_process';
import type {RunEnd} from '../contracts/agent-process.ts';
import {endRun, findRunProcesses, signalRun} from './marked-processes.ts';
import type {RunTrace} from './process-table.ts';

export type ProcessExit = {readonly exitCode: number | null; readonly signal: string | null};

/** An agent and everything it started. */
export interface ProcessTree {
  /** Resolves when the agent itself is gone; what it started may live on. */
  readonly exited: Promise<ProcessExit>;
  interrupt(): void;
  kill(): void;
  suspend(): void;
  wake(): void;
  /** Kills what is left and resolves when it is gone. */
  end(): Promise<RunEnd>;
}

/**
 * How often an agent without a reaper has its processes scanned. A tool that clears its environment and
 * leaves the session is known if its parent lived through one scan.
 */
const followInterval = 1_000;

/**
 * A tree without a reaper: the agent is its leader, and a process that leaves it is known only by its marker
 * or from an earlier scan.
 */
export function leaderTree(subprocess: ChildProcess, launched: RunTrace): ProcessTree {
  const seen = new Map<number, string>();
  const trace: RunTrace = {...launched, seen};
  let killed = 0;

  const look = () => {
    const {found} = findRunProcesses(trace);
    seen.clear();
    for (const {pid, startTime} of found) seen.set(pid, startTime);
  };
  // Without /proc a scan starts a program, which is too expensive to repeat.
  const following = process.platform === 'linux' ? setInterval(look, followInterval).unref() : undefined;

  return {
    exited: new Promise((resolve) => {
      subprocess.once('exit', (exitCode, signal) => {
        clearInterval(following);
        resolve({exitCode, signal});
      });
    }),
    interrupt: () => {
      look();
      signalGroup(subprocess, 'SIGINT');
    },
    kill: () => {
      look();
      signalGroup(subprocess, 'SIGKILL');
      killed += signalRun(trace, 'SIGKILL');
    },
    suspend: () => {
      signalGroup(subprocess, 'SIGSTOP');
      signalRun(trace, 'SIGSTOP');
    },
    wake: () => {
      signalRun(trace, 'SIGCONT');
      signalGroup(subprocess, 'SIGCONT');
    },
    end: async () => {
      const {ended, remaining} = await endRun(trace);
      return {ended: killed + ended, remaining};
    },
  };
}

export function signalGroup({pid, exitCode, signalCode}: ChildProcess, signal: NodeJS.Signals): void {
  // Once the leader was reaped, its pid may belong to another process.
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty, or we may not signal it: the sweep handles its processes one by one.
  }
}
