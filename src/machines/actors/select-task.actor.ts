import {fromPromise} from 'xstate';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {PlanStore} from '../../services/contracts/stores.ts';
import type {SelectedTask, SelectTaskInput} from '../policies/job/execution-steps.ts';
import {nextTask} from '../policies/plan/readiness.ts';

/** Reads the plan again before every task, so that edits made while it runs count. */
export function defineSelectTaskActor({plans}: {plans: Pick<PlanStore, 'read'>}) {
  return fromPromise<SelectedTask | null, SelectTaskInput>(async ({input}) => {
    const task = nextTask(await plans.read(), input);
    if (task) return {taskId: task.id, hasParent: task.parentId != null};
    if (input.isFirst && input.taskIds.length > 0) throw nothingReady(input.taskIds);
    return null;
  });
}

function nothingReady(taskIds: readonly string[]): AppError {
  const verb = taskIds.length === 1 ? 'is' : 'are';
  return new AppError('E_TASK_NOT_READY', `nothing to run: ${taskIds.join(', ')} ${verb} not ready`, {
    next: taskIds
      .slice(0, 3)
      .map((id) => ({command: `blackbird why ${shellWord(id)}`, why: 'see what it waits for'})),
  });
}
