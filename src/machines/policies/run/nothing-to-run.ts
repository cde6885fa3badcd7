import {AppError} from '../../../services/contracts/errors.ts';
import {isOver} from '../plan/readiness.ts';
import {refusalOf} from './run-refusals.ts';
import {type TaskFacts, taskObstacle} from './task-options.ts';

/** For `execute` with tasks of which none can run: refused, unless all of them are done or skipped. */
export function requireNothingLeft(tasks: readonly TaskFacts[]): void {
  if (!tasks.every(({task, isSentBack}) => isOver(task) && !isSentBack)) throw nothingToRun(tasks);
}

/** The state of each, and what to do. */
function nothingToRun(tasks: readonly TaskFacts[]): AppError {
  const refusals = tasks
    .slice(0, shownTasks)
    .map((facts) => refusalOf(facts, 'execute', taskObstacle(facts, 'execute') ?? 'notReady'));
  const more = tasks.length > shownTasks ? `, and ${tasks.length - shownTasks} more` : '';
  const [first] = refusals;
  return new AppError(
    'E_TASK_NOT_READY',
    `nothing to run: ${refusals.map(({message}) => message).join(', ')}${more}`,
    {next: tasks.length === 1 ? (first?.next ?? []) : refusals.flatMap(({next}) => next.slice(0, 1))},
  );
}

const shownTasks = 3;
