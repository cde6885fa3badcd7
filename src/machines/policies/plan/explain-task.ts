import {type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task, TaskStatus} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {dueParents, isReviewDue} from '../review/parent-review.ts';
import {checkingWords} from '../run/check-words.ts';
import {loginSteps} from '../run/failure-steps.ts';
import {heldUpWords} from '../run/failure-table.ts';
import {jobHoldWords} from '../run/job-hold.ts';
import {isHeldForTime} from '../run/retry-time.ts';
import {stepFor, stepInProgram} from '../run/run-refusals.ts';
import {
  isBeingFinished,
  nextCommands,
  type TaskCommand,
  type TaskFacts,
  taskObstacle,
  taskStanding,
} from '../run/task-options.ts';
import {hasUndeliveredAnswer, stepPastRecord} from '../run/task-runs.ts';
import {nearTime} from '../text/durations.ts';
import {ancestorsOf, childrenOf, isLeaf, requireTask} from './plan-graph.ts';
import {isReady, unmetDeps} from './readiness.ts';

/** Looks up the facts of a task, with its run if that matters. */
export type FactsOf = (task: Task) => TaskFacts;

/** The tasks that the review of a parent sent back and whose feedback is still pending. */
export type SentBackOf = (parentId: string) => readonly string[];

/** Why one task has to wait, or what it blocks. */
export type Condition = {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  /** Its relation to the task above it; a gate blocks the whole plan. */
  readonly role: 'task' | 'dependency' | 'child' | 'gate';
  readonly depth: number;
  readonly reason: string;
  readonly next?: NextStep;
};

export type Explanation = {
  readonly id: string;
  readonly ready: boolean;
  /** The whole chain, each task once, followed by what it waits for. */
  readonly conditions: readonly Condition[];
  /** The tasks that must move first: nothing above them can continue until then. */
  readonly first: readonly string[];
};

/** The exact chain of unmet conditions of a task, down to those that can be met now. */
export function explainTask(
  plan: Plan,
  id: string,
  factsOf: FactsOf,
  sentBackOf: SentBackOf = () => [],
): Explanation {
  const target = requireTask(plan, id);
  const conditions: Condition[] = [];
  const first: string[] = [];
  const explained = new Set<string>();
  const stack: Step[] = [{task: target, role: 'task', depth: 0}];
  /** The tasks from the target down to the current one, and the position in each. */
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
    conditions.push({...common, ...withLater(ownCondition(factsOf(task), role, needs.length, sentBackOf))});
    if (needs.length === 0 && (task.status !== 'done' || factsOf(task).isSentBack)) first.push(task.id);
    for (const need of needs.toReversed()) {
      stack.push({...need, depth: depth + 1});
    }
  }
  const ready = isReady(plan, target);
  const gates = ready ? gatesIn(plan, factsOf, sentBackOf) : [];
  if (gates.length === 0) return {id, ready, conditions, first};
  return {id, ready, conditions: [...conditions, ...gates], first: gates.map((gate) => gate.id)};
}

/** What blocks every execution: pending decisions and parent review feedback. */
function gatesIn(plan: Plan, factsOf: FactsOf, sentBackOf: SentBackOf): Condition[] {
  const undecided = [...plan.items.values()].filter(
    (task) => task.status === 'in_progress' && taskStanding(factsOf(task)) === 'decisionPending',
  );
  const sentBack = dueParents(plan)
    .flatMap(({id}) => sentBackOf(id))
    .flatMap((id) => plan.items.get(id) ?? []);
  return [...new Set([...undecided, ...sentBack])].map((task) => {
    const {id, title, status} = task;
    const own = withLater(ownCondition(factsOf(task), 'gate', 0, sentBackOf));
    return {id, title, status, role: 'gate', depth: 1, ...own};
  });
}

