/** What is asked of a record here; a type of its own, as the record's file is what passes this on. */
type Run = {readonly run_type: string; readonly state: string; readonly segments: readonly unknown[]};

/** Recorded, and nothing of an agent ever ran: it says nothing about its task. */
const neverRan = ({state, segments}: Run): boolean => state === 'canceled' && segments.length === 0;

/** The run that resume, restart and recovery look at, of runs in the order of their attempts. */
export const latestRun = <Found extends Run>(runs: readonly Found[]): Found | null =>
  runs.findLast((run) => run.run_type === 'execute' && !neverRan(run)) ?? null;

/** A record that the Go program wrote, which knew no root. It is read and never written. */
export const isGoRun = ({repo_root}: {readonly repo_root: string}): boolean => repo_root === '';
