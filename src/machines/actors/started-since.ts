import type {Plan} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isLeaf, walkTree} from '../policies/plan/plan-graph.ts';
import {compareTimestamps} from '../policies/text/timestamps.ts';

/** When the latest run started that may be newer than this moment; null if none is. */
export async function startedSince(
  services: Pick<Services, 'runs'>,
  plan: Plan,
  moment: string,
): Promise<string | null> {
  const starts = (await runsSince(services, plan, moment)).map(({created_at}) => created_at);
  return starts.toSorted(compareTimestamps).at(-1) ?? null;
}

/**
 * All runs of the tasks that may have been at work since this moment. A task that starts is touched in the plan, so the
 * others need not be read.
 */
export async function runsSince(
  {runs}: Pick<Services, 'runs'>,
  plan: Plan,
  moment: string,
): Promise<RunRecord[]> {
  const found: RunRecord[] = [];
  for (const {task} of walkTree(plan)) {
    const isTouched = compareTimestamps(task.updatedAt, moment) >= 0;
    // A review does not touch its parent, and a task in progress may have been restarted.
    if (isLeaf(task) && !isTouched && task.status !== 'in_progress' && task.status !== 'waiting_user')
      continue;
    found.push(...(await runs.list(task.id)).runs);
  }
  return found;
}
