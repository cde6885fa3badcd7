import path from 'node:path';
import {type JobList, type JobPage, jobLine, jobPage} from '../../machines/policies/inspect/job-page.ts';
import {type JobRow, planRows, type RowPage, rowPage} from '../../machines/policies/inspect/job-rows.ts';
import {isOpenJob} from '../../machines/policies/job/job-record.ts';
import {isSameStretch} from '../../machines/policies/report/job-choice.ts';
import {type Timeline, timelineOf} from '../../machines/policies/report/timeline.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {RowQuery} from '../../services/contracts/inspector.ts';
import type {JobStore} from '../../services/contracts/job.ts';
import {type Plan, planSchemaVersion} from '../../services/contracts/plan.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {createPlanDraftStore} from '../../services/stores/plan-draft-store.ts';
import {createRunIndex} from '../../services/stores/run-index.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import type {Project} from '../composition.ts';
import {withLastSignOfLife} from '../job/last-sign-of-life.ts';
import {openJobs, ownerOf} from '../job/other-job.ts';
import {type ReadJobs, readJobs} from './read-jobs.ts';

export type JobViews = {
  jobs(): Promise<JobList>;
  page(jobId: string): Promise<JobPage | null>;
  rows(jobId: string, query: RowQuery): Promise<RowPage | null>;
  /** The runs of a job; empty if there is no such job. */
  runsOf(jobId: string): Promise<readonly RunRecord[]>;
};

type Seen = {
  readonly timeline: Timeline;
  readonly plan: Plan;
  readonly notices: readonly string[];
  readonly rows: readonly JobRow[];
  readonly runs: readonly RunRecord[];
};

/** `at`: when the read finished; null while it is in progress. */
type Look = {at: number | null; readonly seen: Promise<Seen | null>};

const mostJobs = 50;
/** A page requests several parts of a job at once; one read from disk serves them all. */
const freshMilliseconds = 400;
const newest = 'newest';
const mostNotices = 20;

/** Jobs as the page shows them. Reads from disk, again after a change. */
export function createJobViews(project: Project, now: () => string): JobViews {
  const store = openJobs(project);
  const runs = createRunStore({folder: project.folder.runsFolder});
  const planDrafts = createPlanDraftStore({folder: project.folder.planDraftsFolder});
  const index = createRunIndex({
    folder: project.folder.runsFolder,
    runs,
    digest: (all, broken) => ({runs: all, broken}),
  });
  const looks = new Map<string, Look>();

  const look = async (jobId: string): Promise<Seen | null> => {
    const {jobs, broken} = await chosenJobs(await store, jobId);
    const [first, ...later] = jobs;
    if (first === undefined) return null;
    const wanted = new Set(jobs.flatMap((job) => job.runs.map(({runId}) => runId)));
    const tasks = new Set(jobs.flatMap((job) => job.runs.map(({taskId}) => taskId)));
    const found = [...(await index.read(tasks)).values()];
    const last = later.at(-1) ?? first;
    const isLive = isOpenJob(last) && (await ownerOf(last)) !== 'dead';
    const recorded = found.flatMap(({runs: all}) => all).filter(({run_id}) => wanted.has(run_id));
    const own = isLive ? recorded : await withLastSignOfLife(runs, recorded);
    const {plan, notices: ofPlan} = await readablePlan(project);
    const notices = [
      ...ofPlan,
      ...broken.map(({reason}) => reason),
      ...found.flatMap(({broken: runs}) => runs.map(({file, reason}) => `${file}: ${reason}`)),
    ].slice(0, mostNotices);
    const {drafts} = await planDrafts.list();
    const timeline = timelineOf({jobs: [first, ...later], runs: own, plan, drafts, now: now(), isLive});
    return {timeline, plan, notices, rows: planRows(plan, timeline.lanes), runs: own};
  };

  const seen = (jobId: string): Promise<Seen | null> => {
    const known = looks.get(jobId);
    if (known && (known.at === null || performance.now() - known.at < freshMilliseconds)) return known.seen;
    const made: Look = {
      at: null,
      seen: look(jobId).finally(() => {
        made.at = performance.now();
      }),
    };
    looks.clear();
    looks.set(jobId, made);
    return made.seen;
  };

  return {
    jobs: async () => {
      const {jobs, broken} = await readJobs(await store, {most: mostJobs});
      const lines = jobs.map(async (job) => jobLine(job, isOpenJob(job) && (await ownerOf(job)) !== 'dead'));
      return {jobs: await Promise.all(lines), broken};
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

/** One job; or the newest with the earlier ones of the same stretch of work, as in a report. */
async function chosenJobs(store: JobStore, jobId: string): Promise<ReadJobs> {
  if (jobId !== newest) {
    const job = store.ids().includes(jobId) ? await store.read(jobId) : null;
    return {jobs: job ? [job] : [], broken: []};
  }
  const {jobs, broken} = await readJobs(store, {
    isLast: (job, later) => {
      const [last, next] = [later[0], later.at(-1)];
      return next !== undefined && last !== undefined && !isSameStretch(job, next, last);
    },
  });
  return {jobs: jobs.toReversed(), broken};
}

/** An unreadable plan hides no job: tasks are then shown by id. */
async function readablePlan({plans}: Project): Promise<{plan: Plan; notices: readonly string[]}> {
  try {
    return {plan: await plans.read(), notices: []};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const plan: Plan = {schemaVersion: planSchemaVersion, items: new Map()};
    return {plan, notices: [error.message]};
  }
}
