import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {isLeaf, walkTree} from './plan-graph.ts';
import {isOver, unmetDeps} from './readiness.ts';

/**
 * The leaves that can never start in this plan, each with the dependency that is never done: it is skipped, has a
 * skipped task below it, or itself depends on the leaf. Leaves that only wait for one of these are not included.
 */
export function waitingForever(plan: Plan): ReadonlyMap<string, string> {
  const leaves = [...walkTree(plan)].flatMap(({task}) => (isWaiting(plan, task) ? [task] : []));
  if (leaves.length === 0) return new Map();
  const skipped = skippedBelow(plan);
  const groups = stuckGroups(plan, heldUpBy);
  return new Map(
    leaves.flatMap((task) => {
      const group = groups.get(task.id);
      const dep = unmetDeps(plan, task).find(
        (id) => skipped.has(id) || (group !== undefined && groups.get(id) === group),
      );
      return dep === undefined ? [] : [[task.id, dep] as const];
    }),
  );
}

const isWaiting = (plan: Plan, task: Task) =>
  isLeaf(task) && task.status === 'todo' && unmetDeps(plan, task).length > 0;

/** What `execute` waits for: a parent is done with its children, whatever its own dependencies are. */
export const heldUpBy = (task: Task) => (isLeaf(task) ? task.deps : task.childIds);

/** The tasks that are never done, each with the skipped task that is the reason: itself, or one below it. */
export function skippedBelow(plan: Plan): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const {task} of [...walkTree(plan)].reverse()) {
    if (task.status === 'skipped') found.set(task.id, task.id);
    const below = found.get(task.id);
    const parent = task.parentId == null ? undefined : plan.items.get(task.parentId);
    if (below !== undefined && parent && parent.status !== 'done') found.set(parent.id, below);
  }
  return found;
}

/**
 * Groups of tasks that wait for each other, numbered (Tarjan's algorithm, iterative). Tasks that are done or skipped
 * wait for nothing.
 */
export function stuckGroups(
  plan: Plan,
  waitsFor: (task: Task) => readonly string[],
): ReadonlyMap<string, number> {
  const found = new Map<string, {index: number; low: number; isOpen: boolean}>();
  const groups = new Map<string, number>();
  const open: string[] = [];
  for (const start of plan.items.keys()) {
    if (found.has(start)) continue;
    const path: Array<{id: string; edges: readonly string[]; next: number}> = [];
    const enter = (id: string, task: Task) => {
      found.set(id, {index: found.size, low: found.size, isOpen: true});
      open.push(id);
      path.push({id, edges: isOver(task) ? [] : waitsFor(task), next: 0});
    };
    const first = plan.items.get(start);
    if (first) enter(start, first);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const own = found.get(top.id);
      if (own === undefined) break;
      const target = top.edges[top.next++];
      if (target !== undefined) {
        const task = plan.items.get(target);
        const known = found.get(target);
        if (task && known === undefined) enter(target, task);
        else if (known?.isOpen) own.low = Math.min(own.low, known.index);
        continue;
      }
      path.pop();
      const above = path.at(-1) && found.get(path.at(-1)?.id ?? '');
      if (above) above.low = Math.min(above.low, own.low);
      if (own.low !== own.index) continue;
      const members = open.splice(open.lastIndexOf(top.id));
      for (const id of members) {
        const member = found.get(id);
        if (member) member.isOpen = false;
        if (members.length > 1) groups.set(id, own.index);
      }
    }
  }
  return groups;
}
