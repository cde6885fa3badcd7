import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {meantIds} from '../text/meant-ids.ts';

/** Finds a run of a task by its id or by a unique prefix of it. */
export function namedRun(runs: readonly RunRecord[], taskId: string, typed: string): RunRecord {
  const [id, ...others] = meantIds(
    runs.map(({run_id}) => run_id),
    typed,
  );
  const run = others.length === 0 ? runs.find(({run_id}) => run_id === id) : undefined;
  if (run) return run;
  const several = `${others.length + 1} runs of ${taskId} begin with ${JSON.stringify(typed)}`;
  const message = others.length > 0 ? several : `task ${taskId} has no run ${JSON.stringify(typed)}`;
  throw new AppError('E_RUN_NOT_FOUND', message, {
    details:
      id === undefined || others.length === 0
        ? []
        : [id, ...others].slice(0, 5).map((each) => ['run', each] as const),
    next: [{command: `blackbird runs ${shellWord(taskId)}`, why: 'see its runs'}],
  });
}
