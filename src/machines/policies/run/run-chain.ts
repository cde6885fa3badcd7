import type {RunRecord} from '../../../services/contracts/run.ts';

/** A run and those it went on from or replaced, oldest first: together they did the task. */
export function chainTo(latest: RunRecord, runs: readonly RunRecord[]): RunRecord[] {
  const chain = [latest];
  for (let from = runBefore(latest); from !== undefined && chain.length <= runs.length; ) {
    const before = runs.find(({run_id}) => run_id === from);
    if (!before) break;
    chain.unshift(before);
    from = runBefore(before);
  }
  return chain;
}

/** The run that this one goes on from; a restart finds in the files what the run it replaces has left there. */
export const runBefore = ({resumed_from_run_id, restart_of_run_id}: RunRecord): string | undefined =>
  resumed_from_run_id ?? restart_of_run_id;

/** The part of a chain that nobody has decided about yet: what came after the last decision before its end. */
export function sinceReview(chain: readonly RunRecord[]): RunRecord[] {
  const decided = chain.slice(0, -1).findLastIndex(({decision_resolved_at}) => decision_resolved_at);
  return chain.slice(decided + 1);
}

/** Each file that any of the runs changed, once. */
export const changedFiles = (runs: readonly RunRecord[]): string[] => [
  ...new Set(runs.flatMap((run) => run.review_summary?.files ?? [])),
];
