import {isLeaf} from '../../machines/policies/plan/plan-graph.ts';
import {dueParents} from '../../machines/policies/review/parent-review.ts';
import {retryObstacle} from '../../machines/policies/run/retry-check.ts';
import type {Command} from './commands.ts';
import {type Facts, readyBelow, type TuiState} from './facts.ts';

const busy = 'a task is running: ctrl+c pauses it';
const noTask = 'no task is selected';

/** Why a command cannot be given now; null when it can. Every key, every hint and every refusal asks here. */
export function whyNot(command: Command, facts: Facts, state: TuiState): string | null {
  return refusals[command]?.(facts, state) ?? null;
}

type Refusal = (facts: Facts, state: TuiState) => string | null;

const unlessBusy =
  (next: Refusal): Refusal =>
  (facts, state) => {
    if (facts.isBusy) return busy;
    const other = state.data?.otherEngine ?? null;
    if (other !== null) return `process ${other} works on this project`;
    return next(facts, state);
  };
const leafOnly =
  (next: Refusal): Refusal =>
  (facts, state) => {
    if (!facts.task) return noTask;
    return isLeaf(facts.task) ? next(facts, state) : 'it has children; they are the ones that run';
  };
const atRest: Refusal = ({task, state}) => {
  if (!task) return noTask;
  return state === 'running' ? 'an agent works on it' : null;
};
const anyTask: Refusal = ({task}) => (task ? null : noTask);
const hidden = 'not now';

const refusals: Partial<Record<Command, Refusal>> = {
  'job.execute': unlessBusy(({plan, summary}, {data}) => {
    if (!plan) return 'there is no plan';
    if ((summary?.counts.get('ready') ?? 0) > 0) return null;
    // A review that is due is work as well, unless its last one waits for a person.
    const judged = new Set([...(data?.pendingFeedback.values() ?? [])].map((each) => each.parentTaskId));
    return dueParents(plan).some(({id}) => !judged.has(id)) ? null : 'no task is ready';
  }),
  'job.executeTask': unlessBusy(({plan, task}) => {
    if (!plan || !task) return noTask;
    return readyBelow(plan, task).length > 0 ? null : `${task.id} is not ready`;
  }),
  'job.resume': unlessBusy(
    leafOnly(({state, run}) => {
      if (state === 'paused' || state === 'lost')
        return run?.resumable ? null : 'it has no session to go on with: R restarts it';
      return state === 'asks' || state === 'decision' || state === 'feedback'
        ? null
        : 'there is nothing to resume';
    }),
  ),
  'job.restart': unlessBusy(leafOnly(({run}) => (run ? null : 'it has no run yet: e executes it'))),
  'job.retry': unlessBusy(
    leafOnly(({task, run}, {data}) => {
      const isEngineAlive = (data?.otherEngine ?? null) !== null;
      return task && retryObstacle(task, run, isEngineAlive)
        ? 'it is neither failed nor blocked nor lost'
        : null;
    }),
  ),
  'job.stopAfter': ({isBusy, isPausing}, {job}) => {
    if (!isBusy || isPausing || job?.request.type !== 'execute') return 'no plan is being executed';
    return job.isStopping ? 'it stops after this task already' : null;
  },
  'job.pause': ({isBusy, isPausing}) => (isBusy && !isPausing ? null : hidden),
  'job.force': ({isPausing}) => (isPausing ? null : hidden),
  'go.leave': ({isBusy}) => (isBusy ? hidden : null),
  'plan.status': atRest,
  'plan.add': ({plan}) => (plan ? null : 'there is no plan'),
  'plan.addChild': atRest,
  'plan.edit': atRest,
  'plan.deps': anyTask,
  'plan.move': atRest,
  'plan.moveUp': anyTask,
  'plan.moveDown': anyTask,
  'plan.delete': atRest,
  'plan.undo': (_, {lastEdit}) => (lastEdit ? null : 'there is nothing to undo'),
  'plan.create': (_, {data}) => (data?.plan.type === 'none' ? null : 'there is a plan'),
  // It is being read: whoever is quicker waits there.
  'go.plan': ({plan}, {data}) => (plan || data === null ? null : 'there is no plan to look at'),
  'tree.next': ({summary}) => ((summary?.attention.length ?? 0) > 0 ? null : 'nothing needs you'),
  'tree.clear': (_, {browse}) => (browse.filter !== 'all' || browse.query !== '' ? null : hidden),
  'detail.raw': (_, {browse}) => (browse.tab === 'run' ? null : 'raw output is in the tab Run'),
  'run.older': ({shownRun}, {browse}) => {
    if (browse.tab !== 'run' && browse.tab !== 'diff') return 'earlier runs are in the tabs Run and Diff';
    return shownRun ? null : 'it has not run yet';
  },
  'run.newer': ({task}, {past}) => (past && past.taskId === task?.id ? null : 'this is the latest run'),
  'list.choose': (_, {list}) => {
    const session = list.sessions?.[list.index];
    if (!session) return 'there is no session to attach to';
    return session.canAttach ? null : `${session.name || session.id} is ${session.status}`;
  },
  'tree.search': ({plan}) => (plan ? null : 'there is no plan'),
};

export const isSilent = (reason: string): boolean => reason === hidden;