/** The command that must come before an execution can start a task; null if there is none. */
export function commandBeforeAll(plan: Plan, factsOf: FactsOf): string | null {
  const sentBack = [...plan.items.values()].filter((task) => factsOf(task).isSentBack);
  const below = new Map<string, string[]>();
  for (const task of sentBack) {
    for (const {id} of ancestorsOf(plan, task)) below.set(id, [...(below.get(id) ?? []), task.id]);
  }
  const sentBackOf = (parentId: string) => below.get(parentId) ?? [];
  return gatesIn(plan, factsOf, sentBackOf)[0]?.next?.command ?? null;
}

type Step = {task: Task; role: Condition['role']; depth: number};

/** The path from a task back to itself; a very long one is shortened in the middle. */
function deadlock(path: readonly string[], start: number): string {
  const length = path.length - start;
  const ids =
    length <= 20
      ? path.slice(start)
      : [...path.slice(start, start + 10), '…', ...path.slice(path.length - 9)];
  return `deadlock: ${[...ids, path[start]].join(' -> ')}; remove one of these dependencies`;
}

/** What must be done before this task: unmet dependencies, then unfinished children. */
function neededTasks(plan: Plan, task: Task): Array<{task: Task; role: 'dependency' | 'child'}> {
  if (task.status === 'done') return [];
  const deps = unmetDeps(plan, task).flatMap((dep) => plan.items.get(dep) ?? []);
  const children = childrenOf(plan, task).filter((child) => child.status !== 'done');
  return [
    ...deps.map((dep) => ({task: dep, role: 'dependency' as const})),
    ...children.map((child) => ({task: child, role: 'child' as const})),
  ];
}

/** The state of one task by itself, and what the user can do about it. */
export const taskCondition = (facts: TaskFacts): OwnCondition => ownCondition(facts, 'task', 0, () => []);

/** `later` is set instead of a command that the running job would refuse now. */
type OwnCondition = {readonly reason: string} & NextOrLater;
type NextOrLater = {readonly next?: NextStep; readonly later?: string};

const withLater = ({reason, next, later}: OwnCondition) => ({
  reason: later === undefined ? reason : `${reason}; ${later}`,
  ...(next && {next}),
});

function ownCondition(
  facts: TaskFacts,
  role: Condition['role'],
  needs: number,
  sentBackOf: SentBackOf,
): OwnCondition {
  const {plan, task} = facts;
  if (isReviewDue(plan, task)) return reviewCondition(facts, sentBackOf(task.id));
  const own = standingReason(facts);
  if (own !== null) {
    const tail = needs > 0 && task.status !== 'in_progress' ? `; also waits for ${needs}` : '';
    return {reason: own + tail, ...nextFor(facts)};
  }
  if (!isLeaf(task)) return {reason: `done when its children are (${needs} to go)`};
  return {reason: role === 'task' ? `waits for ${needs}` : `not done yet, waits for ${needs}`};
}

/** The possible commands according to the run chart; for a running task, how to watch it. */
function nextFor(facts: TaskFacts): NextOrLater {
  if (taskStanding(facts) === 'busy')
    return {next: {command: `blackbird logs ${shellWord(facts.task.id)} --follow`, why: 'watch it'}};
  if (facts.unreadable !== undefined) return {next: stepPastRecord(facts.unreadable)};
  if (isBeingFinished(facts)) return {next: {command: 'blackbird status', why: 'see how far it is'}};
  const [command] = nextCommands(facts);
  if (command === undefined) return {};
  const isForgetting = command === 'restart' || command === 'retry';
  const inProgram = isForgetting ? stepInProgram(facts) : undefined;
  return unlessHeld(facts, inProgram ? 'resume' : command, inProgram ?? stepFor(facts, command));
}

function unlessHeld(facts: TaskFacts, command: TaskCommand, next: NextStep): NextOrLater {
  const later = jobHoldWords(facts, command, next.command);
  return later === null ? {next} : {later};
}

function reviewCondition(facts: TaskFacts, [first, ...others]: readonly string[]): OwnCondition {
  if (first === undefined) {
    const next = {command: 'blackbird execute', why: 'review it'};
    return {reason: 'its children are done, its review is due', ...unlessHeld(facts, 'execute', next)};
  }
  const next = {command: `blackbird resume ${shellWord(first)}`, why: 'continue with what the review said'};
  return {
    reason: `its review sent back ${[first, ...others].join(', ')}`,
    ...unlessHeld(facts, 'resume', next),
  };
}

