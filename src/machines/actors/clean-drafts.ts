import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';

import {draftTaskId} from '../policies/planning/draft-task.ts';

/** Removes drafts that no editor can open any more: their task is deleted, or the record of their run is gone. */
export async function cleanDrafts(
  {drafts, runs, planDrafts}: Pick<Services, 'drafts' | 'runs' | 'planDrafts'>,
  plan: Plan,
): Promise<void> {
  for (const {kind, taskId, runId} of await drafts.all()) {
    if (!(await isOpen(taskId, runId))) await drafts.remove(kind, taskId);
  }

  /** Words for a planner are kept as long as its own draft is. */
  async function isPlanOpen(draftId: string): Promise<boolean> {
    return (await planDrafts.read(draftId).catch(() => undefined)) !== null;
  }

  async function isOpen(taskId: string, runId: string): Promise<boolean> {
    if (taskId === draftTaskId(runId)) return isPlanOpen(runId);
    if (taskId !== '' && !plan.items.has(taskId)) return false;
    if (runId === '') return true;
    const known = await runs.list(taskId);
    // A record that cannot be read may be the one.
    return known.broken.length > 0 || known.runs.some(({run_id}) => run_id === runId);
  }
}
