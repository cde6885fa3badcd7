import type {Plan} from '../../services/contracts/plan.ts';
import {setStatus} from './plan-status.ts';
import {nextTask} from './readiness.ts';

export type PlannedStep = {readonly id: string; readonly title: string; readonly why: string};

/** What would run and why, if every task succeeded. */
export function explainOrder(plan: Plan, taskIds: readonly string[]): PlannedStep[] {
  const steps: PlannedStep[] = [];
  const attempted: string[] = [];
  let current = plan;
  for (
    let task = nextTask(current, {taskIds, attempted});
    task;
    task = nextTask(current, {taskIds, attempted})
  ) {
    const awaited = task.deps.filter((dep) => attempted.includes(dep));
    const why =
      awaited.length > 0
        ? `after ${awaited.join(', ')}`
        : task.deps.length > 0
          ? 'its dependencies are done'
          : 'ready now';
    steps.push({id: task.id, title: task.title, why});
    attempted.push(task.id);
    current = setStatus(current, task.id, 'done', task.updatedAt);
  }
  return steps;
}
