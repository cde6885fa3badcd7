import {readdirSync, readFileSync} from 'node:fs';
import type {ProcessIdentity} from '../contracts/process.ts';
import {askPs} from '../system/ask-ps.ts';
import {readProcFile} from '../system/proc-file.ts';

/** Inherited by children, whatever session or group they move to. */
export const runMarker = 'BLACKBIRD_RUN_ID';
/**
 * Names the Blackbird that started them: another one may continue the same run, and its agent must not be
 * ended by the first one's guardian.
 */
export const guardedByMarker = 'BLACKBIRD_WARD_OF';
/** A guardian inside a run (Blackbird started by an agent) is left alone to end its own agents. */
export const guardianMarker = 'BLACKBIRD_GUARDIAN';

/** What is known about a run when looking for its processes. */
export type RunTrace = {
  readonly runId: string;
  /** Its group and session belong to the run. Must be alive or have just exited. */
  readonly leader?: ProcessIdentity | undefined;
  /** `countForks()` from before the leader was started: saves looking at older processes. */
  readonly forksBefore?: number | undefined;
  /** Start times by pid of processes seen to belong to it: a hidden child is known only by its parent. */
  readonly seen?: ReadonlyMap<number, string> | undefined;
};

export type FoundProcess = {readonly pid: number; readonly startTime: string};

export type TableRow = FoundProcess & {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly mark: 'run' | 'guardian' | 'none';
};
export type ProcessTable = {readonly rows: readonly TableRow[]; readonly restless: readonly string[]};

const onLinux = process.platform === 'linux';
export const keyOf = ({pid, startTime}: FoundProcess) => `${pid}:${startTime}`;

/** How many processes and threads this machine ever started; undefined if it does not count them. */
export function countForks(): number | undefined {
  if (!onLinux) return undefined;
  const count = /^processes (\d+)$/m.exec(readProcFile('/proc/stat') ?? '')?.[1];
  return count === undefined ? undefined : Number(count);
}

let session: number | undefined;
export function ownSession(): number {
  session ??= onLinux
    ? (statOf(process.pid)?.session ?? 0)
    : Number(askPs(['-o', 'pgid=', '-p', String(process.pid)]));
  return session;
}

export function readProcessTable(run: RunTrace): ProcessTable {
  return onLinux ? readProcTable(run) : readPsTable(run);
}

let looks = 0;

function readProcTable(run: RunTrace): ProcessTable {
  const rows: TableRow[] = [];
  const restless: string[] = [];
  const firstPid = lowestPid(run);
  const firstStart = Number(run.leader?.startTime ?? 0);
  looks += 1;

  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid >= firstPid) || pid === process.pid) continue;
    const stat = statOf(pid);
    if (stat === null) {
      restless.push(name);
      continue;
    }
    if (Number(stat.startTime) < firstStart || stat.isKernelThread) continue;
    if (stat.isZombie) {
      restless.push(keyOf(stat));
      continue;
    }
    const environment = environmentOf(pid);
    if (typeof environment !== 'string')
      restless.push(`${keyOf(stat)}${environment.isChanging ? looks : ''}`);
    const mark = typeof environment === 'string' ? markIn(environment, run.runId, '\0') : 'none';
    rows.push({...stat, mark});
  }
  return {rows, restless};
}

/**
 * The environment, or why it is not visible. A process that is about to exec or to die briefly has neither
 * environment nor arguments; one started without an environment has only arguments.
 */
function environmentOf(pid: number): string | {isChanging: boolean} {
  for (let attempt = 0; attempt < 2; attempt++) {
    const environment = readProcFile(`/proc/${pid}/environ`);
    if (environment !== '') return environment ?? {isChanging: false};
    if (readProcFile(`/proc/${pid}/cmdline`) === '') return {isChanging: true};
  }
  return {isChanging: false};
}

/**
 * Pids are assigned in ascending order, so unless they may have wrapped around, a run has none below its
 * leader's.
 */
function lowestPid({leader, forksBefore}: RunTrace): number {
  const forks = countForks();
  if (!leader || forksBefore === undefined || forks === undefined) return 1;
  highestPid ??= Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1'));
  const started = forks - forksBefore;
  return started > 0 && started < (highestPid - leader.pid) / 2 ? leader.pid : 1;
}
let highestPid: number | undefined;

function statOf(pid: number) {
  const text = readProcFile(`/proc/${pid}/stat`);
  if (!text) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (index: number) => Number(fields[index]);
  return {
    pid,
    parent: field(1),
    group: field(2),
    session: field(3),
    startTime: fields[19] ?? '',
    isZombie: fields[0] === 'Z' || fields[0] === 'X',
    isKernelThread: (field(6) & 0x20_0000) !== 0,
  };
}

function markIn(environment: string, runId: string, separator: string): TableRow['mark'] {
  const has = (variable: string) =>
    `${separator}${environment}`.includes(`${separator}${variable}${separator}`);
  if (has(`${runMarker}=${runId}`)) return 'run';
  return has(`${guardianMarker}=1`) ? 'guardian' : 'none';
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

/** Without /proc: `ps` shows the environment after the command, but no sessions. */
export function readPsTable({runId}: RunTrace): ProcessTable {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
  const text = askPs([onLinux ? 'axeww' : '-axEww', '-o', columns]);
  const rows = text.split('\n').flatMap((line): TableRow[] => {
    const [, pid, parent, group, state = '', started = '', rest = ''] = psLine.exec(line) ?? [];
    if (pid === undefined || Number(pid) === process.pid || state.startsWith('Z')) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
        startTime: started.split(/\s+/).join(' '),
        mark: markIn(`${rest} `, runId, ' '),
      },
    ];
  });
  return {rows, restless: []};
}
