import type {Plan} from '../../services/contracts/plan.ts';
import type {RunStore} from '../../services/contracts/run.ts';
import type {TasksInProgress} from '../policies/plan/running-tasks.ts';

/**
 * The records of the tasks in progress. `mayBegin`: the process that holds the project may be about to start one
 * without a record yet.
 */
export async function tasksInProgress(
  runs: Pick<RunStore, 'list'>,
  plan: Plan,
  {pid, mayBegin}: {readonly pid: number; readonly mayBegin: boolean},
): Promise<TasksInProgress> {
  const still = new Set<string>();
  const reviewed = new Set<string>();
  for (const {id, status, childIds} of plan.items.values()) {
    if (status !== 'in_progress') continue;
    const latest = (await runs.list(id)).runs.at(-1);
    const isRunning = latest?.state === 'running';
    if (childIds.length > 0 && isRunning) reviewed.add(id);
    else if (latest ? !isRunning : !mayBegin) still.add(id);
  }
  return {pid, still, reviewed};
}
