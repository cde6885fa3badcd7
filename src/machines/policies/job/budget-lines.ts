import {shellWord} from '../../../services/contracts/errors.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {isOver, readyTasks} from '../plan/readiness.ts';
import {amountText, type Overrun} from '../run/budget.ts';
import {stepLines} from '../run/failure-table.ts';
import type {Attempted} from '../run/task-outcome.ts';
import {counted} from '../text/counted.ts';
import {displayLine} from '../text/display-text.ts';

/** The end of a job whose budget is used up: what is left, and how to continue. */
export function overrunSummary(overrun: Overrun, attempted: readonly Attempted[], plan: Plan) {
  const headline = `The budget of this job is used up: ${amountText(overrun)}.`;
  const left = [...plan.items.values()].filter((task) => isLeaf(task) && !isOver(task));
  const paused = attempted.filter(({state, resumable}) => state === 'paused' && resumable);
  const resumes = paused.map(({taskId}, place) => ({
    command: `blackbird resume ${displayLine(shellWord(taskId))}${place === paused.length - 1 ? ' --execute' : ''}`,
    why: 'continue in the same session, with a new budget',
  }));
  const execute = {command: 'blackbird execute', why: 'continue with a new budget'};
  return {
    headline,
    lines: [
      headline,
      `${counted(left.length, 'task is', 'tasks are')} left, ${readyTasks(plan).length} ready.`,
      ...stepLines(resumes.length === 0 ? [execute] : resumes),
    ],
  };
}
