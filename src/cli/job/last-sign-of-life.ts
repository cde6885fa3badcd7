import {stat} from 'node:fs/promises';
import {withLostEnds} from '../../machines/policies/text/durations.ts';
import {laterOf} from '../../machines/policies/text/timestamps.ts';
import type {JobStore} from '../../services/contracts/job.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';

type Runs = Pick<RunStore, 'files'>;

/** The last sign of life of a run, from files that only its Blackbird writes. */
export async function lastSignOfLife(runs: Runs, {task_id, run_id}: RunRecord): Promise<string | null> {
  const {stdout, stderr, times, journal} = runs.files(task_id, run_id);
  return lastWritten([stdout, stderr, times, journal]);
}

/** When its agent last printed anything. */
export function lastOutputOf(runs: Runs, {task_id, run_id}: RunRecord): Promise<string | null> {
  const {stdout, stderr} = runs.files(task_id, run_id);
  return lastWritten([stdout, stderr]);
}

async function lastWritten(files: readonly string[]): Promise<string | null> {
  const found = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({mtimeMs}) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const last = Math.max(...found);
  return last === 0 ? null : new Date(last).toISOString();
}

/**
 * Runs whose Blackbird is gone say `running` until the next one repairs them: their last change is their last
 * sign of life.
 */
export const withLastSignOfLife = (runs: Runs, all: readonly RunRecord[]): Promise<RunRecord[]> =>
  Promise.all(
    all.map(async (run) => {
      const heardAt = run.state === 'running' ? await lastSignOfLife(runs, run) : null;
      return heardAt === null ? run : {...run, updated_at: laterOf(heardAt, run.updated_at)};
    }),
  );

/**
 * An agent whose Blackbird died worked until its last sign of life: in its files, or in the closed job.
 * `isLive`: a Blackbird works here, so a run that says `running` does run.
 */
export async function withKnownEnds(
  {runs, jobs}: {readonly runs: Runs; readonly jobs: Pick<JobStore, 'read'>},
  all: readonly RunRecord[],
  isLive: boolean,
): Promise<RunRecord[]> {
  const dated = isLive ? all : await withLastSignOfLife(runs, all);
  const open = all.flatMap(({segments}) => segments.filter(({ended_at}) => ended_at === undefined));
  const lostEnds = new Map<string, string>();
  for (const jobId of new Set(open.map(({job_id}) => job_id))) {
    // An unreadable job says nothing; `report` names it.
    const job = typeof jobId === 'string' ? await jobs.read(jobId).catch(() => null) : null;
    if (job?.end?.reason === 'lost' && job.endedAt) lostEnds.set(job.jobId, job.endedAt);
  }
  return dated.map((run) => withLostEnds(run, lostEnds));
}
