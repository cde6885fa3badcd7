import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {isLeaf, walkTree} from '../policies/plan/plan-graph.ts';
import {compareTimestamps} from '../policies/text/timestamps.ts';

/**
 * When the latest run started that may be newer than this moment; null if none is. A task that starts is touched in the
 * plan, so the others need not be read.
 */
export async function startedSince(
  {runs}: Pick<Services, 'runs'>,
  plan: Plan,
  moment: string,
): Promise<string | null> {
  let latest: string | null = null;
  for (const {task} of walkTree(plan)) {
    const isTouched = compareTimestamps(task.updatedAt, moment) >= 0;
    // A review does not touch its parent, and a task in progress may have been restarted.
    if (isLeaf(task) && !isTouched && task.status !== 'in_progress' && task.status !== 'waiting_user')
      continue;
    for (const {created_at} of (await runs.list(task.id)).runs)
      if (latest === null || compareTimestamps(created_at, latest) > 0) latest = created_at;
  }
  return latest;
}
