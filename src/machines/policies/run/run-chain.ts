import type {RunRecord} from '../../../services/contracts/run.ts';

/** A run and those it went on from, oldest first: together they did the task. */
export function chainTo(latest: RunRecord, runs: readonly RunRecord[]): RunRecord[] {
  const chain = [latest];
  for (let from = latest.resumed_from_run_id; from !== undefined && chain.length <= runs.length; ) {
    const before = runs.find(({run_id}) => run_id === from);
    if (!before) break;
    chain.unshift(before);
    from = before.resumed_from_run_id;
  }
  return chain;
}

/** Each file that any of the runs changed, once. */
export const changedFiles = (runs: readonly RunRecord[]): string[] => [
  ...new Set(runs.flatMap((run) => run.review_summary?.files ?? [])),
];
