import {fromPromise} from 'xstate';
import type {PlanStore} from '../../services/contracts/stores.ts';
import type {SelectedTask, SelectTaskInput} from '../policies/job/execution-steps.ts';
import {nextTask} from '../policies/plan/readiness.ts';

/** Reads the plan again before every task, so that edits made while it runs count. */
export function defineSelectTaskActor({plans}: {plans: Pick<PlanStore, 'read'>}) {
  return fromPromise<SelectedTask | null, SelectTaskInput>(async ({input}) => {
    const task = nextTask(await plans.read(), input);
    return task ? {taskId: task.id, hasParent: task.parentId != null} : null;
  });
}
