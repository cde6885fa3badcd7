/** The fields of a record used here; a separate type, because the record's own file re-exports this one. */
type Run = {readonly run_type: string; readonly state: string; readonly segments: readonly unknown[]};

/** Recorded, but no agent ever ran: it says nothing about its task. */
const neverRan = ({state, segments}: Run): boolean => state === 'canceled' && segments.length === 0;

/** The run that resume, restart and recovery look at; runs are in the order of their attempts. */
export const latestRun = <Found extends Run>(runs: readonly Found[]): Found | null =>
  runs.findLast((run) => run.run_type === 'execute' && !neverRan(run)) ?? null;

/** Written by the Go program, which knew no root. Such records are read but never written. */
export const isGoRun = ({repo_root}: {readonly repo_root: string}): boolean => repo_root === '';
