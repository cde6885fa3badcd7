import {setTimeout as delay} from 'node:timers/promises';
import {isOpenJob} from '../../machines/policies/job/job-record.ts';
import {isRefusedUndo} from '../../machines/policies/report/job-choice.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {JobRecord, JobRequest, JobStore} from '../../services/contracts/job.ts';
import type {Liveness} from '../../services/contracts/process.ts';
import type {Project} from '../composition.ts';

export async function openJobs({folder}: Pick<Project, 'folder'>): Promise<JobStore> {
  const {createJobStore} = await import('../../services/stores/job-store.ts');
  return createJobStore({folder: folder.jobsFolder});
}

/** The newest job that was not a refused undo; null if it cannot be read, and before the first one. */
export async function newestJob(jobs: JobStore): Promise<JobRecord | null> {
  for (const id of jobs.ids()) {
    const job = await jobs.read(id);
    if (job === null || !isRefusedUndo(job)) return job;
  }
  return null;
}

/** Whether the Blackbird that opened a job still works on it; unknown for another host. */
export async function ownerOf({owner}: JobRecord): Promise<Liveness> {
  if (owner === null) return 'unknown';
  const [{hostname}, {livenessOf}] = await Promise.all([
    import('node:os'),
    import('../../services/system/process-identity.ts'),
  ]);
  return owner.host === hostname() ? livenessOf(owner) : 'unknown';
}

/** The job running in another terminal of this machine, or why it cannot be asked for anything. */
export async function workingJob(jobs: JobStore): Promise<JobRecord> {
  const job = await newestJob(jobs);
  if (job === null || !isOpenJob(job)) {
    throw new AppError('E_NO_JOB', 'no job is running here', {
      next: [{command: 'blackbird status', why: 'see the state of the plan'}],
    });
  }
  const details = detailsOf(job);
  switch (await ownerOf(job)) {
    case 'alive':
      return job;
    case 'dead':
      throw new AppError('E_NO_JOB', 'the Blackbird that worked here is gone; no job is running', {
        details,
        next: [{command: 'blackbird status', why: 'see what it left, and how to continue'}],
      });
    case 'unknown':
      throw new AppError('E_JOB_OUT_OF_REACH', outOfReach(job), {
        details,
        next: [
          {command: 'blackbird status', why: 'see what it is doing; run the command where the job runs'},
        ],
      });
  }
}

function outOfReach({owner}: JobRecord): string {
  if (owner === null) return 'the system did not say which process is working here';
  return `the job works on ${owner.host}, or in a container that cannot be seen from here`;
}

const detailsOf = ({jobId, owner}: JobRecord) =>
  [['job', jobId], ...(owner ? [['process', `${owner.pid} on ${owner.host}`] as const] : [])] as const;

const [answerMilliseconds, lookMilliseconds] = [5000, 50];

/** Sends a request to the job and waits until it is taken; otherwise the request is withdrawn. */
export async function askJob(
  {folder}: Pick<Project, 'folder'>,
  job: JobRecord,
  type: JobRequest['type'],
  now: string,
): Promise<void> {
  const {createRequestBox} = await import('../../services/stores/request-box.ts');
  const box = createRequestBox({folder: folder.requestsFolder});
  const name = await box.send({schemaVersion: 1, jobId: job.jobId, type, requestedAt: now});
  const jobs = await openJobs({folder});
  const hasEnded = async () => (await endedJob(jobs, job)) !== null;
  await isSoon(async () => box.isTaken(name) || (await hasEnded()), answerMilliseconds);
  if (!box.withdraw(name)) return;
  if (await hasEnded()) {
    throw new AppError('E_NO_JOB', 'the job ended before it could be asked', {
      details: detailsOf(job),
      next: [{command: 'blackbird status', why: 'see the state of the plan'}],
    });
  }
  throw new AppError('E_JOB_OUT_OF_REACH', 'the job does not answer', {
    details: detailsOf(job),
    next: job.owner ? [{command: `kill -INT ${job.owner.pid}`, why: 'pause it as Ctrl+C does'}] : [],
  });
}

/** The ended job, or null if that takes longer. */
export async function jobEnd(
  jobs: JobStore,
  job: JobRecord,
  waitMilliseconds: number,
): Promise<JobRecord | null> {
  let ended: JobRecord | null = null;
  await isSoon(async () => {
    ended = await endedJob(jobs, job);
    return ended !== null;
  }, waitMilliseconds);
  return ended;
}

async function endedJob(jobs: JobStore, {jobId}: JobRecord): Promise<JobRecord | null> {
  const job = await jobs.read(jobId);
  return job !== null && !isOpenJob(job) ? job : null;
}

async function isSoon(condition: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await delay(lookMilliseconds);
  }
  return true;
}
