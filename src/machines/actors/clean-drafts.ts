import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {draftTaskId} from '../policies/planning/draft-task.ts';

/** A task that is gone may stand in the plan of another branch. */
const daysWithoutTask = 30;

/** Removes drafts that no editor can open any more: their task is long gone, or the record of their run is. */
export async function cleanDrafts(
  {drafts, runs, planDrafts, now}: Pick<Services, 'drafts' | 'runs' | 'planDrafts' | 'now'>,
  plan: Plan,
): Promise<void> {
  const oldest = Date.parse(now()) - daysWithoutTask * 24 * 3600 * 1000;
  for (const {kind, taskId, runId, updatedAt} of await drafts.all()) {
    if (!(await isOpen(taskId, runId, updatedAt))) await drafts.remove(kind, taskId);
  }

  /** Words for a planner are kept as long as its own draft is. */
  async function isPlanOpen(draftId: string): Promise<boolean> {
    return (await planDrafts.read(draftId).catch(() => undefined)) !== null;
  }

  async function isOpen(taskId: string, runId: string, updatedAt: string): Promise<boolean> {
    if (taskId === draftTaskId(runId)) return isPlanOpen(runId);
    if (taskId !== '' && !plan.items.has(taskId)) return Date.parse(updatedAt) > oldest;
    if (runId === '') return true;
    const known = await runs.list(taskId);
    // A record that cannot be read may be the one.
    return known.broken.length > 0 || known.runs.some(({run_id}) => run_id === runId);
  }
}
