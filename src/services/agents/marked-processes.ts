import {setTimeout as sleep} from 'node:timers/promises';
import type {RunEnd} from '../contracts/agent-process.ts';
import {systemErrorCode} from '../contracts/errors.ts';
import type {ProcessIdentity} from '../contracts/process.ts';
import {identifyProcess} from '../system/process-identity.ts';
import {
  countForks,
  type FoundProcess,
  keyOf,
  ownSession,
  type RunTrace,
  readProcessTable,
  runMarker,
  type TableRow,
} from './process-table.ts';

export type Sighting = {
  readonly found: ReadonlyArray<FoundProcess & {readonly isMarked: boolean}>;
  /** Processes that ended or changed during the scan and may have left a child unnoticed. */
  readonly restless: readonly string[];
};

/**
 * Every live process of a run: those with its marker, their descendants, and all in the same sessions,
 * because some processes hide or clear their environment. Never this process.
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
  const found = [...members].map(({pid, startTime, mark}) => ({pid, startTime, isMarked: mark === 'run'}));
  return {found, restless};
}

/** Signals the processes of a run, including new ones, and returns how many. Does not wait for the effect. */
export function signalRun(
  run: RunTrace,
  signal: NodeJS.Signals,
  isMeant: (found: FoundProcess) => boolean = () => true,
): number {
  const signalled = new Set<string>();
  for (let look = 0; look < 10; look++) {
    const fresh = findRunProcesses(run).found.filter(
      (found) => isMeant(found) && !signalled.has(keyOf(found)),
    );
    if (fresh.length === 0) break;
    for (const found of fresh) {
      signalFound(found, signal);
      signalled.add(keyOf(found));
    }
  }
  return signalled.size;
}

/**
 * Kills every process of a run until none is left, or for `patience` ms. The leader is suspended and goes
 * last: it may be the reaper, and without it nothing keeps track of its orphans.
 */
export async function endRun(
  run: RunTrace,
  {patience = 5_000, readTable = readProcessTable} = {},
): Promise<RunEnd> {
  const killed = new Set<string>();
  // Remembered, because once its parent is gone nothing else may identify a process that is slow to exit.
  const seen = new Map(run.seen);
  const untouchable = new Set<string>();
  const knownRestless = new Set<string>();
  const deadline = performance.now() + patience;

  for (let quietLooks = 0, wait = 1; ; ) {
    const {found, restless} = findRunProcesses({...run, seen}, readTable);
    const alive = found.filter((process) => !untouchable.has(keyOf(process)));
    const below = alive.filter(({pid}) => pid !== run.leader?.pid);
    if (below.length < alive.length && below.length > 0) {
      for (const leader of alive) if (!below.includes(leader)) signalFound(leader, 'SIGSTOP');
    }
    const fresh = (below.length > 0 ? below : alive).filter((process) => !killed.has(keyOf(process)));
    for (const process of fresh) {
      const sent = signalFound(process, 'SIGKILL');
      if (sent === 'sent') {
        killed.add(keyOf(process));
        seen.set(process.pid, process.startTime);
      }
      if (sent === 'refused') untouchable.add(keyOf(process));
    }

    // A process that ended unseen may have left a child, so an empty scan counts only if no new process was
    // restless.
    const isSettled = restless.every((process) => knownRestless.has(process));
    for (const process of restless) knownRestless.add(process);
    quietLooks = alive.length > 0 ? 0 : quietLooks + 1;
    const isEmpty = isSettled ? quietLooks >= (killed.size > 0 ? 2 : 1) : quietLooks > maxQuietLooks;
    if (isEmpty || performance.now() > deadline) {
      for (const process of found) killed.delete(keyOf(process));
      return {ended: killed.size, remaining: found.map(({pid}) => pid)};
    }

    // A process that forks and exits all the time is only caught by scanning again at once.
    if (fresh.length > 0 || quietLooks === 1) continue;
    await sleep(wait);
    wait = Math.min(wait * 2, 50);
  }
}

// A busy machine may never be quiet; by then every scan was empty.
const maxQuietLooks = 10;

/** The leader is gone, and nothing but the leader was started on this machine since it began. */
function startedNobody({leader, forksBefore}: RunTrace): boolean {
  if (!leader || forksBefore === undefined || countForks() !== forksBefore + 1) return false;
  return identifyProcess(leader.pid)?.startTime !== leader.startTime;
}

/** Compares the start time right before, so a reused pid is never signalled. */
export function signalFound(
  {pid, startTime}: FoundProcess,
  signal: NodeJS.Signals,
): 'sent' | 'gone' | 'refused' {
  if (identifyProcess(pid)?.startTime !== startTime) return 'gone';
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    return systemErrorCode(error) === 'ESRCH' ? 'gone' : 'refused';
  }
}

/** A group or session id stays taken while it has members; a new leader means a new group. */
function isReused(leader: ProcessIdentity, rows: readonly TableRow[]): boolean {
  return rows.some(({pid, startTime}) => pid === leader.pid && startTime !== leader.startTime);
}
