import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {ProposedOperation} from '../../../services/contracts/plan-draft.ts';
import {childrenOf, parentOf, requireTask, rootTasks, subtreeOf} from '../plan/plan-graph.ts';
import type {PlanPreview} from './check-proposal.ts';

/**
 * A proposed task is removed with everything proposed below it; an existing task that was moved there stays where it
 * was.
 */
export function leftOut({before, after}: Pick<PlanPreview, 'before' | 'after'>, taskId: string) {
  const kept = subtreeOf(after, requireTask(after, taskId)).filter(
    ({id, parentId}) => before.items.has(id) && !before.items.has(parentId ?? ''),
  );
  return [
    ...kept.map(({id}): ProposedOperation => ({type: 'move', taskId: id, place: placeIn(before, id)})),
    {type: 'delete', taskId, cascade: true},
  ] satisfies readonly ProposedOperation[];
}

function placeIn(plan: Plan, id: string) {
  const task = requireTask(plan, id);
  const parent = parentOf(plan, task);
  const siblings: readonly Task[] = parent ? childrenOf(plan, parent) : rootTasks(plan);
  return {parentId: parent?.id ?? null, index: siblings.indexOf(task)};
}
