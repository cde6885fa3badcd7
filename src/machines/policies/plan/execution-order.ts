import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {isLeaf, parentOf, tasksInTreeOrder} from './plan-graph.ts';
import {isReady, unmetDeps} from './readiness.ts';

export type PlannedStep = {readonly id: string; readonly title: string; readonly why: string};

/**
 * What would run and why, if every task succeeded: always the first ready task in plan order. `atWork` is the task or
 * review that a job is running now; `held` are tasks that waited for time, which continue first.
 */
export function explainOrder(
  plan: Plan,
  taskIds: readonly string[],
  atWork: string | null = null,
  held: readonly Task[] = [],
): PlannedStep[] {
  const wanted = new Set(taskIds);
  const rows = tasksInTreeOrder(plan).map(({task}) => task);
  const placeOf = new Map(rows.map((task, index) => [task.id, index]));
  const waitingFor = new Map(rows.map((task) => [task.id, unmetDeps(plan, task).length]));
  const openChildren = new Map(
    rows.map((task) => [task.id, task.childIds.filter((id) => plan.items.get(id)?.status !== 'done').length]),
  );
  const dependents = dependentsById(plan);
  const isWanted = (task: Task) => wanted.size === 0 || wanted.has(task.id);
  const ready = rows.flatMap((task, index) => (isReady(plan, task) && isWanted(task) ? [index] : []));
  const finished = new Set<string>();
  const steps: PlannedStep[] = [];

  const finish = (task: Task) => {
    finished.add(task.id);
    for (const dependent of dependents.get(task.id) ?? []) {
      const left = (waitingFor.get(dependent.id) ?? 0) - 1;
      waitingFor.set(dependent.id, left);
      const isNext = left === 0 && dependent.status === 'todo' && isLeaf(dependent) && isWanted(dependent);
      if (isNext) insertSorted(ready, placeOf.get(dependent.id) ?? 0);
    }
    const parent = parentOf(plan, task);
    if (!parent || parent.status === 'done') return null;
    const left = (openChildren.get(parent.id) ?? 0) - 1;
    openChildren.set(parent.id, left);
    return left === 0 ? parent : null;
  };
  const finishAll = (task: Task) => {
    for (let done: Task | null = task; done; done = finish(done));
  };

  const current = atWork === null ? undefined : plan.items.get(atWork);
  if (current && !isReady(plan, current) && current.status !== 'done') finishAll(current);
  for (const task of held) {
    steps.push({id: task.id, title: task.title, why: 'continues'});
    finishAll(task);
  }
  for (let index = ready.shift(); index !== undefined; index = ready.shift()) {
    const task = rows[index];
    if (!task) continue;
    steps.push({id: task.id, title: task.title, why: reasonOf(task, finished)});
    finishAll(task);
  }
  return steps;
}

function reasonOf(task: Task, finished: ReadonlySet<string>): string {
  const awaited = task.deps.filter((dep) => finished.has(dep));
  if (awaited.length > 0) return `after ${awaited.join(', ')}`;
  return task.deps.length > 0 ? 'its dependencies are done' : 'ready now';
}

function dependentsById(plan: Plan): Map<string, Task[]> {
  const dependents = new Map<string, Task[]>();
  for (const task of plan.items.values()) {
    for (const dep of task.deps) {
      const list = dependents.get(dep);
      if (list) list.push(task);
      else dependents.set(dep, [task]);
    }
  }
  return dependents;
}

export function insertSorted(list: number[], value: number): void {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, value);
}
