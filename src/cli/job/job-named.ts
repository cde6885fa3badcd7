import {meantIds} from '../../machines/policies/text/meant-ids.ts';
import {AppError, type NextStep} from '../../services/contracts/errors.ts';
import type {JobRecord, JobStore} from '../../services/contracts/job.ts';

/** By id, or by a unique prefix of it. */
export async function jobNamed(store: JobStore, name: string, otherwise: NextStep): Promise<JobRecord> {
  const ids = store.ids();
  const matching = meantIds(ids, name);
  const [id] = matching;
  const job = id !== undefined && matching.length === 1 ? await store.read(id) : null;
  if (job !== null) return job;
  const message =
    matching.length > 1
      ? `${matching.length} jobs begin with ${JSON.stringify(name)}`
      : `there is no job ${JSON.stringify(name)}`;
  throw new AppError('E_JOB_NOT_FOUND', message, {
    details: (matching.length > 1 ? matching : ids).slice(0, 5).map((each) => ['job', each] as const),
    next: [otherwise],
  });
}
