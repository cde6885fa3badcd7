import type {JobResult} from '../../machines/engine.machine.ts';
import type {ExecutorOutput} from '../../machines/executor.machine.ts';
import {readyTasks} from '../../machines/policies/plan/readiness.ts';
import {resumeRefusal} from '../../machines/policies/run/resume-check.ts';
import type {TaskOutput} from '../../machines/policies/run/task-outcome.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {shellWord} from '../../services/contracts/errors.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {type ExitCode, exitCodes} from '../exit-codes.ts';
import {brokenReviewLines, reviewReport, sentBackLines} from './review-report.ts';

/** The end of a job as a person reads it and as the exit code tells it. Throws what is an error. */
export type JobReport = {
  readonly reason: string;
  /** The task that rests or waits, where it is one. */
  readonly taskId?: string;
  readonly lines: readonly string[];
  readonly exitCode: ExitCode;
};

/** `plan` is how it stands after the job. */
export function reportJob(result: JobResult, plan: Plan): JobReport {
  switch (result.type) {
    case 'failed':
      throw result.error;
    case 'execute':
      return reportExecution(result.output, plan);
    case 'task': {
      const review = result.review && reviewReport(result.review);
      return review ?? reportTask(result.output, plan);
    }
  }
}

/** The task in hand came to its end, and the next one was not begun. */
export const pausedBetweenTasks: JobReport = {
  reason: 'paused',
  lines: ['Paused before the next task.'],
  exitCode: exitCodes.paused,
};

function reportExecution(output: ExecutorOutput, plan: Plan): JobReport {
  const {reason, attempted, reviews = [], pending = [], error} = output;
  const last = attempted.at(-1);
  const failed = attempted
    .filter(({state, decision_state}) => state === 'failed' && decision_state !== 'pending')
    .map(({taskId}) => taskId);
  const failedLines = [
    ...(failed.length === 0 ? [] : [`failed: ${failed.map(displayLine).join(', ')}`, ...retryLines(failed)]),
    ...brokenReviewLines(reviews),
  ];
  switch (reason) {
    case 'error':
      throw error;
    case 'paused':
      return {
        ...{reason, ...(last?.state === 'paused' ? naming(last) : {})},
        lines:
          last?.state === 'paused'
            ? pausedLines(last.taskId, last)
            : [...failedLines, ...pausedBetweenTasks.lines],
        exitCode: exitCodes.paused,
      };
    case 'waiting_user':
      return {
        ...{reason, ...naming(last)},
        lines: [...failedLines, ...(last ? waitingLines(last.taskId, last) : [])],
        exitCode: exitCodes.personNeeded,
      };
    case 'decision_required':
      return {
        ...{reason, ...naming(last)},
        lines: [...failedLines, ...(last ? decisionLines(last.taskId) : [])],
        exitCode: exitCodes.personNeeded,
      };
    case 'parent_review_required':
      return {
        reason,
        lines: [...failedLines, ...sentBackLines(pending)],
        exitCode: exitCodes.personNeeded,
      };
    case 'failed':
      return {reason, lines: failedLines, exitCode: exitCodes.taskFailed};
    case 'completed':
      return {
        reason,
        lines: [remainingLine(readyTasks(plan).length), ...failedLines],
        exitCode: failedLines.length > 0 ? exitCodes.taskFailed : exitCodes.done,
      };
  }
}

const naming = (last: {readonly taskId: string} | undefined) => (last ? {taskId: last.taskId} : {});

