import {execFileSync} from 'node:child_process';
import {closeSync, openSync, readdirSync, readFileSync, readSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import type {RunEnd} from '../contracts/agent-process.ts';
import {systemErrorCode} from '../contracts/errors.ts';
import type {ProcessIdentity} from '../contracts/process.ts';
import {identifyProcess} from '../system/process-identity.ts';

/** Children inherit it, whatever session or group they move to. */
export const runMarker = 'BLACKBIRD_RUN_ID';
/** A guardian below a run (Blackbird started by an agent) is left to end the agents of its own. */
export const guardianMarker = 'BLACKBIRD_GUARDIAN';

/** What is known of a run when its processes are looked for. */
export type RunTrace = {
  readonly runId: string;
  /** Its group and session belong to the run. Must be alive, or have exited a moment ago. */
  readonly leader?: ProcessIdentity | undefined;
  /** `countForks()` from before the leader was started: spares a look at older processes. */
  readonly forksBefore?: number | undefined;
  /** Start times by pid of what was seen to belong to it: a child that hides is known by its parent only. */
  readonly seen?: ReadonlyMap<number, string> | undefined;
};

export type FoundProcess = {readonly pid: number; readonly startTime: string};

export type Sighting = {
  readonly found: readonly FoundProcess[];
  /** Processes that ended or changed during the look, and may have left a child behind unseen. */
  readonly restless: readonly string[];
};

type TableRow = FoundProcess & {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly mark: 'run' | 'guardian' | 'none';
};
type ProcessTable = {readonly rows: readonly TableRow[]; readonly restless: readonly string[]};

/**
 * Every live process of a run: those that carry its marker, their descendants, and whoever shares a
 * session with them, because some processes hide or clear their environment. Never this process.
 */
export function findRunProcesses(run: RunTrace, readTable = readProcessTable): Sighting {
  if (process.env[runMarker] === run.runId || startedNobody(run)) return {found: [], restless: []};
  const {rows, restless} = readTable(run);
  const members = new Set<TableRow>();
  const pids = new Set<number>();
  const sessions = new Set<number>();
  const join = (row: TableRow) => {
    members.add(row);
    pids.add(row.pid);
    if (row.session !== ownSession()) sessions.add(row.session);
  };

  if (run.leader && !isReused(run.leader, rows)) sessions.add(run.leader.pid);
  for (const row of rows) if (row.mark === 'run' || run.seen?.get(row.pid) === row.startTime) join(row);
  for (let known = -1; known !== members.size; ) {
    known = members.size;
    for (const row of rows) {
      if (members.has(row) || row.mark === 'guardian') continue;
      if (pids.has(row.parent) || sessions.has(row.session) || sessions.has(row.group)) join(row);
    }
  }
  return {found: [...members].map(({pid, startTime}) => ({pid, startTime})), restless};
}

/** Signals every process of a run, those that appear meanwhile too. Does not wait for an effect. */
export function signalRun(run: RunTrace, signal: NodeJS.Signals): void {
  const signalled = new Set<string>();
  for (let look = 0; look < 10; look++) {
    const fresh = findRunProcesses(run).found.filter((found) => !signalled.has(keyOf(found)));
    if (fresh.length === 0) return;
    for (const found of fresh) {
      signalFound(found, signal);
      signalled.add(keyOf(found));
    }
  }
}

/** Kills every process of a run until none is left, or for `patience` ms. */
export async function endRun(run: RunTrace, {patience = 5_000} = {}): Promise<RunEnd> {
  const killed = new Set<string>();
  const untouchable = new Set<string>();
  const knownRestless = new Set<string>();
  const deadline = performance.now() + patience;

  for (let quietLooks = 0, wait = 1; ; ) {
    const {found, restless} = findRunProcesses(run);
    const alive = found.filter((process) => !untouchable.has(keyOf(process)));
    const fresh = alive.filter((process) => !killed.has(keyOf(process)));
    for (const process of fresh) {
      const sent = signalFound(process, 'SIGKILL');
      if (sent === 'sent') killed.add(keyOf(process));
      if (sent === 'refused') untouchable.add(keyOf(process));
    }

    // What ended unseen may have left a child, so an empty look counts when nothing new was restless.
    const isSettled = restless.every((process) => knownRestless.has(process));
    for (const process of restless) knownRestless.add(process);
    quietLooks = alive.length > 0 ? 0 : quietLooks + 1;
    const isEmpty = isSettled ? quietLooks >= (killed.size > 0 ? 2 : 1) : quietLooks > maxQuietLooks;
    if (isEmpty || performance.now() > deadline) {
      for (const process of found) killed.delete(keyOf(process));
      return {ended: killed.size, remaining: found.map(({pid}) => pid)};
    }

    // Whoever forks and exits all the time is only caught by looking again at once.
    if (fresh.length > 0 || quietLooks === 1) continue;
    await sleep(wait);
    wait = Math.min(wait * 2, 50);
  }
}

// A busy machine may never hold still; by then every look was empty.
const maxQuietLooks = 10;

/** How many processes and threads this machine ever started; undefined where nobody counts them. */
export function countForks(): number | undefined {
  if (!onLinux) return undefined;
  const count = /^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The leader is gone, and nothing but the leader was started on this whole machine since it began. */
function startedNobody({leader, forksBefore}: RunTrace): boolean {
  if (!leader || forksBefore === undefined || countForks() !== forksBefore + 1) return false;
  return identifyProcess(leader.pid)?.startTime !== leader.startTime;
}

const onLinux = process.platform === 'linux';
const keyOf = ({pid, startTime}: FoundProcess) => `${pid}:${startTime}`;

/** The start time is compared right before, so a reused pid is never hit. */
function signalFound({pid, startTime}: FoundProcess, signal: NodeJS.Signals): 'sent' | 'gone' | 'refused' {
  if (identifyProcess(pid)?.startTime !== startTime) return 'gone';
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    return systemErrorCode(error) === 'ESRCH' ? 'gone' : 'refused';
  }
}

/** The number of a group or session stays taken while it has members; a new leader means a new group. */
function isReused(leader: ProcessIdentity, rows: readonly TableRow[]): boolean {
  return rows.some(({pid, startTime}) => pid === leader.pid && startTime !== leader.startTime);
}

let session: number | undefined;
function ownSession(): number {
  session ??= onLinux
    ? (statOf(process.pid)?.session ?? 0)
    : Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)], {encoding: 'utf8'}));
  return session;
}

