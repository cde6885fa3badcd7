import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {editDistance} from '../text/nearest-word.ts';

// Everything here is iterative: a plan may be a chain of 100,000 tasks.

export const isLeaf = (task: Task): boolean => task.childIds.length === 0;

/** The task, or the standard error for an id that is not in the plan. */
export function requireTask(plan: Plan, id: string): Task {
  const task = plan.items.get(id);
  if (task) return task;
  const near = nearestId(plan, id);
  throw new AppError('E_TASK_NOT_FOUND', `unknown id ${JSON.stringify(id)}`, {
    next: [
      ...(near === null
        ? []
        : [{command: `blackbird show ${shellWord(near)}`, why: 'did you mean this one?'}]),
      {command: 'blackbird list --all', why: 'see every task'},
    ],
  });
}

/** Tasks without a parent in this plan, in file order. */
export function rootTasks(plan: Plan): Task[] {
  return [...plan.items.values()].filter((task) => parentOf(plan, task) === undefined);
}

export function parentOf(plan: Plan, task: Task): Task | undefined {
  return task.parentId == null ? undefined : plan.items.get(task.parentId);
}

export function childrenOf(plan: Plan, task: Task): Task[] {
  return isLeaf(task) ? [] : task.childIds.flatMap((id) => plan.items.get(id) ?? []);
}

export type TreeRow = {readonly task: Task; readonly depth: number};

/** Every task once, parents before children, siblings in order: the order of execution. */
export const tasksInTreeOrder = (plan: Plan): TreeRow[] => [...walkTree(plan)];

/** The same as a generator, for callers that stop early. */
export function* walkTree(plan: Plan): Generator<TreeRow, void, undefined> {
  const seen = new Set<string>();
  for (const root of plan.items.values()) {
    if (parentOf(plan, root) !== undefined) continue;
    const stack: TreeRow[] = [{task: root, depth: 0}];
    for (let row = stack.pop(); row; row = stack.pop()) {
      const {task, depth} = row;
      if (seen.has(task.id)) continue;
      seen.add(task.id);
      yield row;
      // By index, without lists in between: a job walks through all tasks that are over before each of its tasks.
      for (let at = task.childIds.length - 1; at >= 0; at--) {
        const child = plan.items.get(task.childIds[at] ?? '');
        if (child) stack.push({task: child, depth: depth + 1});
      }
    }
  }
}

/** Nearest first. Stops at a repeated id, so that a broken hierarchy cannot loop. */
export function ancestorsOf(plan: Plan, task: Task): Task[] {
  const ancestors: Task[] = [];
  const seen = new Set([task.id]);
  for (let parent = parentOf(plan, task); parent && !seen.has(parent.id); parent = parentOf(plan, parent)) {
    seen.add(parent.id);
    ancestors.push(parent);
  }
  return ancestors;
}

/** The task and all its descendants. */
export function subtreeOf(plan: Plan, task: Task): Task[] {
  const found = new Map<string, Task>();
  const stack = [task];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (found.has(next.id)) continue;
    found.set(next.id, next);
    for (const child of childrenOf(plan, next).reverse()) stack.push(child);
  }
  return [...found.values()];
}

export function dependentsOf(plan: Plan, id: string): Task[] {
  return [...plan.items.values()].filter((task) => task.deps.includes(id));
}

/** There may be as many cycles as edges, each as long as the plan: after this many ids no more are reported. */
const cycleBudget = 10_000;

/** The cycles that a depth-first search finds, each as `[A, B, A]`, in the order of `ids`. */
export function findCycles(
  ids: Iterable<string>,
  edgesOf: (id: string) => readonly string[],
): Array<readonly string[]> {
  const cycles: Array<readonly string[]> = [];
  const finished = new Set<string>();
  let told = 0;
  for (const start of ids) {
    if (finished.has(start) || edgesOf(start).length === 0) continue;
    const path: Array<{id: string; edges: readonly string[]; next: number}> = [];
    const depthOf = new Map<string, number>();
    const enter = (id: string) => {
      depthOf.set(id, path.length);
      path.push({id, edges: edgesOf(id), next: 0});
    };
    enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const target = top.edges[top.next++];
      if (target === undefined) {
        finished.add(top.id);
        depthOf.delete(top.id);
        path.pop();
        continue;
      }
      const depth = depthOf.get(target);
      if (depth === undefined) {
        if (!finished.has(target)) enter(target);
      } else if (told < cycleBudget) {
        cycles.push([...path.slice(depth).map(({id}) => id), target]);
        told += path.length - depth;
      }
    }
  }
  return cycles;
}

/** Answers "is a above b?" in constant time after one walk over the tree. */
export function indexHierarchy(plan: Plan): {isAncestor: (ancestor: string, id: string) => boolean} {
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  const open: TreeRow[] = [];
  let position = 0;
  const closeDownTo = (depth: number) => {
    for (let row = open.at(-1); row && row.depth >= depth; row = open.at(-1)) {
      last.set(row.task.id, position);
      open.pop();
    }
  };
  for (const row of tasksInTreeOrder(plan)) {
    closeDownTo(row.depth);
    first.set(row.task.id, ++position);
    open.push(row);
  }
  closeDownTo(0);
  return {
    isAncestor: (ancestor, id) => {
      const at = first.get(id) ?? 0;
      return at > (first.get(ancestor) ?? Number.POSITIVE_INFINITY) && at <= (last.get(ancestor) ?? 0);
    },
  };
}

/** The id that was probably meant; null if nothing is close. */
function nearestId(plan: Plan, id: string): string | null {
  const wanted = id.toLowerCase();
  if (wanted.length > 64) return null;
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: {id: string; distance: number} | null = null;
  let compared = 0;
  for (const candidate of plan.items.keys()) {
    // Only a convenience, so it must not take noticeable time in a huge plan.
    if (++compared > 5_000) break;
    const distance = editDistance(wanted, candidate.toLowerCase(), Math.min(limit, 8));
    if (distance <= limit && (!best || distance < best.distance)) {
      best = {id: candidate, distance};
    }
  }
  return best?.id ?? null;
}
