import type {JobResult} from './job-steps.ts';
import {commandFor} from './summary-lines.ts';

/** The command to continue after a pause before anything started: what was asked for, not only the plan. */
export function continueJobCommand({steps, next}: Pick<JobResult, 'steps' | 'next'>): string {
  const last = steps.at(-1);
  if (last?.type === 'task' && last.output.outcome === 'notBegun')
    return commandFor(last.output.asked, last.output.taskId);
  const run = last?.type === 'task' && last.output.outcome === 'canceled' ? last.output.run : null;
  if (run?.resumed_from_run_id !== undefined) return commandFor('resume', run.task_id);
  if (run?.restart_of_run_id !== undefined) return commandFor('restart', run.task_id);
  return next?.type === 'task' ? commandFor(next.mode.type, next.taskId) : 'blackbird execute';
}
