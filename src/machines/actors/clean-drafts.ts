import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';

/** Removes drafts that no editor can open any more: their task is deleted, or the record of their run is gone. */
export async function cleanDrafts(
  {drafts, runs}: Pick<Services, 'drafts' | 'runs'>,
  plan: Plan,
): Promise<void> {
  for (const {kind, taskId, runId} of await drafts.all()) {
    if (!(await isOpen(taskId, runId))) await drafts.remove(kind, taskId);
  }

  async function isOpen(taskId: string, runId: string): Promise<boolean> {
    if (taskId !== '' && !plan.items.has(taskId)) return false;
    if (runId === '') return true;
    const known = await runs.list(taskId);
    // A record that cannot be read may be the one.
    return known.broken.length > 0 || known.runs.some(({run_id}) => run_id === runId);
  }
}