function readProcessTable(run: RunTrace): ProcessTable {
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
 * The environment, or why there is none to see. A process that is about to execute a program or to die
 * has neither environment nor arguments for a moment, one that was started without has only arguments.
 */
function environmentOf(pid: number): string | {isChanging: boolean} {
  for (let attempt = 0; attempt < 2; attempt++) {
    const environment = readProcFile(`/proc/${pid}/environ`);
    if (environment !== '') return environment ?? {isChanging: false};
    if (readProcFile(`/proc/${pid}/cmdline`) === '') return {isChanging: true};
  }
  return {isChanging: false};
}

/** Pids are handed out upwards, so until they may have wrapped around, a run has none below its leader's. */
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

const denied = 'denied';
let scratch = Buffer.allocUnsafe(64 * 1024);

/** Contents as latin1; null when the process is gone. Makes half the calls of `readFileSync`. */
function readProcFile(file: string): string | null {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    let length = readSync(fd, scratch, 0, scratch.length, null);
    while (length === scratch.length) {
      scratch = Buffer.concat([scratch, Buffer.allocUnsafe(length)]);
      length += readSync(fd, scratch, length, scratch.length - length, null);
    }
    return scratch.toString('latin1', 0, length);
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'EACCES' || code === 'EPERM' ? denied : null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function markIn(environment: string, runId: string, separator: string): TableRow['mark'] {
  const has = (variable: string) =>
    `${separator}${environment}`.includes(`${separator}${variable}${separator}`);
  if (has(`${runMarker}=${runId}`)) return 'run';
  return has(`${guardianMarker}=1`) ? 'guardian' : 'none';
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

/** Where there is no /proc: `ps` shows the environment behind the command. It knows no sessions. */
export function readPsTable({runId}: RunTrace): ProcessTable {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
  const text = execFileSync('ps', [onLinux ? 'axeww' : '-axEww', '-o', columns], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: {...process.env, LC_ALL: 'C'},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
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
