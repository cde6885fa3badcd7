import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {type Completion, completionOf, completionSignature} from '../policies/review/completion-signature.ts';
import {openDecision} from '../policies/review/decisions.ts';
import {reviewedTasks} from '../policies/review/parent-review.ts';
import {stepPastRecord} from '../policies/run/task-runs.ts';

/**
 * Every run of a task that a gate depends on. One unreadable record keeps the gate closed. `task` is the plan's, if it
 * may be at a checkpoint.
 */
export async function readableRuns(
  {runs}: Pick<Services, 'runs'>,
  taskId: string,
  task: Task | null = null,
): Promise<readonly RunRecord[]> {
  const {runs: found, broken} = await runs.list(taskId);
  const [first] = broken;
  if (!first) return found;
  throw new AppError(
    'E_STORE_CORRUPT',
    `cannot tell whether ${taskId} needs a decision: its run record ${first.file} cannot be used: ${first.reason}`,
    {
      details: [
        ['file', first.file],
        ['reason', first.reason],
        ['task', taskId],
      ],
      next: [
        stepPastRecord(first.file),
        ...nextWithout(taskId, task !== null && openDecision(task, found) !== null),
      ],
    },
  );
}

/** What to do once the record is removed: the run before it may be at a checkpoint of its own. */
function nextWithout(taskId: string, isOpen: boolean): AppError['next'] {
  const id = shellWord(taskId);
  if (!isOpen)
    return [
      {command: `blackbird set-status ${id} done`, why: 'then set the status of the task: done or todo'},
    ];
  return [
    {
      command: `blackbird review ${id} --approve`,
      why: 'then decide on the run before it; --reject works too',
    },
    {command: `blackbird restart ${id}`, why: 'or start again'},
  ];
}

/** When the tasks below a parent were done, and the resulting signature. Throws for unreadable records. */
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
