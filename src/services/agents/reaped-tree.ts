import type {ChildProcess} from 'node:child_process';
import {accessSync, constants} from 'node:fs';
import {Socket} from 'node:net';
import {constants as system} from 'node:os';
import type {ProcessIdentity} from '../contracts/process.ts';
import {identifyProcess} from '../system/process-identity.ts';
import type {Launcher} from './launcher.ts';
import {endRun, signalRun} from './marked-processes.ts';
import {type FoundProcess, type RunTrace, runMarker} from './process-table.ts';
import {type ProcessExit, type ProcessTree, signalGroup} from './process-tree.ts';
import {reaperArgs} from './reaper-script.ts';

const perl = '/usr/bin/perl';
/** Variables that would affect perl itself bypass it on their way to the agent. */
const notForPerl = /^(PERL|LC_ALL$)/;
/** Longer than the reaper takes to give up. */
const patience = 8_000;

let isThere: boolean | undefined;
/** Whether agents get a reaper: on Linux, if perl is there to make the system calls. */
export function hasReaper(): boolean {
  isThere ??= process.platform === 'linux' && reaperArgs(process.arch) !== null && mayExecute(perl);
  return isThere;
}

/** The launcher of an agent that waits for "go" below a reaper. */
export function reaped({file, args, env, stdio}: Launcher): Launcher {
  const aside = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (notForPerl.test(name) || name === runMarker),
  );
  const variables = aside.map(([name, value]) => `${name}=${value}`);
  return {
    file: perl,
    args: [...(reaperArgs(process.arch) ?? []), String(variables.length), ...variables, file, ...args],
    // Perl starts faster without a locale, and cannot complain that one is not installed.
    env: {...env, ...Object.fromEntries(aside.map(([name]) => [name, undefined])), LC_ALL: 'C'},
    stdio: [...stdio, 'pipe'],
  };
}

/** The tree below a reaper, which knows every process in it and has the last word. */
export function reapedTree(
  subprocess: ChildProcess,
  trace: RunTrace & {readonly leader: ProcessIdentity},
): ProcessTree {
  const [, , , line] = subprocess.stdio;
  if (!(line instanceof Socket)) throw new TypeError('a reaper needs a line');
  let report = '';
  let isOrdered = false;
  let killed = 0;
  // A killed reaper does not read.
  line.on('error', () => {});

  const gone = Promise.all([
    new Promise<void>((resolve) => subprocess.once('exit', () => resolve())),
    new Promise<void>((resolve) => line.once('close', () => resolve())),
  ]);
  const exited = new Promise<ProcessExit>((resolve) => {
    line.setEncoding('latin1').on('data', (text: string) => {
      report += text;
      const status = /^exited (\d+)\n/m.exec(report)?.[1];
      if (status !== undefined) resolve(exitOf(Number(status)));
    });
    // The reaper was killed, and its agent with it.
    void gone.then(() => resolve({exitCode: subprocess.exitCode, signal: subprocess.signalCode}));
  });

  const isBelow = ({pid}: FoundProcess) => pid !== trace.leader.pid;
  const orderEnd = () => {
    if (isOrdered) return;
    isOrdered = true;
    line.write('end\n');
    subprocess.kill('SIGCONT');
  };

  return {
    exited,
    interrupt: () => signalGroup(subprocess, 'SIGINT'),
    kill: () => {
      orderEnd();
      // Not the reaper: without it, hidden processes would be lost.
      killed += signalRun(trace, 'SIGKILL', isBelow);
    },
    suspend: () => {
      signalGroup(subprocess, 'SIGSTOP');
      // Not the reaper, which must notice if we die.
      subprocess.kill('SIGCONT');
      signalRun(trace, 'SIGSTOP', isBelow);
    },
    wake: () => {
      signalRun(trace, 'SIGCONT', isBelow);
      signalGroup(subprocess, 'SIGCONT');
    },
    end: async () => {
      orderEnd();
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, patience);
      });
      await Promise.race([gone, tooLate]);
      clearTimeout(timer);
      const [, word, rest = ''] = /^(ended|left) (.*)\n/m.exec(report) ?? [];
      if (word === 'ended') return {ended: killed + Number(rest), remaining: []};
      if (word === undefined) return endRun(trace);
      const remaining = rest.split(' ').map(Number);
      return {ended: killed, remaining: remaining.filter((pid) => identifyProcess(pid) !== null)};
    },
  };
}

/** Decodes a `wait` status. */
function exitOf(status: number): ProcessExit {
  const number = status & 127;
  if (number === 0) return {exitCode: status >> 8, signal: null};
  const named = Object.entries(system.signals).find(([, value]) => value === number);
  return {exitCode: null, signal: named?.[0] ?? String(number)};
}

function mayExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
