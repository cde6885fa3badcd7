import type {RunStanding, RunStandingOf} from '../machines/policies/explain-task.ts';
import type {Task} from '../services/contracts/plan.ts';

/**
 * How the latest runs of these tasks stand. The plan says `in_progress` for several different things; only
 * those tasks need a look at their runs, and most plans have none.
 */
export async function runStandings(tasks: Iterable<Task>, folder: string): Promise<RunStandingOf> {
  const open = [...tasks].filter((task) => task.status === 'in_progress' && task.childIds.length === 0);
  if (open.length === 0) return () => undefined;
  const {createRunStore} = await import('../services/stores/run-store.ts');
  const {tellingRun} = await import('../machines/policies/run-status.ts');
  const {openDecision} = await import('../machines/policies/decisions.ts');
  const store = createRunStore({folder});
  const standings = new Map<string, RunStanding>();
  for (const task of open) {
    const {runs} = await store.list(task.id);
    const run = tellingRun(runs);
    if (openDecision(task, runs) !== null) standings.set(task.id, 'decision');
    else if (run) standings.set(task.id, run.state === 'paused' && !run.resumable ? 'stranded' : run.state);
  }
  return (id) => standings.get(id);
}
