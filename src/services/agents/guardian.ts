import {type ChildProcess, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {Socket} from 'node:net';
import type {ProcessIdentity} from '../contracts/process.ts';
import {maxStarts} from '../system/group-signals.ts';
import {guardianScript} from './launcher.ts';
import {guardianMarker} from './process-table.ts';

export type GuardedAgent = {
  readonly leader: ProcessIdentity;
  /** The leader is a reaper, which ends the agent itself when we die. */
  readonly isReaped: boolean;
};

/** The process that ends our agents if we die. */
export interface Guardian {
  /** Set in the environment of the guarded agents and their children. */
  readonly name: string;
  /** Resolves once the guardian is certain to know the agent, even if we die right after. */
  watch(agent: GuardedAgent): Promise<void>;
  forget(agent: GuardedAgent): void;
}

const restartDelay = 100;

/** Starts a guardian with the first agent, and another one if it is lost while agents are alive. */
export function createGuardian({start: startProcess = spawn} = {}): Guardian {
  const name = randomBytes(8).toString('hex');
  const guarded = new Set<string>();
  let current: ChildProcess | undefined;

  const start = (): ChildProcess => {
    // It knows its agents from its first moment, in case we die in the next one.
    const child = startProcess('/bin/sh', ['-c', guardianScript, 'blackbird-guardian', ...guarded], {
      cwd: '/',
      // In its own group: neither the terminal's signals nor ours to the agent reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}`, LC_ALL: 'C', [guardianMarker]: '1'},
    });
    current = child;

    const lost = () => {
      if (current !== child) return;
      current = undefined;
      if (guarded.size > 0) setTimeout(() => current ?? start(), restartDelay).unref();
    };
    child.once('error', lost).once('exit', lost);
    child.stdin?.on('error', lost);

    // An idle guardian must not keep us from exiting: our exit is what it waits for.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  };

  const tell = (line: string) =>
    new Promise<void>((resolve, reject) => {
      const {stdin} = current ?? start();
      // Without free file descriptors there is no pipe, and the write would never complete.
      if (stdin) stdin.write(line, (error) => (error ? reject(error) : resolve()));
      else reject(new Error('no pipe to it could be opened'));
    });

  return {
    name,
    watch: async (agent) => {
      const line = agentLine(agent, name);
      guarded.add(line);
      for (let attempt = 1; ; attempt++) {
        try {
          return await tell(`+ ${line}\n`);
        } catch (error) {
          // A guardian that died unnoticed, even at its start, refuses the line; its successor gets it again.
          current = undefined;
          if (attempt < maxStarts) continue;
          guarded.delete(line);
          throw error;
        }
      }
    },

    forget: (agent) => {
      const line = agentLine(agent, name);
      if (guarded.delete(line)) current?.stdin?.write(`- ${line}\n`);
    },
  };
}

function agentLine({leader, isReaped}: GuardedAgent, name: string): string {
  return `${isReaped ? 'reaped' : 'alone'}:${leader.pid}:${leader.startTime.replaceAll(/[\s:]/g, '_')}:${name}`;
}
