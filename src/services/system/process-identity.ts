import {execFileSync} from 'node:child_process';
import {readlinkSync} from 'node:fs';
import type {Liveness, ProcessIdentity} from '../contracts/process.ts';
import {askPs} from './ask-ps.ts';
import {readProcFile} from './proc-file.ts';

const onLinux = process.platform === 'linux';

/** The identity of a live process; null if no process has this pid. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startTime = startTimeOf(pid);
  return startTime === null ? null : {pid, startTime, ...machine()};
}

/** Whether an identified process is still alive. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const {bootId, pidNamespace} = machine();
  if (identity.bootId !== bootId) return 'dead';
  if (identity.pidNamespace !== pidNamespace) return 'unknown';
  return startTimeOf(identity.pid) === identity.startTime ? 'alive' : 'dead';
}

/** Start time in kernel units; null if the process is gone or a zombie. */
function startTimeOf(pid: number): string | null {
  return onLinux ? linuxStartTime(pid) : psStartTime(pid);
}

function linuxStartTime(pid: number): string | null {
  const stat = readProcFile(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The command name may contain spaces and brackets, so fields are counted from the last bracket.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? null : (fields[18] ?? null);
}

function psStartTime(pid: number): string | null {
  try {
    const [state = '', ...started] = askPs(['-o', 'stat=,lstart=', '-p', String(pid)])
      .trim()
      .split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : started.join(' ');
  } catch {
    // `ps` exits with 1 if there is no such process: that is the answer, not a failure.
    return null;
  }
}

type Machine = Pick<ProcessIdentity, 'bootId' | 'pidNamespace'>;
let thisMachine: Machine | undefined;

function machine(): Machine {
  thisMachine ??= onLinux
    ? {
        bootId: (readProcFile('/proc/sys/kernel/random/boot_id') ?? '').trim(),
        pidNamespace: readlinkSync('/proc/self/ns/pid'),
      }
    : {bootId: bootTime(), pidNamespace: ''};
  return thisMachine;
}

function bootTime(): string {
  try {
    return execFileSync('sysctl', ['-n', 'kern.boottime'], {encoding: 'utf8'}).trim();
  } catch {
    return '';
  }
}
