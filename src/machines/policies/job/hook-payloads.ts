import {AppError, messageOf, shellWord} from '../../../services/contracts/errors.ts';
import type {Hooks} from '../../../services/contracts/hooks.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {DecisionRequest} from '../../review-gate.machine.ts';
import {type ResolvedConfig, settingOf} from '../config-resolution.ts';
import {stepLines} from '../run/failure-table.ts';
import type {JobSummary} from './job-end.ts';
import type {JobResult} from './job-steps.ts';
import {attemptedIn} from './job-story.ts';
import {standings} from './standings.ts';

/** The hooks and notifications of a job. */
export type CallRules = {readonly hooks: Hooks; readonly keepsAwake: boolean};

export const callRules = (config: ResolvedConfig): CallRules => ({
  hooks: {
    needsYou: settingOf(config, 'hooks.needsYou'),
    taskEnded: settingOf(config, 'hooks.taskEnded'),
    jobEnded: settingOf(config, 'hooks.jobEnded'),
  },
  keepsAwake: settingOf(config, 'execution.keepAwake'),
});

/** A task that waits for time or an answer, or did not start, continues later. */
export const hasOutcome = ({state}: RunRecord): boolean => state === 'succeeded' || state === 'failed';

/** The payload of `hooks.taskEnded`. */
export function taskCall(run: RunRecord) {
  const {task_id, run_id, state, provider, failure, usage, review_summary: summary, result} = run;
  return {
    task_id,
    run_id,
    state,
    provider,
    ...(run.decision_state === undefined ? {} : {decision_state: run.decision_state}),
    ...(failure === undefined ? {} : {failure: {kind: failure.kind, message: failure.message}}),
    ...(usage === undefined ? {} : {usage}),
    ...(result === undefined ? {} : {result}),
    files: summary?.total_files ?? summary?.files.length ?? 0,
  };
}

/** The payload of `hooks.needsYou` at a checkpoint. */
export const decisionCall = ({task, run}: DecisionRequest) => ({
  reason: 'decision_required',
  message: `${task.id} waits for your decision`,
  task_id: task.id,
  run_id: run.run_id,
  command: `blackbird review ${shellWord(task.id)}`,
});

/** How a job ended, or why that could not be summarised. */
export type JobEnd = JobSummary | {readonly error: unknown};

/** The payload of `hooks.needsYou` at the end of a job; null if it does not need a person. */
export function needCall(end: JobEnd, result: JobResult) {
  if ('error' in end)
    return attemptedIn(result).length === 0 ? null : {reason: 'error', ...errorCall(end.error)};
  if (!standings[end.standing].callsPerson) return null;
  // Whoever stopped a job while it waited knows that it waits; a limit reached after the stop has no wait yet.
  if (result.isStopAsked && end.standing === 'timeNeeded' && end.retryAt !== undefined) return null;
  const {reason, headline, taskId, retryAt, lines, overrun} = end;
  return {
    reason: overrun ? 'budget' : reason,
    message: headline,
    ...(taskId === undefined ? {} : {task_id: taskId}),
    ...(retryAt === undefined ? {} : {retry_at: retryAt}),
    lines,
  };
}

function errorCall(error: unknown) {
  const message = messageOf(error);
  if (!(error instanceof AppError)) return {message, lines: [message]};
  return {message, code: error.code, lines: [message, ...stepLines(error.next)]};
}

/** The payload of `hooks.jobEnded`. */
export function endCall(result: JobResult, end: JobEnd) {
  const tasks = attemptedIn(result).map(({taskId, state}) => ({task_id: taskId, state}));
  if ('error' in end) return {reason: 'error', message: messageOf(end.error), tasks};
  const {reason, standing, headline} = end;
  return {reason, standing, message: headline, tasks};
}
