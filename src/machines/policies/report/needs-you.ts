import {shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {heldMode} from '../job/waiting.ts';
import {type FactsOf, taskCondition} from '../plan/explain-task.ts';
import {skippedBelow, waitingForever} from '../plan/never-done.ts';
import {isLeaf, tasksInTreeOrder} from '../plan/plan-graph.ts';
import {isReady} from '../plan/readiness.ts';
import {retryTimeOf} from '../run/retry-time.ts';
import {isBeingFinished, type TaskFacts, taskStanding} from '../run/task-options.ts';

/** A task that needs the user, and the command for it; null if there is none now. */
export type Need = {
  readonly task_id: string;
  readonly title: string;
  readonly why: string;
  readonly command: string | null;
};

/** A task that only needs time: the next execute waits for it and continues it. */
export type TimeNeed = Need & {readonly retry_at: string};

export type Needs = {readonly needs_you: readonly Need[]; readonly needs_time: readonly TimeNeed[]};

/** Both in plan order. */
export function needsIn(plan: Plan, factsOf: FactsOf): Needs {
  const needs = needsOfTasks(plan, factsOf);
  return {
    needs_you: needs.flatMap((need) => ('retry_at' in need ? [] : [need])),
    needs_time: needs.flatMap((need) => ('retry_at' in need ? [need] : [])),
  };
}

function needsOfTasks(plan: Plan, factsOf: FactsOf): ReadonlyArray<Need | TimeNeed> {
  const forever = waitingForever(plan);
  const skipped = forever.size === 0 ? new Map<string, string>() : skippedBelow(plan);
  return tasksInTreeOrder(plan).flatMap(({task}) => {
    if (!isLeaf(task)) return [];
    const dep = forever.get(task.id);
    const skippedTask = plan.items.get(skipped.get(dep ?? '') ?? '') ?? null;
    const need =
      needOf(factsOf(task)) ??
      (dep === undefined ? null : stuckNeed(task, dep, skippedTask && factsOf(skippedTask)));
    return need ?? [];
  });
}

/** Null if nothing is needed, or other tasks come first. */
export function needOf(facts: TaskFacts): Need | TimeNeed | null {
  const {plan, task, run, isSentBack, isOrphaned} = facts;
  const standing = taskStanding(facts);
  if (standing === 'busy' || isBeingFinished(facts) || (isReady(plan, task) && !isSentBack)) return null;
  const isOpen = task.status === 'in_progress' || task.status === 'waiting_user' || task.status === 'failed';
  if (!isOpen && !isSentBack && !isOrphaned && standing !== 'decisionPending') return null;
  const {reason, next, later} = taskCondition(facts);
  const own = {task_id: task.id, title: task.title};
  const told = (why: string) => (later === undefined ? why : `${why}; ${later}`);
  if (run === null || heldMode(facts) === null)
    return {...own, why: told(whyOf(reason, run)), command: next?.command ?? null};
  // Its own command continues this task alone; an execution continues the plan after it, too.
  const command = next ? 'blackbird execute' : null;
  return {...own, why: told(reason), command, retry_at: retryTimeOf(run)};
}

/** It waits for something that is never done: a skipped task, or itself in a cycle. */
function stuckNeed({id, title}: Task, dep: string, skipped: TaskFacts | null): Need {
  const own = {task_id: id, title};
  if (skipped === null)
    return {
      ...own,
      why: `waits for ${dep}, which can only be done after it`,
      command: `blackbird why ${shellWord(id)}`,
    };
  const below = skipped.task.id === dep ? '' : `, and ${skipped.task.id} below it`;
  const command = taskCondition(skipped).next?.command ?? null;
  return {...own, why: `waits for ${dep}${below || ', which'} is skipped`, command};
}

/** With the question or the failure itself, which the user needs to decide. */
function whyOf(reason: string, run: RunRecord | null): string {
  const [question] = run?.state === 'waiting' ? (run.questions ?? []) : [];
  if (question) return `asks: ${question.prompt}`;
  const {message = ''} = (run?.state === 'failed' && run.failure) || {};
  if (message === '' || reason.includes(message)) return reason;
  return reason.startsWith('failed: ') ? `failed: ${message}` : `${reason}: ${message}`;
}
