import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {applyRunStep} from '../policies/run/run-record.ts';

/** A restart that never started replaces nothing. */
export async function reinstate(
  {runs, now}: Pick<Services, 'runs' | 'now'>,
  {task_id, run_id, restart_of_run_id}: Pick<RunRecord, 'task_id' | 'run_id' | 'restart_of_run_id'>,
): Promise<void> {
  const replaced = (await runs.list(task_id)).runs.find((run) => run.run_id === restart_of_run_id);
  if (replaced?.superseded_by_run_id !== run_id) return;
  await runs.update(task_id, replaced.run_id, (run) => applyRunStep(run, {type: 'reinstated'}, now()));
}
