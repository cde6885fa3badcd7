import {isJobSince, isRefusedUndo, isSameStretch} from '../../machines/policies/report/job-choice.ts';
import {type Report, reportOf} from '../../machines/policies/report/report.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {JobRecord, JobStore} from '../../services/contracts/job.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Project} from '../composition.ts';
import {jobNamed} from '../job/job-named.ts';
import {withLastSignOfLife} from '../job/last-sign-of-life.ts';
import {openJobs, ownerOf} from '../job/other-job.ts';
import {factsNow} from '../plan/facts-now.ts';
import {taskFactsIn} from '../plan/read-task-facts.ts';

export type JobChoice =
  | {readonly type: 'latest'}
  | {readonly type: 'since'; readonly since: string}
  | {readonly type: 'job'; readonly jobId: string};

/** Reads the jobs' records from disk; needs no lock and changes nothing. */
export async function readReport(project: Project, choice: JobChoice, now: string): Promise<Report> {
  const store = await openJobs(project);
  const {jobs, broken} = await chosenJobs(store, choice);
  const plan = await project.plans.read();
  const known = await taskFactsIn(project, plan, plan.items.values());
  const factsOf = await factsNow(project, known, now);
  const last = jobs.at(-1);
  const isLive = last !== undefined && last.end === undefined && (await ownerOf(last)) !== 'dead';
  const {runs, unreadable} = await runsOf(project, jobs, isLive);
  const {createPlanDraftStore} = await import('../../services/stores/plan-draft-store.ts');
  const {drafts, broken: brokenDrafts} = await createPlanDraftStore({
    folder: project.folder.planDraftsFolder,
  }).list();
  const ofDrafts = brokenDrafts.map(({file, reason}) => `${file}: ${reason}`);
  const facts = {jobs, runs, plan, drafts, factsOf, now, isLive};
  return reportOf({...facts, unreadable: [...broken, ...unreadable, ...ofDrafts]});
}

const seeLast = {command: 'blackbird report', why: 'see the last one'};

type Chosen = {readonly jobs: JobRecord[]; readonly broken: string[]};

/** Oldest first. An unreadable record is reported and hides no other. */
async function chosenJobs(store: JobStore, choice: JobChoice): Promise<Chosen> {
  if (choice.type === 'job') return {jobs: [await jobNamed(store, choice.jobId, seeLast)], broken: []};
  const jobs: JobRecord[] = [];
  const broken: string[] = [];
  for (const id of store.ids()) {
    const job = await store.read(id).catch((error: unknown) => {
      broken.push(messageOf(error));
      return null;
    });
    if (job === null || isRefusedUndo(job)) continue;
    if (!isWanted(job, jobs, choice)) break;
    jobs.unshift(job);
  }
  return {jobs, broken};
}

function isWanted(job: JobRecord, later: readonly JobRecord[], choice: JobChoice): boolean {
  if (choice.type === 'since') return isJobSince(job, choice.since);
  const [next, newest] = [later[0], later.at(-1)];
  return next === undefined || newest === undefined || isSameStretch(job, next, newest);
}

async function runsOf(
  {folder}: Project,
  jobs: readonly JobRecord[],
  isLive: boolean,
): Promise<{runs: RunRecord[]; unreadable: string[]}> {
  const {createRunStore} = await import('../../services/stores/run-store.ts');
  const store = createRunStore({folder: folder.runsFolder});
  const wanted = new Set(jobs.flatMap((job) => job.runs.map(({runId}) => runId)));
  const taskIds = new Set(jobs.flatMap((job) => job.runs.map(({taskId}) => taskId)));
  const runs: RunRecord[] = [];
  const unreadable: string[] = [];
  for (const taskId of taskIds) {
    const found = await store.list(taskId);
    runs.push(...found.runs.filter(({run_id}) => wanted.has(run_id)));
    unreadable.push(...found.broken.map(({file, reason}) => `${file}: ${reason}`));
  }
  return {runs: isLive ? runs : await withLastSignOfLife(store, runs), unreadable};
}
