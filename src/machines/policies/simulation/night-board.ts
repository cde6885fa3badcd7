import type {Plan} from '../../../services/contracts/plan.ts';
import {insertSorted} from '../plan/execution-order.ts';
import {isLeaf, tasksInTreeOrder} from '../plan/plan-graph.ts';

/** A plan as numbers in tree order, built once for any number of nights. */
export type NightBoard = {
  readonly ids: readonly string[];
  readonly parents: readonly number[];
  readonly dependents: ReadonlyArray<readonly number[]>;
  readonly isOpenLeaf: readonly boolean[];
  readonly isDone: readonly boolean[];
  /** The number of dependencies and of children that are not done. */
  readonly unmet: readonly number[];
  readonly openChildren: readonly number[];
};

export function nightBoard(plan: Plan): NightBoard {
  const tasks = tasksInTreeOrder(plan).map(({task}) => task);
  const places = new Map(tasks.map(({id}, index) => [id, index]));
  const isDone = tasks.map(({status}) => status === 'done');
  const openAmong = (ids: readonly string[]) => ids.filter((id) => !isDone[places.get(id) ?? -1]).length;
  const parents = tasks.map(({parentId}) => (parentId == null ? -1 : (places.get(parentId) ?? -1)));
  // A parent with nothing left below it is done from the start; one marked done with something left is not. Children
  // come after their parents.
  const isSettled = new Set<number>();
  for (let index = tasks.length - 1; index >= 0; index--) {
    const {childIds = []} = tasks[index] ?? {};
    const isComplete = childIds.length > 0 && openAmong(childIds) === 0;
    if (isComplete && !isDone[index]) isSettled.add(index);
    if (isComplete) isDone[index] = true;
    else if (isSettled.has(index)) isDone[index] = false;
    if (isSettled.has(index)) isSettled.add(parents[index] ?? -1);
  }
  const dependents = tasks.map((): number[] => []);
  tasks.forEach(({deps}, index) => {
    for (const dep of deps) dependents[places.get(dep) ?? index]?.push(index);
  });
  return {
    ids: tasks.map(({id}) => id),
    parents,
    dependents,
    isOpenLeaf: tasks.map((task) => isLeaf(task) && task.status === 'todo'),
    isDone,
    unmet: tasks.map(({deps}) => openAmong(deps)),
    openChildren: tasks.map(({childIds}) => openAmong(childIds)),
  };
}

/** The progress of one night. */
export function followBoard({parents, dependents, ...board}: NightBoard) {
  const unmet = [...board.unmet];
  const openChildren = [...board.openChildren];
  const isDone = [...board.isDone];
  const isLeft = [...board.isOpenLeaf];
  const ready = isLeft.flatMap((isOpen, index) => (isOpen && unmet[index] === 0 ? [index] : []));
  const count = (numbers: number[], index: number, by: 1 | -1) => {
    const now = (numbers[index] ?? 0) + by;
    numbers[index] = now;
    return now;
  };
  const parentOf = (index: number) => parents[index] ?? -1;
  return {
    next: (): number | undefined => ready.shift(),
    /** No ancestor of a running task is done, and nothing starts because of it. */
    begin: (task: number): void => {
      isLeft[task] = false;
      for (let index = parentOf(task); index >= 0; index = parentOf(index)) {
        if (!isDone[index]) continue;
        isDone[index] = false;
        for (const dependent of dependents[index] ?? []) {
          if (count(unmet, dependent, 1) > 1) continue;
          const place = ready.indexOf(dependent);
          if (place >= 0) ready.splice(place, 1);
        }
        if (parentOf(index) >= 0) count(openChildren, parentOf(index), 1);
      }
    },
    /** Unblocks what waited for it; returns its parent if that has no open child left, else -1. */
    finish: (index: number): number => {
      isDone[index] = true;
      for (const dependent of dependents[index] ?? []) {
        if (count(unmet, dependent, -1) === 0 && isLeft[dependent]) insertSorted(ready, dependent);
      }
      const parent = parentOf(index);
      return parent >= 0 && count(openChildren, parent, -1) === 0 ? parent : -1;
    },
  };
}
