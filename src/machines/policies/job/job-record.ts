import {AppError, messageOf} from '../../../services/contracts/errors.ts';
import {type JobRecord, jobSchemaVersion} from '../../../services/contracts/job.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {compareTimestamps, laterOf} from '../text/timestamps.ts';
import type {JobResult, JobRules, JobStep} from './job-steps.ts';
import {jobSummary} from './job-summary.ts';

export type NewJob = {
  readonly jobId: string;
  readonly steps: readonly JobStep[];
  readonly rules: JobRules;
  readonly owner: ProcessIdentity | null;
  readonly host: string;
};

function recordedStep(step: JobStep): JobRecord['steps'][number] {
  if (step.type === 'execute') return {type: step.type, taskIds: [...step.taskIds]};
  if (step.type === 'plan') return {type: step.type, mode: step.request.type};
  return {type: step.type, taskId: step.taskId, ...(step.type === 'task' && {mode: step.mode.type})};
}

/** Written before anything of the job starts. */
export function newJobRecord({jobId, steps, rules, owner, host}: NewJob, now: string): JobRecord {
  return {
    schemaVersion: jobSchemaVersion,
    jobId,
    steps: steps.map(recordedStep),
    agent: rules.provider,
    settings: {...rules},
    owner: owner && {...owner, host},
    startedAt: now,
    runs: [],
    waits: [],
  };
}

/** The record of a job that ended; `plan` is its state then, null if it cannot be read. */
export function endedJob(
  {waiting: _, ...job}: JobRecord,
  result: JobResult,
  plan: Plan | null,
  now: string,
): JobRecord {
  return {...job, endedAt: laterOf(now, job.startedAt), end: endOf(result, plan)};
}

function endOf(result: JobResult, plan: Plan | null): NonNullable<JobRecord['end']> {
  try {
    if (plan === null) return {reason: result.reason, message: 'the plan cannot be read'};
    const {reason, standing, headline} = jobSummary(result, plan);
    return {reason, standing, message: headline};
  } catch (error) {
    // An error for the user is still the end of the job.
    const code = error instanceof AppError ? {code: error.code} : {};
    return {reason: 'error', message: messageOf(error), ...code};
  }
}

/** Its Blackbird died; its last sign of life is the last change of its runs or the last agent output. */
export function lostJob(
  {waiting: _, ...job}: JobRecord,
  lastRun: RunRecord | null,
  heardAt: string | null,
): JobRecord {
  const changedAt = laterOf(lastRun?.updated_at ?? job.startedAt, job.startedAt);
  const endedAt = heardAt === null ? changedAt : laterOf(heardAt, changedAt);
  return {...job, endedAt, end: {reason: 'lost', message: 'Blackbird ended before the job did'}};
}

/** The run it started or continued last. */
export function lastRunOf({runs, waits}: JobRecord): {taskId: string; runId: string} | null {
  const [begun, resumed] = [runs.at(-1), waits.at(-1)];
  if (!begun || !resumed) return begun ?? resumed ?? null;
  return compareTimestamps(resumed.endedAt, begun.startedAt) < 0 ? begun : resumed;
}

/** It is running, or its Blackbird died and nobody has closed it yet. */
export const isOpenJob = ({end}: JobRecord): boolean => end === undefined;
