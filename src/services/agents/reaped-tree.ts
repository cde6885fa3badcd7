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
/** What perl itself would obey is handed to the agent around it, and so is the marker of the run: it is no part of it. */
const notForPerl = /^(PERL|LC_ALL$)/;
/** Longer than the reaper itself takes before it gives up. */
const patience = 8_000;

let isThere: boolean | undefined;
/** Whether agents get a reaper here: on Linux, where there is perl to ask the kernel with. */
export function hasReaper(): boolean {
  isThere ??= process.platform === 'linux' && reaperArgs(process.arch) !== null && mayExecute(perl);
  return isThere;
}

/** What to start so that an agent that waits for its "go" does so below a reaper. */
export function reaped({file, args, env, stdio}: Launcher): Launcher {
  const aside = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (notForPerl.test(name) || name === runMarker),
  );
  const variables = aside.map(([name, value]) => `${name}=${value}`);
  return {
    file: perl,
    args: [...(reaperArgs(process.arch) ?? []), String(variables.length), ...variables, file, ...args],
    // Without a locale it starts sooner, and cannot complain of one that is not installed.
    env: {...env, ...Object.fromEntries(aside.map(([name]) => [name, undefined])), LC_ALL: 'C'},
    stdio: [...stdio, 'pipe'],
  };
}

/** The tree below a reaper, which knows all of it and has the last word. */
export function reapedTree(
  subprocess: ChildProcess,
  trace: RunTrace & {readonly leader: ProcessIdentity},
): ProcessTree {
  const [, , , line] = subprocess.stdio;
  if (!(line instanceof Socket)) throw new TypeError('a reaper needs a line');
  let report = '';
  let isOrdered = false;
  let killed = 0;
  // A reaper that was killed does not listen.
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
    // It was killed, and its agent with it.
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
      // Not the reaper: without it, what hides would be lost from sight.
      killed += signalRun(trace, 'SIGKILL', isBelow);
    },
    suspend: () => {
      signalGroup(subprocess, 'SIGSTOP');
      // Not the reaper, which must learn of our death.
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

/** What `wait` says of a process. */
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