function reportTask(output: TaskOutput, plan: Plan): JobReport {
  switch (output.outcome) {
    case 'error':
      throw output.error;
    case 'refused': {
      const {run, reason} = output;
      const task = {id: run.task_id, title: plan.items.get(run.task_id)?.title ?? ''};
      const code = run.failure?.kind === 'resume_rejected' ? 'E_RESUME_REJECTED' : 'E_RESUME_REFUSED';
      throw resumeRefusal(code, task, run, reason);
    }
    case 'paused':
      return {
        ...{reason: 'paused', taskId: output.run.task_id},
        lines: pausedLines(output.run.task_id, output.run),
        exitCode: exitCodes.paused,
      };
    case 'waiting':
      return {
        ...{reason: 'waiting_user', taskId: output.run.task_id},
        lines: waitingLines(output.run.task_id, output.run),
        exitCode: exitCodes.personNeeded,
      };
    case 'decision_required':
      return {
        ...{reason: 'decision_required', taskId: output.run.task_id},
        lines: decisionLines(output.run.task_id),
        exitCode: exitCodes.personNeeded,
      };
    case 'failed':
      return {reason: 'failed', lines: retryLines([output.run.task_id]), exitCode: exitCodes.taskFailed};
    case 'succeeded':
    case 'canceled':
      return {reason: 'completed', lines: [], exitCode: exitCodes.done};
  }
}

/** The end of a `review`: what was decided is done, whatever it says of the task. */
export function reportReview(result: JobResult, plan: Plan): JobReport {
  const output = result.type === 'task' ? result.output : null;
  const run = output !== null && 'run' in output ? output.run : null;
  const isDecided = run?.decision_state !== undefined && run.decision_state !== 'pending';
  if (output === null || run === null || !isDecided || output.outcome === 'refused')
    return reportJob(result, plan);
  const retry = run.state === 'failed' ? retryLines([run.task_id]) : [];
  const review = result.type === 'task' && result.review ? reviewReport(result.review) : null;
  if (review !== null) return review;
  const isOver = run.decision_state !== 'approved_continue' || readyTasks(plan).length === 0;
  return {
    reason: 'completed',
    lines: [...retry, ...(isOver ? [] : ['Go on with: blackbird execute'])],
    exitCode: exitCodes.done,
  };
}

/** The words of the specification, exactly. */
export function pausedLines(taskId: string, {resumable}: Pick<RunRecord, 'resumable'>): string[] {
  const restart = `Restart with: ${commandFor('restart', taskId)}`;
  if (resumable) return [`Paused. Resume with: ${commandFor('resume', taskId)}`, `        ${restart}`];
  return [`Paused. The agent had no session yet, so it cannot be resumed.`, `        ${restart}`];
}

function waitingLines(taskId: string, {questions = []}: Pick<RunRecord, 'questions'>): string[] {
  return [
    `${displayLine(taskId)} is waiting for user input`,
    ...questions.map(
      ({id: question, prompt, options}) =>
        `  ${displayLine(question)}: ${displayLine(prompt)}${options ? ` (${options.map(displayLine).join(' | ')})` : ''}`,
    ),
    `Answer with: ${commandFor('resume', taskId)}`,
  ];
}

/** What a person types who was not there to be asked. */
export function decisionLines(taskId: string): string[] {
  const review = commandFor('review', taskId);
  return [
    `${displayLine(taskId)} waits for your decision. See it with: ${commandFor('diff', taskId)}`,
    `Decide with: ${review} --approve`,
    `             ${review} --approve-quit`,
    `             ${review} --request-changes <text>`,
    `             ${review} --reject`,
  ];
}

/** A limit, or tasks that were named, may leave some. */
function remainingLine(count: number): string {
  return `${count === 0 ? 'no' : count} ready ${count === 1 ? 'task' : 'tasks'} remaining`;
}

const retryLines = (taskIds: readonly string[]) =>
  taskIds.map((id) => `Try again with: ${commandFor('retry', id)}`);

/** How a run that rests is continued: in its session, where it has one. */
export const continueCommand = ({task_id, state, resumable}: RunRecord) =>
  commandFor(state === 'paused' && !resumable ? 'restart' : 'resume', task_id);

const commandFor = (verb: string, taskId: string) => `blackbird ${verb} ${displayLine(shellWord(taskId))}`;
