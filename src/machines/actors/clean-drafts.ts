import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {draftTaskId} from '../policies/planning/draft-task.ts';
import {isResting, latestDeliveredRun} from '../policies/run/task-runs.ts';

/** For text that no open checkpoint or question needs; its task may be in the plan of another branch. */
const daysKept = 30;

/** Removes drafts that were not touched for a month, unless their editor can still be opened. */
export async function cleanDrafts(
  {drafts, runs, planDrafts, now}: Pick<Services, 'drafts' | 'runs' | 'planDrafts' | 'now'>,
  plan: Plan,
): Promise<void> {
  const oldest = Date.parse(now()) - daysKept * 24 * 3600 * 1000;
  for (const {kind, taskId, runId, updatedAt} of await drafts.all()) {
    const isPlanner = taskId === draftTaskId(runId);
    if (!isPlanner && !(Date.parse(updatedAt) <= oldest)) continue;
    if (!(isPlanner ? await isPlanOpen(runId) : await isOpen(taskId, runId)))
      await drafts.remove(kind, taskId);
  }

  /** Text for a planner is kept as long as the planner's own draft. */
  async function isPlanOpen(draftId: string): Promise<boolean> {
    return (await planDrafts.read(draftId).catch(() => undefined)) !== null;
  }

  async function isOpen(taskId: string, runId: string): Promise<boolean> {
    if (taskId === '') return true;
    if (!plan.items.has(taskId)) return false;
    if (runId === '') return true;
    const known = await runs.list(taskId);
    // An unreadable record may be the one that needs this text.
    if (known.broken.length > 0) return true;
    const run = latestDeliveredRun(known.runs);
    return run !== null && (run.decision_state === 'pending' || isResting(run));
  }
}
