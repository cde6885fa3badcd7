import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {ancestorsOf} from './plan-graph.ts';

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

function firstOfEach(checks: readonly TaskCheck[]): TaskCheck[] {
  const seen = new Set<string>();
  return checks.filter(({command}) => !seen.has(command) && seen.add(command));
}
