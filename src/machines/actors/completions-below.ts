import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {Services} from '../../services/contracts/services.ts';
import {type Completion, completionOf, completionSignature} from '../policies/review/completion-signature.ts';
import {reviewedTasks} from '../policies/review/parent-review.ts';
import {readableRuns} from './readable-runs.ts';

/** When the tasks below a parent were done, and the signature that stands for it. Refuses what cannot be read. */
export async function completionsBelow(
  services: Pick<Services, 'runs' | 'digest'>,
  plan: Plan,
  parent: Task,
): Promise<{readonly signature: string; readonly hasRuns: boolean}> {
  const completions: Completion[] = [];
  for (const task of reviewedTasks(plan, parent)) {
    completions.push(completionOf(task, await readableRuns(services, task.id)));
  }
  return {
    signature: completionSignature(parent.id, completions, services.digest),
    hasRuns: completions.some(({hasRun}) => hasRun),
  };
}
