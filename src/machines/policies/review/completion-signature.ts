import type {Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {latestDeliveredRun} from '../run/task-runs.ts';

/** A task below a parent and when it was done, by its run or by hand. */
export type Completion = {readonly taskId: string; readonly completedAt: string; readonly hasRun: boolean};

export function completionOf({id, updatedAt}: Task, runs: readonly RunRecord[]): Completion {
  const run = latestDeliveredRun(runs);
  // The plan's timestamp changes with every edit; the end of a run does not.
  const endedAt = run?.state === 'succeeded' ? (run.segments.at(-1)?.ended_at ?? run.updated_at) : undefined;
  return {taskId: id, completedAt: endedAt ?? updatedAt, hasRun: run !== null};
}

/**
 * Identifies what a review covers: the parent, and when each task below it was done. The same work is reviewed once; a
 * task that is done again changes the signature.
 */
export function completionSignature(
  parentId: string,
  completions: readonly Completion[],
  digest: (text: string) => string,
): string {
  const children = completions
    .map(({taskId, completedAt}) => ({childId: taskId, completedAt}))
    .sort((a, b) => (a.childId < b.childId ? -1 : 1));
  return `parent-review:v1:${digest(JSON.stringify({version: 1, parentTaskId: parentId, children}))}`;
}
