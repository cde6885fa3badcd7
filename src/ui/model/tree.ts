import {isLeaf, tasksInTreeOrder} from '../../machines/policies/plan/plan-graph.ts';
import type {Plan, Task} from '../../services/contracts/plan.ts';
import {needsPerson, type TaskState} from './task-state.ts';

export const filters = ['all', 'open', 'ready', 'blocked', 'attention'] as const;
export type Filter = (typeof filters)[number];

/** One row of the tree. Its text is rendered on demand; a plan may have 100,000 of them. */
export type TreeEntry = {readonly id: string; readonly depth: number; readonly isMatch: boolean};

export type TreeOptions = {
  readonly folded: ReadonlySet<string>;
  readonly filter: Filter;
  readonly query: string;
};

/** The visible rows: what matches, its parents, and nothing below a folded task. */
export function treeEntries(
  plan: Plan,
  {folded, filter, query}: TreeOptions,
  stateOf: (task: Task) => TaskState,
): TreeEntry[] {
  const rows = tasksInTreeOrder(plan);
  const wanted = query.trim().toLowerCase();
  const isNarrowed = filter !== 'all' || wanted !== '';
  const isMatch = (task: Task) =>
    (filter === 'all' || (isLeaf(task) && filterTakes[filter](stateOf(task)))) &&
    (wanted === '' || task.title.toLowerCase().includes(wanted) || task.id.toLowerCase().includes(wanted));

  const entries: TreeEntry[] = [];
  if (!isNarrowed) {
    let foldedDepth = Number.POSITIVE_INFINITY;
    for (const {task, depth} of rows) {
      if (depth > foldedDepth) continue;
      foldedDepth = folded.has(task.id) ? depth : Number.POSITIVE_INFINITY;
      entries.push({id: task.id, depth, isMatch: true});
    }
    return entries;
  }
  // Backwards: parents come after their children, so it is known whether one of them matches.
  let neededDepth = -1;
  for (const {task, depth} of rows.toReversed()) {
    const matches = isMatch(task);
    if (!matches && depth !== neededDepth) continue;
    neededDepth = depth - 1;
    entries.push({id: task.id, depth, isMatch: matches});
  }
  return entries.reverse();
}

const filterTakes = {
  open: (state) => state !== 'done' && state !== 'skipped',
  ready: (state) => state === 'ready',
  blocked: (state) => state === 'waits' || state === 'blocked',
  attention: (state) =>
    needsPerson(state) ||
    state === 'paused' ||
    state === 'lost' ||
    state === 'orphaned' ||
    state === 'failed' ||
    state === 'stalled',
} as const satisfies Record<Exclude<Filter, 'all'>, (state: TaskState) => boolean>;

/** A summary of what is below a parent: done leaves, all leaves, and what the user should know. */
export type SubtreeSummary = {
  done: number;
  total: number;
  isRunning: boolean;
  needsPerson: boolean;
  /** The worst state that needs no answer: failed before lost before paused. */
  stopped: TaskState | null;
};

export type PlanSummary = {
  readonly below: ReadonlyMap<string, SubtreeSummary>;
  readonly counts: ReadonlyMap<TaskState, number>;
  readonly total: number;
  readonly done: number;
  /** Tasks that wait for the user, in plan order. */
  readonly attention: readonly string[];
  /** Those plus the paused and failed ones: what the filter `attention` shows and `n` cycles through. */
  readonly stopped: readonly string[];
};

/** One pass over the plan, children before parents. */
export function summarizePlan(plan: Plan, stateOf: (task: Task) => TaskState): PlanSummary {
  const below = new Map<string, SubtreeSummary>();
  const counts = new Map<TaskState, number>();
  const attention: string[] = [];
  const stopped: string[] = [];
  const add = (parentId: string, part: SubtreeSummary) => {
    const sum = below.get(parentId) ?? leafless();
    sum.done += part.done;
    sum.total += part.total;
    sum.isRunning ||= part.isRunning;
    sum.needsPerson ||= part.needsPerson;
    sum.stopped = worse(sum.stopped, part.stopped);
    below.set(parentId, sum);
  };
  let total = 0;
  let done = 0;
  for (const {task} of tasksInTreeOrder(plan).reverse()) {
    const part = isLeaf(task) ? leafPart(stateOf(task)) : below.get(task.id);
    if (isLeaf(task)) {
      const state = stateOf(task);
      counts.set(state, (counts.get(state) ?? 0) + 1);
      total++;
      if (state === 'done') done++;
      if (needsPerson(state)) attention.push(task.id);
      if (filterTakes.attention(state)) stopped.push(task.id);
    }
    if (part && task.parentId != null && plan.items.has(task.parentId)) add(task.parentId, part);
  }
  return {
    below,
    counts,
    total,
    done,
    attention: attention.reverse(),
    stopped: stopped.reverse(),
  };
}

function leafPart(state: TaskState): SubtreeSummary {
  return {
    done: state === 'done' ? 1 : 0,
    total: 1,
    isRunning: state === 'running',
    needsPerson: needsPerson(state),
    stopped: worstFirst.includes(state) ? state : null,
  };
}

const leafless = (): SubtreeSummary => ({
  done: 0,
  total: 0,
  isRunning: false,
  needsPerson: false,
  stopped: null,
});

const worstFirst: readonly (TaskState | null)[] = ['failed', 'orphaned', 'lost', 'stalled', 'paused', null];

const worse = (
  one: SubtreeSummary['stopped'],
  other: SubtreeSummary['stopped'],
): SubtreeSummary['stopped'] => (worstFirst.indexOf(one) <= worstFirst.indexOf(other) ? one : other);