/** The state of the task itself; null if it only waits for others. */
function standingReason(facts: TaskFacts): string | null {
  const {plan, task, isSentBack} = facts;
  const standing = taskStanding(facts);
  if (standing === 'busy') return (facts.run && checkingWords(facts.run)) ?? 'running';
  if (facts.unreadable !== undefined) return `its record cannot be read: ${facts.unreadable}`;
  if (isBeingFinished(facts)) return 'its agent has ended, its job is finishing it';
  if (standing === 'decisionPending') return 'waits for your decision';
  if (isSentBack) return `${task.status === 'done' ? 'done, but ' : ''}the review of its parent sent it back`;
  if (isReady(plan, task)) return facts.limit ? limitReason(facts.limit, facts.now) : 'ready now';
  return statusReason[task.status](facts);
}

/** Its provider is limited until then; `execute` waits for it. */
const limitReason = ({provider, until}: NonNullable<TaskFacts['limit']>, now: string | undefined) =>
  `ready, but the usage limit of ${provider} is reached, until ${nearTime(until, now)}`;

const statusReason = {
  todo: () => null,
  queued: () => 'queued, not started',
  in_progress: (facts) => openReason(facts, 'in progress'),
  waiting_user: (facts) => openReason(facts, 'waits for an answer'),
  blocked: () => 'blocked by hand',
  done: () => 'done, nothing is left to do',
  failed: ({run}) => failedReason(run),
  skipped: () => 'skipped, so it will not be done',
} as const satisfies Record<TaskStatus, (facts: TaskFacts) => string | null>;

/** With the first line of the failure or the rejection; the run has the full text. */
function failedReason(run: RunRecord | null): string {
  if (run?.state !== 'failed' || !run.failure) return 'failed';
  const [line = ''] = run.failure.message.trim().split('\n');
  const words = line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line;
  return words === '' ? 'failed' : `failed: ${words}`;
}

const longestReason = 160;

/** `in_progress` in the plan can mean several things; the run tells which. */
function openReason(facts: TaskFacts, words: string): string {
  const {run, isOrphaned} = facts;
  const standing = taskStanding(facts);
  if (isOrphaned) return 'its Blackbird is gone, but its agent is still working';
  const why = run === null ? '' : heldUpReason(run, facts.now);
  if (standing === 'waiting') {
    const words =
      run && hasUndeliveredAnswer(run) ? 'your answer did not reach its agent' : 'waits for your answer';
    return `${words}${why}${obstacleNote(facts)}`;
  }
  const due = run?.checks_due ? ', its checks still have to run' : '';
  if (standing === 'paused' || standing === 'lost') return `paused${why}${due}${obstacleNote(facts)}`;
  return run === null ? `${words}, but no run is working on it` : `${words}, its latest run ${run.state}`;
}

/** Why its provider holds it up, and how long if it only needs time; the end of an outage is unknown. */
function heldUpReason(run: RunRecord, now: string | undefined): string {
  const cause = heldUpWords(run);
  if (cause === null) return '';
  const until = run.retry_at ?? run.failure?.reset_at;
  if (!isHeldForTime(run) || until === undefined) return `: ${cause}${loginWords(run)}`;
  if (now !== undefined && Date.parse(until) <= Date.parse(now)) return ', can continue now';
  return `: ${cause}, ${run.failure?.kind === 'rate_limit' ? 'until' : 'next try'} ${nearTime(until, now)}`;
}

/** Without a login, continuing would fail again. */
const loginWords = (run: RunRecord): string =>
  loginSteps(run)
    .map(({command}) => ` (first: ${command})`)
    .join('');

function obstacleNote(facts: TaskFacts): string {
  switch (taskObstacle(facts, 'resume')) {
    case null:
      return '';
    case 'otherProgram':
      return ', in a session of another program';
    case 'otherFolder':
      return ', in another working folder';
    default:
      return ', without a session to continue';
  }
}
