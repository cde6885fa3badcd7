import {type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task, TaskStatus} from '../../../services/contracts/plan.ts';
import type {RunState} from '../../../services/contracts/run.ts';
import {isReviewDue} from '../review/parent-review.ts';
import {childrenOf, isLeaf, requireTask} from './plan-graph.ts';
import {isReady, unmetDeps} from './readiness.ts';

/**
 * How the latest run of a task stands, that it stands at a checkpoint, that it paused without a session, or that its
 * agent outlived its Blackbird. A run that failed counts where there is a session to go on in. `sentBack`: it is done,
 * and a parent review wants more of it.
 */
export type RunStanding = RunState | 'decision' | 'stranded' | 'orphaned' | 'sentBack';

/** Undefined for a task without a run. */
export type RunStandingOf = (taskId: string) => RunStanding | undefined;

/** The tasks that the review of a parent sent back, and nobody has answered. */
export type SentBackOf = (parentId: string) => readonly string[];

/** Why one task has to wait, or why it is waited for. */
export type Condition = {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  /** What this task is to the one above it. */
  readonly role: 'task' | 'dependency' | 'child';
  readonly depth: number;
  readonly reason: string;
  readonly next?: NextStep;
};

export type Explanation = {
  readonly id: string;
  readonly ready: boolean;
  /** The whole chain, each task once, what it waits for below it. */
  readonly conditions: readonly Condition[];
  /** Who must move first: nothing above them can go on before. */
  readonly first: readonly string[];
};

/** The exact chain of unmet conditions of a task, down to those who can move now. */
export function explainTask(
  plan: Plan,
  id: string,
  stateOf: RunStandingOf = () => undefined,
  sentBackOf: SentBackOf = () => [],
): Explanation {
  const target = requireTask(plan, id);
  const conditions: Condition[] = [];
  const first: string[] = [];
  const explained = new Set<string>();
  const stack: Step[] = [{task: target, role: 'task', depth: 0}];
  /** The tasks from the target down to the one at hand, and where each of them stands. */
  const path: string[] = [];
  const depthOf = new Map<string, number>();

  for (let step = stack.pop(); step; step = stack.pop()) {
    const {task, role, depth} = step;
    for (const left of path.splice(depth)) depthOf.delete(left);
    const common = {id: task.id, title: task.title, status: task.status, role, depth};
    if (explained.has(task.id)) {
      const loop = depthOf.get(task.id);
      conditions.push({...common, reason: loop === undefined ? 'see above' : deadlock(path, loop)});
      continue;
    }
    explained.add(task.id);
    depthOf.set(task.id, path.push(task.id) - 1);
    const needs = neededTasks(plan, task);
    conditions.push({...common, ...ownCondition(plan, task, role, needs.length, stateOf, sentBackOf)});
    if (needs.length === 0 && (task.status !== 'done' || stateOf(task.id) === 'sentBack'))
      first.push(task.id);
    for (const need of needs.toReversed()) {
      stack.push({...need, depth: depth + 1});
    }
  }
  return {id, ready: isReady(plan, target), conditions, first};
}

type Step = {task: Task; role: Condition['role']; depth: number};

/** The way from a task back to itself; of a very long one, its ends. */
function deadlock(path: readonly string[], start: number): string {
  const length = path.length - start;
  const ids =
    length <= 20
      ? path.slice(start)
      : [...path.slice(start, start + 10), '…', ...path.slice(path.length - 9)];
  return `deadlock: ${[...ids, path[start]].join(' -> ')}; remove one of these dependencies`;
}

/** What must be done before this task can be: unmet dependencies, then unfinished children. */
function neededTasks(plan: Plan, task: Task): Array<{task: Task; role: 'dependency' | 'child'}> {
  if (task.status === 'done') return [];
  const deps = unmetDeps(plan, task).flatMap((dep) => plan.items.get(dep) ?? []);
  const children = childrenOf(plan, task).filter((child) => child.status !== 'done');
  return [
    ...deps.map((dep) => ({task: dep, role: 'dependency' as const})),
    ...children.map((child) => ({task: child, role: 'child' as const})),
  ];
}

