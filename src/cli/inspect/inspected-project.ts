import {setImmediate as nextTurn} from 'node:timers/promises';
import {type RunFacts, runFacts} from '../../machines/policies/inspect/run-facts.ts';
import {createVisitCounter} from '../../machines/policies/inspect/visits.ts';
import {stepFor} from '../../machines/policies/run/run-refusals.ts';
import {identityOf} from '../../machines/policies/run/run-step.ts';
import {nextCommands} from '../../machines/policies/run/task-options.ts';
import {latestDeliveredRun} from '../../machines/policies/run/task-runs.ts';
import {AppError, type NextStep} from '../../services/contracts/errors.ts';
import type {InspectedProject} from '../../services/contracts/inspector.ts';
import type {SourceStanding} from '../../services/contracts/journal.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {inspectJournal} from '../../services/journal/read-journal.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import {livenessOf} from '../../services/system/process-identity.ts';
import type {Project} from '../composition.ts';
import {taskFacts} from '../plan/read-task-facts.ts';
import {createJobViews} from './job-views.ts';

const mostCounted = 200;

/** What the inspector's page shows of a project on disk. Only reads, and holds no lock. */
export function inspectedProject(project: Project, now: () => string): InspectedProject {
  const views = createJobViews(project, now);
  const runs = createRunStore({folder: project.folder.runsFolder});
  const runOf = async (taskId: string, runId: string) => {
    const all = (await runs.list(taskId)).runs;
    return {all, run: all.find(({run_id}) => run_id === runId)};
  };
  return {
    jobs: views.jobs,
    job: views.page,
    rows: views.rows,
    visits: async (jobId) => {
      const own = await views.runsOf(jobId);
      // This reads every journal; for a long job, the page counts only the run it shows.
      if (own.length > mostCounted) return null;
      const counter = createVisitCounter();
      for (const {task_id, run_id} of own) {
        counter.add(inspectJournal(runs.files(task_id, run_id).journal).entries());
        // The work of this process goes first.
        await nextTurn();
      }
      return counter.visits();
    },
    run: async (taskId, runId): Promise<RunFacts | null> => {
      const {all, run} = await runOf(taskId, runId);
      return run ? runFacts(run, {...(await standingOf(project, run, all)), runs: all, isLost}) : null;
    },
    journal: async (taskId, runId) => {
      const {run} = await runOf(taskId, runId);
      if (!run) return null;
      const standing = async (): Promise<SourceStanding> => {
        const current = (await runOf(taskId, runId)).run;
        if (current?.state !== 'running') return 'ended';
        return isLost(current) ? 'lost' : 'live';
      };
      return inspectJournal(runs.files(run.task_id, run.run_id).journal, {standing});
    },
  };
}

/** The record says running, but its Blackbird is gone. */
const isLost = ({state, owner}: RunRecord): boolean =>
  state === 'running' && owner !== undefined && livenessOf(identityOf(owner)) === 'dead';

async function standingOf(
  project: Project,
  run: RunRecord,
  all: readonly RunRecord[],
): Promise<{title: string; next: readonly NextStep[]}> {
  try {
    const facts = await taskFacts(project, await project.plans.read(), run.task_id);
    const isTelling = latestDeliveredRun(all)?.run_id === run.run_id;
    const next = isTelling ? nextCommands(facts).map((command) => stepFor(facts, command)) : [];
    return {title: facts.task.title, next};
  } catch (error) {
    // The task is no longer in the plan, or the plan is unreadable: its run can still be inspected.
    if (!(error instanceof AppError)) throw error;
    return {title: '', next: []};
  }
}
