import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {displayLine} from '../text/display-text.ts';
import {ancestorsOf, isLeaf, subtreeOf} from './plan-graph.ts';

/** A command that must succeed before a task is done, and the task that requires it. */
export type TaskCheck = {readonly command: string; readonly from: string};

/** Checks of the topmost parent first, the task's own last; each command once. */
export function checksOf(plan: Plan, task: Task): TaskCheck[] {
  const levels = [...ancestorsOf(plan, task).toReversed(), task];
  const all = levels.flatMap(({id, verify}) => (verify ?? []).map((command) => ({command, from: id})));
  return firstOfEach(all);
}

/** The commands that check a run of the task: those for all tasks, then those of the plan. */
export function checkCommands(plan: Plan, task: Task, forAll: readonly string[]): string[] {
  return [...new Set([...forAll, ...checksOf(plan, task).map(({command}) => command)])];
}

/** Running tasks whose checks this edit changed: an open run keeps the checks it started with. */
export function keptChecks(before: Plan, after: Plan, id: string): string[] {
  const task = after.items.get(id);
  if (!task || sameChecks(before.items.get(id)?.verify, task.verify)) return [];
  return openTasks(subtreeOf(after, task));
}

/** Tasks with an open run, which keeps the checks it started with. */
export const openTasks = (tasks: Iterable<Task>): string[] =>
  [...tasks]
    .filter((each) => isLeaf(each) && (each.status === 'in_progress' || each.status === 'waiting_user'))
    .map((each) => each.id);

/** A note for whoever edited them; empty if no run is open. */
export const keptChecksWords = (ids: readonly string[]): string =>
  ids.length === 0
    ? ''
    : `An open run keeps the checks it began with (${ids.map(displayLine).join(', ')}); a restart takes the new ones.`;

const sameChecks = (one: Task['verify'], other: Task['verify']) =>
  JSON.stringify(one ?? []) === JSON.stringify(other ?? []);

function firstOfEach(checks: readonly TaskCheck[]): TaskCheck[] {
  const seen = new Set<string>();
  return checks.filter(({command}) => !seen.has(command) && seen.add(command));
}
