import {type EventObject, fromCallback, fromPromise} from 'xstate';
import type {ProjectLock} from '../../services/contracts/project.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {resolveConfig} from '../policies/config-resolution.ts';
import {type CallRules, callRules} from '../policies/job/hook-payloads.ts';
import {newJobId} from '../policies/job/job-id.ts';
import {endedJob, isOpenJob, lastRunOf, lostJob, newJobRecord} from '../policies/job/job-record.ts';
import {
  type JobOptions,
  type JobResult,
  type JobRules,
  type JobStep,
  jobRules,
} from '../policies/job/job-steps.ts';
import {mayEditFiles, repositoryWarnings} from '../policies/job/repository-warnings.ts';
import {costWarning} from '../policies/run/budget.ts';
import type {SpendingTracker} from './spending.ts';

/** Settings and agent at the start of a job; they hold until it ends. */
export function defineResolveJobActor(
  {settings, chooseAgent, now}: Pick<Services, 'settings' | 'chooseAgent' | 'now'>,
  onWarning: (message: string) => void,
  onResolved: (rules: CallRules) => void,
) {
  return fromPromise<JobRules, {readonly options: JobOptions}>(async ({input: {options}}) => {
    const [layers, choice] = await Promise.all([settings(), chooseAgent(options.agent)]);
    const config = resolveConfig(layers);
    const rules = jobRules(config, choice, options, now());
    for (const warning of [...config.warnings, ...costWarning(rules)]) onWarning(warning);
    onResolved(callRules(config));
    return rules;
  });
}

export const defineAcquireLockActor = (lock: ProjectLock, onLocked: () => void) =>
  fromPromise<void, void>(async () => {
    await lock.acquire();
    onLocked();
  });

export const defineReleaseLockActor = (lock: ProjectLock) => fromPromise<void, void>(() => lock.release());

/** The running job, for everything that is done on its behalf. */
export type CurrentJob = {jobId: string | null; readonly spending: SpendingTracker};

export type JobOpening = {readonly steps: readonly JobStep[]; readonly rules: JobRules};

/** Writes the job record before anything starts, and closes records that an earlier Blackbird left open. */
export function defineOpenJobActor(
  services: Services,
  currentJob: CurrentJob,
  onWarning: (message: string) => void,
) {
  const {jobs, now, self, host, newJobSuffix, surroundings} = services;
  return fromPromise<void, JobOpening>(async ({input}) => {
    const ids = jobs.ids();
    if (mayEditFiles(input.steps)) {
      const standing = await surroundings.standing();
      repositoryWarnings(standing, input.rules, {isFirstJob: ids.length === 0}).forEach(onWarning);
    }
    await closeLostJobs(services, ids);
    const jobId = newJobId(now(), newJobSuffix(), ids[0]);
    currentJob.spending.begin();
    await jobs.create(newJobRecord({...input, jobId, owner: self, host}, now()));
    currentJob.jobId = jobId;
  });
}

/** Each start closes all open ones, so only the newest can be open. An unreadable one is left alone. */
async function closeLostJobs(
  {jobs, runs, livenessOf, lastSignOfLife}: Services,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const job = await jobs.read(id).catch(() => null);
    if (job === null) continue;
    if (!isOpenJob(job)) return;
    // Someone removed the lock file: a live owner is found when runs are repaired.
    if (job.owner !== null && livenessOf(job.owner) === 'alive') return;
    const last = lastRunOf(job);
    const {runs: all} = last ? await runs.list(last.taskId) : {runs: []};
    const run = all.find(({run_id}) => run_id === last?.runId) ?? null;
    // For a paused run the last output is too old to matter.
    const heardAt = run?.state === 'running' ? await lastSignOfLife(run) : null;
    await jobs.close(lostJob(job, run, heardAt));
  }
}

export function defineCloseJobActor({jobs, plans, now}: Services, currentJob: CurrentJob) {
  return fromPromise<void, {readonly result: JobResult | null}>(async ({input: {result}}) => {
    const {jobId} = currentJob;
    if (jobId === null || result === null) return;
    currentJob.jobId = null;
    const job = await jobs.read(jobId);
    if (job === null) return;
    const plan = await plans.read().catch(() => null);
    await jobs.close(endedJob(job, result, plan, now()));
  });
}

/** For other terminals: nothing more starts. A job without a record does not start at all. */
export async function noteStop(
  {jobs, now}: Pick<Services, 'jobs' | 'now'>,
  currentJob: CurrentJob,
): Promise<void> {
  if (currentJob.jobId !== null) await jobs.note(currentJob.jobId, {stopAskedAt: now()});
}

/** Requests from other terminals, as engine commands. */
export function defineWatchRequestsActor({requests}: Pick<Services, 'requests'>, currentJob: CurrentJob) {
  return fromCallback<EventObject, void>(({sendBack}) =>
    requests.watch(
      () => currentJob.jobId,
      ({type}) => sendBack(type === 'pause' ? pauseByPerson : stopAfterTask),
    ),
  );
}

const pauseByPerson = {type: 'engine.pause', reason: 'user_interrupt', isAskedElsewhere: true} as const;
const stopAfterTask = {type: 'engine.stopAfterTask', isAskedElsewhere: true} as const;

/** The run store of the running job: each run gets its id, and the job record lists the runs. */
export function runsOfJob(
  {runs, jobs, now}: Pick<Services, 'runs' | 'jobs' | 'now'>,
  currentJob: CurrentJob,
): Services['runs'] {
  const noteRun = async (run: RunRecord) => {
    if (currentJob.jobId === null) return;
    await jobs.note(currentJob.jobId, {run: {taskId: run.task_id, runId: run.run_id, startedAt: now()}});
  };
  return {
    ...runs,
    insert: async (run) => {
      await noteRun(run);
      await runs.insert(currentJob.jobId === null ? run : {...run, job_id: currentJob.jobId});
    },
    update: async (taskId, runId, change) => {
      const {jobId} = currentJob;
      let before: RunRecord | null = null;
      const after = await runs.update(taskId, runId, (run) => {
        before = run;
        const changed = change(run);
        return jobId === null ? changed : ofJob(jobId, run, changed);
      });
      if (jobId !== null) currentJob.spending.recorded(after, jobId);
      if (jobId !== null && before !== null && isTakenUp(before, after))
        await noteTakenUp(jobId, before, after);
      return after;
    },
  };

  async function noteTakenUp(jobId: string, before: RunRecord, after: RunRecord): Promise<void> {
    if (before.job_id !== jobId) return noteRun(after);
    const {paused_at: startedAt, pause_reason: reason} = before;
    if (startedAt === undefined || reason === undefined) return;
    const {task_id: taskId, run_id: runId} = after;
    await jobs.note(jobId, {wait: {taskId, runId, reason, startedAt, endedAt: now()}});
  }
}

/** Sets the job of a run and of each agent started for it. */
function ofJob(jobId: string, before: RunRecord, after: RunRecord): RunRecord {
  const run = isTakenUp(before, after) ? {...after, job_id: jobId} : after;
  if (run.segments.length <= before.segments.length) return run;
  const segments = run.segments.map((segment, place) =>
    place < before.segments.length ? segment : {...segment, job_id: jobId},
  );
  return {...run, segments};
}

const isTakenUp = (before: RunRecord, after: RunRecord) =>
  before.state !== 'running' && after.state === 'running';
