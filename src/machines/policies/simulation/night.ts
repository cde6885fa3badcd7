import type {Plan} from '../../../services/contracts/plan.ts';
import {insertSorted} from '../plan/execution-order.ts';
import {childrenOf, isLeaf, tasksInTreeOrder} from '../plan/plan-graph.ts';
import {unmetDeps} from '../plan/readiness.ts';
import type {Draw} from './draws.ts';

/** When the agents have no quota, every day: minutes after midnight, and for how long. */
export type LimitWindow = {readonly fromMinute: number; readonly minutes: number};

export type NightRules = {
  readonly parentReview: boolean;
  readonly stopOnFailure: boolean;
  readonly stopAfterEachTask: boolean;
  readonly retries: number;
  readonly limit: LimitWindow | null;
};

export type Night = {
  /** Tasks as they were begun, reviews as `review of <id>`. */
  readonly order: readonly string[];
  /** Why it stopped, in the words of a job. */
  readonly reason: string;
  /** The task that a person is needed for; null when nobody is. */
  readonly needsPerson: string | null;
  readonly done: number;
  readonly failed: readonly string[];
  readonly milliseconds: number;
  readonly costUsd: number;
};

export const reviewOf = (parentId: string) => `review of ${parentId}`;

/** A plan as numbers in the order of its tree, made once for any number of nights. */
export type NightBoard = {
  readonly ids: readonly string[];
  readonly parents: readonly number[];
  readonly dependents: ReadonlyArray<readonly number[]>;
  readonly isOpenLeaf: readonly boolean[];
  readonly isDone: readonly boolean[];
  /** How many dependencies, and how many children, are not done. */
  readonly unmet: readonly number[];
  readonly openChildren: readonly number[];
};

export function nightBoard(plan: Plan): NightBoard {
  const tasks = tasksInTreeOrder(plan).map(({task}) => task);
  const places = new Map(tasks.map(({id}, index) => [id, index]));
  const dependents = tasks.map((): number[] => []);
  tasks.forEach(({deps}, index) => {
    for (const dep of deps) dependents[places.get(dep) ?? index]?.push(index);
  });
  return {
    ids: tasks.map(({id}) => id),
    parents: tasks.map(({parentId}) => (parentId == null ? -1 : (places.get(parentId) ?? -1))),
    dependents,
    isOpenLeaf: tasks.map((task) => isLeaf(task) && task.status === 'todo'),
    isDone: tasks.map(({status}) => status === 'done'),
    unmet: tasks.map((task) => unmetDeps(plan, task).length),
    openChildren: tasks.map((task) => childrenOf(plan, task).filter(({status}) => status !== 'done').length),
  };
}

/**
 * One night by the rules of the plan alone, without the machines that follow them. Whoever asks for many nights lets
 * the machines live through the first ones and compares.
 */
export function playNight(
  board: NightBoard,
  rules: NightRules,
  drawOf: (taskId: string, attempt: number) => Draw,
  start: number,
): Night {
  const {ids, parents, dependents, isOpenLeaf} = board;
  const unmet = [...board.unmet];
  const openChildren = [...board.openChildren];
  const isDone = [...board.isDone];
  const ready = isOpenLeaf.flatMap((isOpen, index) => (isOpen && unmet[index] === 0 ? [index] : []));
  const order: string[] = [];
  const failed: string[] = [];
  let time = start;
  let costUsd = 0;
  let done = 0;
  const night = (reason: string, needsPerson: string | null): Night => ({
    order,
    reason,
    needsPerson,
    done,
    failed,
    milliseconds: time - start,
    costUsd,
  });
  const work = (name: string, attempt: number): Draw => {
    const draw = drawOf(name, attempt);
    order.push(name);
    time = endOf(time, draw.milliseconds, rules.limit);
    costUsd += draw.costUsd;
    return draw;
  };
  /** Lets go what waited for it; the parent that has no open child any more is next. */
  const finish = (index: number): number => {
    isDone[index] = true;
    for (const dependent of dependents[index] ?? []) {
      const left = (unmet[dependent] ?? 0) - 1;
      unmet[dependent] = left;
      if (left === 0 && isOpenLeaf[dependent]) insertSorted(ready, dependent);
    }
    const parent = parents[index] ?? -1;
    if (parent < 0) return -1;
    openChildren[parent] = (openChildren[parent] ?? 0) - 1;
    return openChildren[parent] === 0 && !isDone[parent] ? parent : -1;
  };
  for (let index = ready.shift(); index !== undefined; index = ready.shift()) {
    const id = ids[index] ?? '';
    let draw = work(id, 1);
    for (let attempt = 2; draw.outcome === 'failed' && attempt <= rules.retries + 1; attempt++) {
      draw = work(id, attempt);
    }
    if (draw.outcome === 'asks') return night('waiting_user', id);
    // Its status is for the decision to say.
    if (rules.stopAfterEachTask) return night('decision_required', id);
    if (draw.outcome === 'failed') {
      failed.push(id);
      if (rules.stopOnFailure) return night('failed', null);
      continue;
    }
    done += 1;
    for (let parent = finish(index); parent >= 0; parent = finish(parent)) {
      if (rules.parentReview) work(reviewOf(ids[parent] ?? ''), 1);
    }
  }
  return night('completed', null);
}

const day = 24 * 60;

/** When work that begins now is done, if agents rest while there is no quota. */
export function endOf(time: number, milliseconds: number, limit: LimitWindow | null): number {
  if (!limit) return time + milliseconds;
  let now = time;
  let left = milliseconds;
  for (;;) {
    const {isInside, change} = nextChange(now, limit);
    if (isInside) now = change;
    else if (now + left <= change) return now + left;
    else {
      left -= change - now;
      now = change;
    }
  }
}

/** Whether there is no quota at this moment, and when that changes. In the time of this machine. */
export function nextChange(time: number, {fromMinute, minutes}: LimitWindow) {
  const date = new Date(time);
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const at = (minute: number) => midnight + minute * 60_000;
  for (const from of [fromMinute - day, fromMinute, fromMinute + day]) {
    if (time < at(from)) return {isInside: false, change: at(from)};
    if (time < at(from + minutes)) return {isInside: true, change: at(from + minutes)};
  }
  return {isInside: false, change: at(fromMinute + 2 * day)};
}
