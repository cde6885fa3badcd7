import {messageOf} from '../../services/contracts/errors.ts';
import type {JobRecord, JobStore} from '../../services/contracts/job.ts';

export type ReadJobs = {
  readonly jobs: readonly JobRecord[];
  readonly broken: ReadonlyArray<{readonly job_id: string; readonly reason: string}>;
};

/** Newest first, until one is no longer wanted. An unreadable record is reported and hides no other. */
export async function readJobs(
  store: JobStore,
  {
    most = Number.POSITIVE_INFINITY,
    isLast = () => false,
  }: {readonly most?: number; readonly isLast?: (job: JobRecord, later: readonly JobRecord[]) => boolean},
): Promise<ReadJobs> {
  const jobs: JobRecord[] = [];
  const broken: Array<{job_id: string; reason: string}> = [];
  for (const id of store.ids().slice(0, most)) {
    const job = await store.read(id).catch((error: unknown) => {
      broken.push({job_id: id, reason: messageOf(error)});
      return null;
    });
    if (job === null) continue;
    if (isLast(job, jobs)) break;
    jobs.push(job);
  }
  return {jobs, broken};
}
