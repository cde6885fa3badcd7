import type {Plan} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {draftTaskId} from '../policies/planning/draft-task.ts';
import {isResting, tellingRun} from '../policies/run/task-runs.ts';

/** For words that no checkpoint and no question asks for any more; their task may stand in the plan of another branch. */
const daysKept = 30;

/** Removes drafts that nobody has touched for a month, unless their editor is still open to be filled in. */
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

  /** Words for a planner are kept as long as its own draft is. */
  async function isPlanOpen(draftId: string): Promise<boolean> {
    return (await planDrafts.read(draftId).catch(() => undefined)) !== null;
  }

  async function isOpen(taskId: string, runId: string): Promise<boolean> {
    if (taskId === '') return true;
    if (!plan.items.has(taskId)) return false;
    if (runId === '') return true;
    const known = await runs.list(taskId);
    // A record that cannot be read may be the one that waits for these words.
    if (known.broken.length > 0) return true;
    const run = tellingRun(known.runs);
    return run !== null && (run.decision_state === 'pending' || isResting(run));
  }
}
