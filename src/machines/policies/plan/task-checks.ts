import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {displayLine} from '../text/display-text.ts';
import {ancestorsOf, isLeaf, subtreeOf} from './plan-graph.ts';

/** A command that must succeed before a task is done, and the task that asks for it. */
export type TaskCheck = {readonly command: string; readonly from: string};

/** Those of the highest parent first, its own last; each command once. */
export function checksOf(plan: Plan, task: Task): TaskCheck[] {
  const levels = [...ancestorsOf(plan, task).toReversed(), task];
  const all = levels.flatMap(({id, verify}) => (verify ?? []).map((command) => ({command, from: id})));
  return firstOfEach(all);
}

/** What a run of the task is checked with: what holds for all, then what the plan says. */
export function checkCommands(plan: Plan, task: Task, forAll: readonly string[]): string[] {
  return [...new Set([...forAll, ...checksOf(plan, task).map(({command}) => command)])];
}

/** The tasks at work whose checks an edit of this one changed: an open run keeps those it began with. */
export function keptChecks(before: Plan, after: Plan, id: string): string[] {
  const task = after.items.get(id);
  if (!task || sameChecks(before.items.get(id)?.verify, task.verify)) return [];
  return subtreeOf(after, task)
    .filter((each) => isLeaf(each) && (each.status === 'in_progress' || each.status === 'waiting_user'))
    .map((each) => each.id);
}

/** For whoever edited them, wherever that was; empty where no run is open. */
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
