import type {RunStanding, RunStandingOf} from '../../machines/policies/plan/explain-task.ts';
import type {Task} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {namesIfAny} from '../../services/stores/folder-names.ts';
import type {ProjectFolder} from '../../services/stores/project-folder.ts';
import {liveEngine} from '../job/running-task.ts';

/**
 * How the latest runs of these tasks stand. The plan says `in_progress` for several different things; only
 * those tasks and the failed ones need a look at their runs, and most plans have none. A run whose Blackbird died counts as
 * paused, as the next `execute` or `resume` records it, unless something of it still lives.
 */
export async function runStandings(tasks: Iterable<Task>, folder: ProjectFolder): Promise<RunStandingOf> {
  const all = [...tasks];
  const sentBack = await sentBackIds(folder);
  const standings = new Map<string, RunStanding>();
  for (const {id, status} of all) if (status === 'done' && sentBack.has(id)) standings.set(id, 'sentBack');
  const open = all.filter(
    ({status, childIds}) => (status === 'in_progress' || status === 'failed') && childIds.length === 0,
  );
  if (open.length === 0) return (id) => standings.get(id);
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const {tellingRun} = await import('../../machines/policies/run/run-status.ts');
  const {openDecision} = await import('../../machines/policies/review/decisions.ts');
  const store = createRunStore({folder: folder.runsFolder});
  let engine: ReturnType<typeof liveEngine> | undefined;
  const isLost = async ({state}: RunRecord) => {
    if (state !== 'running') return false;
    engine ??= liveEngine(folder);
    return (await engine) === null;
  };
  const isAlive = async (run: RunRecord) => {
    const {livingProcesses} = await import('../../services/agents/orphans.ts');
    return livingProcesses(run).length > 0;
  };
  for (const task of open) {
    const {runs} = await store.list(task.id);
    const run = tellingRun(runs);
    if (task.status === 'failed') {
      if (run?.state === 'failed' && run.resumable) standings.set(task.id, 'failed');
    } else if (openDecision(task, runs) !== null) standings.set(task.id, 'decision');
    else if (run && (await isLost(run)) && (await isAlive(run))) standings.set(task.id, 'orphaned');
    else if (run && (run.state === 'paused' || (await isLost(run))))
      standings.set(task.id, run.resumable ? 'paused' : 'stranded');
    else if (run) standings.set(task.id, run.state);
  }
  return (id) => standings.get(id);
}

/** The tasks that wait with feedback of a parent review; most projects have none, and pay for none. */
async function sentBackIds(folder: ProjectFolder): Promise<ReadonlySet<string>> {
  if (namesIfAny(folder.feedbackFolder).length === 0) return new Set();
  const {listFeedback} = await import('../job/feedback-operations.ts');
  const {pending} = await listFeedback({folder});
  return new Set(pending.map(({childTaskId}) => childTaskId));
}
