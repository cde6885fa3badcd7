import path from 'node:path';
import {type JobLine, type JobPage, jobLine, jobPage} from '../../machines/policies/inspect/job-page.ts';
import {type JobRow, planRows, type RowPage, rowPage} from '../../machines/policies/inspect/job-rows.ts';
import {isOpenJob} from '../../machines/policies/job/job-record.ts';
import {isSameStretch} from '../../machines/policies/report/job-choice.ts';
import {type Timeline, timelineOf} from '../../machines/policies/report/timeline.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {RowQuery} from '../../services/contracts/inspector.ts';
import type {JobRecord, JobStore} from '../../services/contracts/job.ts';
import {type Plan, planSchemaVersion} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {createRunIndex} from '../../services/stores/run-index.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {Project} from '../composition.ts';
import {openJobs, ownerOf} from '../job/other-job.ts';

export type JobViews = {
  jobs(): Promise<readonly JobLine[]>;
  page(jobId: string): Promise<JobPage | null>;
  rows(jobId: string, query: RowQuery): Promise<RowPage | null>;
  /** The runs of a job; empty where there is no such job. */
  runsOf(jobId: string): Promise<readonly RunRecord[]>;
};

type Seen = {
  readonly timeline: Timeline;
  readonly plan: Plan;
  readonly notices: readonly string[];
  readonly rows: readonly JobRow[];
  readonly runs: readonly RunRecord[];
};

const mostJobs = 50;
/** A page asks for several parts of the same job at once; one look at the disk answers them. */
const freshMilliseconds = 400;
const newest = 'newest';

/** Jobs as the page shows them. Reads what is on disk, again when it changed. */
export function createJobViews(project: Project, now: () => string): JobViews {
  const store = openJobs(project);
  const runs = createRunStore({folder: project.folder.runsFolder});
  const index = createRunIndex({folder: project.folder.runsFolder, runs, digest: (all) => all});
  const looks = new Map<string, {readonly at: number; readonly seen: Promise<Seen | null>}>();

  const look = async (jobId: string): Promise<Seen | null> => {
    const jobs = await readJobs(await store, jobId);
    const [first, ...later] = jobs;
    if (first === undefined) return null;
    const wanted = new Set(jobs.flatMap((job) => job.runs.map(({runId}) => runId)));
    const tasks = new Set(jobs.flatMap((job) => job.runs.map(({taskId}) => taskId)));
    const found = await index.read(tasks);
    const own = [...found.values()].flat().filter(({run_id}) => wanted.has(run_id));
    const last = later.at(-1) ?? first;
    const isLive = isOpenJob(last) && (await ownerOf(last)) !== 'dead';
    const {plan, notices} = await readablePlan(project);
    const timeline = timelineOf({jobs: [first, ...later], runs: own, plan, now: now(), isLive});
    return {timeline, plan, notices, rows: planRows(plan, timeline.lanes), runs: own};
  };

  const seen = (jobId: string): Promise<Seen | null> => {
    const known = looks.get(jobId);
    if (known && performance.now() - known.at < freshMilliseconds) return known.seen;
    const made = look(jobId);
    looks.clear();
    looks.set(jobId, {at: performance.now(), seen: made});
    return made;
  };

  return {
    jobs: async () => {
      const jobs = await store;
      const lines: JobLine[] = [];
      for (const id of jobs.ids().slice(0, mostJobs)) {
        // One that cannot be read keeps nobody from the others.
        const job = await jobs.read(id).catch(() => null);
        if (job) lines.push(jobLine(job, isOpenJob(job) && (await ownerOf(job)) !== 'dead'));
      }
      return lines;
    },
    page: async (jobId) => {
      const found = await seen(jobId);
      const name = path.basename(project.folder.root);
      return found && {...jobPage(found.timeline, found.plan, name), notices: found.notices};
    },
    rows: async (jobId, query) => {
      const found = await seen(jobId);
      return found && rowPage(found.rows, query);
    },
    runsOf: async (jobId) => (await seen(jobId))?.runs ?? [],
  };
}

/** One job; or the newest with those before it that belong to the same stretch of work, as a report has them. */
async function readJobs(store: JobStore, jobId: string): Promise<JobRecord[]> {
  const ids = store.ids();
  if (jobId !== newest) {
    const job = ids.includes(jobId) ? await store.read(jobId) : null;
    return job ? [job] : [];
  }
  const jobs: JobRecord[] = [];
  for (const id of ids) {
    // One that cannot be read keeps nobody from the others.
    const job = await store.read(id).catch(() => null);
    if (job === null) continue;
    const [next, last] = [jobs[0], jobs.at(-1)];
    if (next && last && !isSameStretch(job, next, last)) break;
    jobs.unshift(job);
  }
  return jobs;
}

/** A plan that cannot be read hides no job: its tasks are told by their ids. */
async function readablePlan({plans}: Project): Promise<{plan: Plan; notices: readonly string[]}> {
  try {
    return {plan: await plans.read(), notices: []};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const plan: Plan = {schemaVersion: planSchemaVersion, items: new Map()};
    return {plan, notices: [error.message]};
  }
}