function ownCondition(
  plan: Plan,
  task: Task,
  role: Condition['role'],
  needs: number,
  stateOf: RunStandingOf,
  sentBackOf: SentBackOf,
): {reason: string; next?: NextStep} {
  if (isReviewDue(plan, task)) return reviewCondition(sentBackOf(task.id));
  if (isReady(plan, task)) {
    return {reason: 'ready now', next: {command: `blackbird execute ${shellWord(task.id)}`, why: 'run it'}};
  }
  const own = statusCondition[task.status](task.id, stateOf);
  if (own) {
    const tail = needs > 0 && task.status !== 'in_progress' ? `; also waits for ${needs}` : '';
    return {...own, reason: own.reason + tail};
  }
  if (!isLeaf(task)) return {reason: `done when its children are (${needs} to go)`};
  return {reason: role === 'task' ? `waits for ${needs}` : `not done yet, waits for ${needs}`};
}

function reviewCondition([first, ...others]: readonly string[]): {reason: string; next: NextStep} {
  if (first === undefined) {
    return {
      reason: 'its children are done, its review is due',
      next: {command: 'blackbird execute', why: 'review it'},
    };
  }
  return {
    reason: `its review sent back ${[first, ...others].join(', ')}`,
    next: {command: `blackbird resume ${shellWord(first)}`, why: 'go on with what the review said'},
  };
}

const statusCondition = {
  todo: () => null,
  queued: (id) => ({
    reason: 'queued, not started',
    next: {command: `blackbird set-status ${shellWord(id)} todo`, why: 'make it ready'},
  }),
  in_progress: (id, stateOf) => inProgress(id, stateOf(id)),
  waiting_user: (id) => ({
    reason: 'waits for your answer',
    next: {command: `blackbird resume ${shellWord(id)}`, why: 'answer its questions'},
  }),
  blocked: (id) => ({
    reason: 'blocked by hand',
    next: {command: `blackbird set-status ${shellWord(id)} todo`, why: 'release it'},
  }),
  done: (id, stateOf) =>
    stateOf(id) === 'sentBack'
      ? {
          reason: 'done, but the review of its parent sent it back',
          next: {command: `blackbird resume ${shellWord(id)}`, why: 'go on with what the review said'},
        }
      : {reason: 'done, nothing is left to do'},
  failed: (id, stateOf) => ({
    reason: 'failed',
    next:
      stateOf(id) === 'failed'
        ? {command: `blackbird resume ${shellWord(id)}`, why: 'go on in its session'}
        : {command: `blackbird retry ${shellWord(id)}`, why: 'make it ready for execute'},
  }),
  skipped: (id) => ({
    reason: 'skipped, so it will not be done',
    next: {command: `blackbird set-status ${shellWord(id)} todo`, why: 'or remove the dependency on it'},
  }),
} satisfies Record<
  TaskStatus,
  (id: string, stateOf: RunStandingOf) => {reason: string; next?: NextStep} | null
>;

/** The plan says `in_progress` for six different things; its latest run tells which. */
function inProgress(id: string, state: RunStanding | undefined): {reason: string; next: NextStep} {
  const word = shellWord(id);
  if (state === 'running') {
    return {reason: 'running', next: {command: `blackbird logs ${word} --follow`, why: 'watch it'}};
  }
  if (state === 'paused') {
    return {reason: 'paused', next: {command: `blackbird resume ${word}`, why: 'go on where it stopped'}};
  }
  if (state === 'stranded') {
    return {
      reason: 'paused, without a session to go on in',
      next: {command: `blackbird restart ${word}`, why: 'start again; the conversation is forgotten'},
    };
  }
  if (state === 'orphaned') {
    return {
      reason: 'its Blackbird is gone, but its agent still works',
      next: {command: `blackbird resume ${word}`, why: 'end the agent and go on'},
    };
  }
  if (state === 'decision') {
    return {reason: 'waits for your decision', next: {command: `blackbird review ${word}`, why: 'decide'}};
  }
  const reason =
    state === undefined ? 'in progress, but no run works on it' : `in progress, its latest run ${state}`;
  return {reason, next: {command: `blackbird set-status ${word} todo`, why: 'make it ready'}};
}
