import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {rootTasks} from './plan-graph.ts';

/** The positions of a longest increasing subsequence of `numbers`. */
export function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length, the position of the smallest last element. */
  const ends: number[] = [];
  const previous = new Array<number>(numbers.length);
  numbers.forEach((number, at) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    previous[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  });
  const found = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) found.add(at);
  return found;
}

/** The plan with its root tasks in this order; tasks that need not move keep their place in the file. */
export function withRootOrder(plan: Plan, order: readonly string[]): Plan {
  const position = new Map(rootTasks(plan).map(({id}, index) => [id, index]));
  const still = longestRise(order.map((id) => position.get(id) ?? 0));
  if (still.size === order.length) return plan;
  const moved = new Set(order.filter((_, index) => !still.has(index)));
  const ahead = new Map<string, string[]>();
  let waiting: string[] = [];
  for (const id of order) {
    if (moved.has(id)) {
      waiting.push(id);
      continue;
    }
    ahead.set(id, waiting);
    waiting = [];
  }
  const items = new Map<string, Task>();
  const put = (id: string) => items.set(id, plan.items.get(id) as Task);
  for (const id of plan.items.keys()) {
    for (const before of ahead.get(id) ?? []) put(before);
    if (!moved.has(id)) put(id);
  }
  for (const id of waiting) put(id);
  return {...plan, items};
}
