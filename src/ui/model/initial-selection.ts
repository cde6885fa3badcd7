import {walkTree} from '../../machines/policies/plan/plan-graph.ts';
import {type Browse, select} from './browse.ts';
import type {Facts} from './facts.ts';
import type {TaskState} from './task-state.ts';

/** What is selected first: what runs, what needs the user, what is next. */
export function initialSelection({plan, stateOf}: Facts, browse: Browse): Browse {
  if (!plan) return browse;
  let best: {readonly id: string; readonly rank: number} | null = null;
  for (const {task} of walkTree(plan)) {
    const rank = ranks.get(stateOf(task)) ?? 0;
    if (rank > (best?.rank ?? -1)) best = {id: task.id, rank};
  }
  return best ? select(browse, best.id) : browse;
}

const ranks = new Map<TaskState, number>([
  ['running', 5],
  ['decision', 4],
  ['asks', 4],
  ['feedback', 4],
  ['paused', 3],
  ['lost', 3],
  ['orphaned', 3],
  ['failed', 2],
  ['ready', 1],
]);
