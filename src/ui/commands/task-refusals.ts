import {isLeaf} from '../../machines/policies/plan/plan-graph.ts';
import {dueParents} from '../../machines/policies/review/parent-review.ts';
import {retryObstacle} from '../../machines/policies/run/retry-check.ts';
import {readyBelow} from '../model/facts.ts';
import {noPlan, noTask, type Refusal} from './command.ts';

/** What may be done with a task or the plan: the refusals of execute, resume, restart and retry. */

const whileIdle =
  (next: Refusal): Refusal =>
  (facts, state) => {
    if (facts.isBusy) return 'a task is running: ctrl+c pauses it';
    const other = state.data?.otherEngine ?? null;
    if (other !== null) return `process ${other} works on this project`;
    return next(facts, state);
  };

const ofLeaf = (next: Refusal): Refusal =>
  whileIdle((facts, state) => {
    if (!facts.task) return noTask;
    return isLeaf(facts.task) ? next(facts, state) : 'it has children; they are the ones that run';
  });

export const executeRefusal = whileIdle(({plan, summary}, {data}) => {
  if (!plan) return noPlan;
  if ((summary?.counts.get('ready') ?? 0) > 0) return null;
  // A review that is due is work as well, unless its last one waits for a person.
  const judged = new Set([...(data?.pendingFeedback.values() ?? [])].map((each) => each.parentTaskId));
  return dueParents(plan).some(({id}) => !judged.has(id)) ? null : 'no task is ready';
});

export const executeTaskRefusal = whileIdle(({plan, task}) => {
  if (!plan || !task) return noTask;
  return readyBelow(plan, task).length > 0 ? null : `${task.id} is not ready`;
});

export const resumeRefusal = ofLeaf(({state, run}) => {
  if (state === 'paused' || state === 'lost')
    return run?.resumable ? null : 'it has no session to go on with: R restarts it';
  return state === 'asks' || state === 'decision' || state === 'feedback'
    ? null
    : 'there is nothing to resume';
});

export const restartRefusal = ofLeaf(({run}) => (run ? null : 'it has no run yet: e executes it'));

export const retryRefusal = ofLeaf(({task, run}, {data}) => {
  const isEngineAlive = (data?.otherEngine ?? null) !== null;
  return task && retryObstacle(task, run, isEngineAlive) ? 'it is neither failed nor blocked nor lost' : null;
});
