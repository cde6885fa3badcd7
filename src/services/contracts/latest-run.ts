import type {RunRecord} from './run.ts';

/** Recorded, and nothing of an agent ever ran: it says nothing about its task. */
const neverRan = ({state, segments}: RunRecord): boolean => state === 'canceled' && segments.length === 0;

/** The run that resume, restart and recovery look at, of runs in the order of their attempts. */
export const latestRun = (runs: readonly RunRecord[]): RunRecord | null =>
  runs.findLast((run) => run.run_type === 'execute' && !neverRan(run)) ?? null;

/** A record that the Go program wrote, which knew no root. It is read and never written. */
export const isGoRun = ({repo_root}: RunRecord): boolean => repo_root === '';
