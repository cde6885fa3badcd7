import type {JobResult} from '../machines/engine.machine.ts';
import type {ExecutorOutput} from '../machines/executor.machine.ts';
import {displayLine} from '../machines/policies/display-text.ts';
import {resumeRefusal} from '../machines/policies/resume-check.ts';
import type {TaskOutput} from '../machines/task.machine.ts';
import type {Task} from '../services/contracts/plan.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {type ExitCode, exitCodes} from './exit-codes.ts';

/** The end of a job as a person reads it and as the exit code tells it. Throws what is an error. */
export type JobReport = {
  readonly reason: string;
  readonly lines: readonly string[];
  readonly exitCode: ExitCode;
};

export function reportJob(result: JobResult, titleOf: (taskId: string) => string): JobReport {
  switch (result.type) {
    case 'failed':
      throw result.error;
    case 'execute':
      return reportExecution(result.output);
    case 'task':
      return reportTask(result.output, titleOf);
  }
}

/** The task in hand came to its end, and the next one was not begun. */
export const pausedBetweenTasks: JobReport = {
  reason: 'paused',
  lines: ['Paused before the next task.'],
  exitCode: exitCodes.paused,
};

function reportExecution({reason, attempted, error}: ExecutorOutput): JobReport {
  const last = attempted.at(-1)?.run;
  const failed = attempted.filter(({run}) => run.state === 'failed').map(({taskId}) => taskId);
  const failedLines =
    failed.length === 0 ? [] : [`failed: ${failed.map(displayLine).join(', ')}`, ...retryLines(failed)];
  switch (reason) {
    case 'error':
      throw error;
    case 'paused':
      return {
        reason,
        lines: last?.state === 'paused' ? pausedLines(last) : [...failedLines, ...pausedBetweenTasks.lines],
        exitCode: exitCodes.paused,
      };
    case 'waiting_user':
      return {
        reason,
        lines: [...failedLines, ...(last ? waitingLines(last) : [])],
        exitCode: exitCodes.personNeeded,
      };
    case 'failed':
      return {reason, lines: failedLines, exitCode: exitCodes.taskFailed};
    case 'completed':
      return {
        reason,
        lines: ['no ready tasks remaining', ...failedLines],
        exitCode: failed.length > 0 ? exitCodes.taskFailed : exitCodes.done,
      };
  }
}

function reportTask(output: TaskOutput, titleOf: (taskId: string) => string): JobReport {
  switch (output.outcome) {
    case 'error':
      throw output.error;
    case 'refused': {
      const {run, reason} = output;
      const task: Pick<Task, 'id' | 'title'> = {id: run.task_id, title: titleOf(run.task_id)};
      const code = run.failure?.kind === 'resume_rejected' ? 'E_RESUME_REJECTED' : 'E_RESUME_REFUSED';
      throw resumeRefusal(code, task, run, reason);
    }
    case 'paused':
      return {reason: 'paused', lines: pausedLines(output.run), exitCode: exitCodes.paused};
    case 'waiting':
      return {reason: 'waiting_user', lines: waitingLines(output.run), exitCode: exitCodes.personNeeded};
    case 'failed':
      return {reason: 'failed', lines: retryLines([output.run.task_id]), exitCode: exitCodes.taskFailed};
    case 'succeeded':
    case 'canceled':
      return {reason: 'completed', lines: [], exitCode: exitCodes.done};
  }
}

/** The words of the specification, exactly. */
function pausedLines({task_id, resumable}: RunRecord): string[] {
  const id = displayLine(task_id);
  const restart = `Restart with: blackbird restart ${id}`;
  if (resumable) return [`Paused. Resume with: blackbird resume ${id}`, `        ${restart}`];
  return [`Paused. The agent had no session yet, so it cannot be resumed.`, `        ${restart}`];
}

function waitingLines({task_id, questions = []}: RunRecord): string[] {
  const id = displayLine(task_id);
  return [
    `${id} is waiting for user input`,
    ...questions.map(
      ({id: question, prompt, options}) =>
        `  ${displayLine(question)}: ${displayLine(prompt)}${options ? ` (${options.map(displayLine).join(' | ')})` : ''}`,
    ),
    `Answer with: blackbird resume ${id}`,
  ];
}

const retryLines = (taskIds: readonly string[]) =>
  taskIds.map((id) => `Try again with: blackbird retry ${displayLine(id)}`);
