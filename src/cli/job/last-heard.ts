import {stat} from 'node:fs/promises';
import {laterOf} from '../../machines/policies/text/timestamps.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';

type Runs = Pick<RunStore, 'files'>;

/** The last sign of a run at work, by its files, which nobody but its Blackbird writes. */
export async function lastHeardOf(runs: Runs, {task_id, run_id}: RunRecord): Promise<string | null> {
  const {stdout, stderr, times, journal} = runs.files(task_id, run_id);
  const found = await Promise.all(
    [stdout, stderr, times, journal].map((file) =>
      stat(file).then(
        ({mtimeMs}) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const last = Math.max(...found);
  return last === 0 ? null : new Date(last).toISOString();
}

/** Runs whose Blackbird is gone say `running` until the next one repairs them: changed last when it was heard last. */
export const untilLastHeard = (runs: Runs, all: readonly RunRecord[]): Promise<RunRecord[]> =>
  Promise.all(
    all.map(async (run) => {
      const heardAt = run.state === 'running' ? await lastHeardOf(runs, run) : null;
      return heardAt === null ? run : {...run, updated_at: laterOf(heardAt, run.updated_at)};
    }),
  );
