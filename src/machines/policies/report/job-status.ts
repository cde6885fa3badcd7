import type {Usage} from '../../../services/contracts/agent.ts';
import type {JobRecord} from '../../../services/contracts/job.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import type {PlanDraft} from '../../../services/contracts/plan-draft.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {isOpenJob} from '../job/job-record.ts';
import {explainOrder} from '../plan/execution-order.ts';
import type {FactsOf} from '../plan/explain-task.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {draftNeeds, planningTitle} from '../planning/waiting-draft.ts';
import {dueReviews} from '../review/parent-review.ts';
import {wantedIn} from '../run/job-at-work.ts';
import {programName} from '../run/program.ts';
import {isVerifying} from '../run/verification.ts';
import {type Need, needsIn} from './needs-you.ts';

/** What is at work, what is waited for, what needs a person, and what comes next. */
export type JobStatus = {
  readonly job: {
    readonly job_id: string;
    /** `lost`: its Blackbird is gone; `unseen`: it works where we cannot look. */
    readonly state: 'working' | 'lost' | 'unseen';
    readonly agent: string;
    readonly started_at: string;
    readonly pid: number | null;
    readonly host: string | null;
    /** What goes on with a lost one: the task that it worked on then, or else the plan. */
    readonly go_on: string | null;
    /** It stops after the task at work, as asked then. */
    readonly stop_asked_at: string | null;
    /** The task whose decision it waits for. */
    readonly decision: string | null;
    /** What its agents used, and what the one that works has told so far; null where none told. */
    readonly tokens: number | null;
    readonly cost_usd: number | null;
  } | null;
  /** The last job that ended. */
  readonly last_job: {
    readonly job_id: string;
    readonly started_at: string;
    readonly ended_at: string | null;
    readonly reason: string;
    readonly message: string;
  } | null;
  readonly running: {
    readonly task_id: string;
    readonly title: string;
    readonly run_id: string;
    readonly state: 'launching' | 'running' | 'pausing' | 'reviewing' | 'checking';
    /** The command that is being run to see whether the work holds. */
    readonly check: string | null;
    readonly since: string;
    /** When its agent last printed anything, since it began; null where it did not yet. */
    readonly heard_at: string | null;
    readonly agent: string;
    readonly tokens: number | null;
    readonly cost_usd: number | null;
  } | null;
  readonly waiting: {
    readonly task_id: string;
    readonly title: string;
    /** Null where it waits before anything began. */
    readonly run_id: string | null;
    readonly agent: string;
    readonly reason: string;
    readonly since: string;
    readonly retry_at: string | null;
  } | null;
  readonly needs_you: readonly Need[];
  /** What is executed once the task at work is done, as long as each succeeds; at most three. */
  readonly next: ReadonlyArray<{readonly task_id: string; readonly title: string}>;
  /** Parents whose review the next execution begins with. */
  readonly reviews_due: readonly string[];
  readonly done: number;
  readonly skipped: number;
  readonly total: number;
};

export type StatusFacts = {
  readonly plan: Plan;
  readonly drafts?: readonly PlanDraft[];
  readonly factsOf: FactsOf;
  readonly job: JobRecord | null;
  readonly owner: 'alive' | 'dead' | 'unknown';
  /** What the job began or went on with last. */
  readonly run: RunRecord | null;
  /** When its agent last printed anything. */
  readonly heardAt?: string | null;
  /** What its agent has told of its use so far. */
  readonly usage: Usage | null;
  /** What the job's other runs used. */
  readonly others: readonly Used[];
};

/** Null where nobody told. */
export type Used = {readonly tokens: number | null; readonly cost_usd: number | null};

const nextCount = 3;

export function jobStatus(facts: StatusFacts): JobStatus {
  const {plan, drafts = [], factsOf, job, owner, run, usage, others} = facts;
  const isOpen = job !== null && isOpenJob(job);
  const isWorking = isOpen && owner === 'alive';
  const running = isWorking && run?.state === 'running' ? run : null;
  const waiting = isWorking && running === null ? waitIn(job, run) : null;
  const leaves = [...plan.items.values()].filter(isLeaf);
  const titleOf = (taskId: string) => plan.items.get(taskId)?.title ?? planningTitle(taskId, drafts);
  const needs = [
    ...needsIn(plan, factsOf, ({task_id}) => task_id === waiting?.task_id),
    ...draftNeeds(drafts, isOpen && owner !== 'dead'),
  ];
  return {
    job: isOpen
      ? {
          ...openJob(job, owner),
          decision: decisionIn(isWorking, run),
          go_on: wayOn(owner, run, needs),
          ...usedBy(job, run, usage, others),
        }
      : null,
    last_job: job !== null && !isOpen ? endedJob(job) : null,
    running: running && {
      task_id: running.task_id,
      title: titleOf(running.task_id),
      run_id: running.run_id,
      state: workOf(running),
      check: running.check?.command ?? null,
      since: (running.check ?? running.segments.at(-1))?.started_at ?? running.updated_at,
      heard_at: heardSince(running, facts.heardAt ?? null),
      agent: programName(running),
      ...usageIn(running, usage),
    },
    waiting: waiting && {...waiting, title: titleOf(waiting.task_id)},
    needs_you: needs,
    next: isWorking && job.stopAskedAt ? [] : nextTasks(plan, isOpen ? job : null, running ?? waiting),
    reviews_due: dueReviews(plan, factsOf).map(({id}) => id),
    done: leaves.filter(({status}) => status === 'done').length,
    skipped: leaves.filter(({status}) => status === 'skipped').length,
    total: leaves.length,
  };
}

function nextTasks(plan: Plan, job: JobRecord | null, current: {readonly task_id: string} | null) {
  const order = explainOrder(plan, job === null ? [] : (wantedIn(job) ?? []), current?.task_id ?? null);
  return order.slice(0, nextCount).map(({id, title}) => ({task_id: id, title}));
}

/** What an agent before this one printed is no sign of it. */
function heardSince({segments}: RunRecord, heardAt: string | null): string | null {
  const since = segments.at(-1)?.started_at;
  return heardAt !== null && since !== undefined && Date.parse(heardAt) >= Date.parse(since) ? heardAt : null;
}

function workOf(run: RunRecord): NonNullable<JobStatus['running']>['state'] {
  if (run.phase === 'pausing' || run.phase === 'launching') return run.phase;
  if (run.run_type === 'review') return 'reviewing';
  return isVerifying(run) ? 'checking' : 'running';
}

type OpenWait = Omit<NonNullable<JobStatus['waiting']>, 'title'>;

/** What the job says it waits for, or the run that it rests with for another reason. */
function waitIn({jobId, waiting}: JobRecord, run: RunRecord | null): OpenWait | null {
  if (waiting) {
    const {taskId, runId, provider, reason, since, until} = waiting;
    return {task_id: taskId, run_id: runId, agent: provider, reason, since, retry_at: until};
  }
  if (run?.state !== 'paused' || run.job_id !== jobId) return null;
  return {
    task_id: run.task_id,
    run_id: run.run_id,
    agent: programName(run),
    reason: run.pause_reason ?? 'user_interrupt',
    since: run.paused_at ?? run.updated_at,
    retry_at: retryAtOf(run),
  };
}

/** Who executes a plan passes by what was interrupted: only its own command goes on with that. */
function wayOn(owner: StatusFacts['owner'], run: RunRecord | null, needs: readonly Need[]): string | null {
  if (owner !== 'dead') return null;
  return needs.find(({task_id}) => task_id === run?.task_id)?.command ?? 'blackbird execute';
}

/** It stands at a checkpoint: nothing works until somebody decides. */
const decisionIn = (isWorking: boolean, run: RunRecord | null): string | null =>
  isWorking && run?.state !== 'running' && run?.decision_state === 'pending' ? run.task_id : null;

function openJob({jobId, agent, startedAt, stopAskedAt, owner}: JobRecord, liveness: StatusFacts['owner']) {
  const state = ({alive: 'working', dead: 'lost', unknown: 'unseen'} as const)[liveness];
  const who = {pid: owner?.pid ?? null, host: owner?.host ?? null};
  return {job_id: jobId, state, agent, started_at: startedAt, stop_asked_at: stopAskedAt ?? null, ...who};
}

function endedJob({jobId, startedAt, endedAt, end}: JobRecord) {
  const told = {reason: end?.reason ?? '', message: end?.message ?? ''};
  return {job_id: jobId, started_at: startedAt, ended_at: endedAt ?? null, ...told};
}

/** What agents of it used that are gone is on the record; what the one at work uses is in its output. */
const usageIn = ({usage: before}: RunRecord, now: Usage | null): Used =>
  sumOf([...(before ? [toldIn(before)] : []), ...(now ? [toldIn(now)] : [])]);

function usedBy(
  {jobId}: JobRecord,
  run: RunRecord | null,
  usage: Usage | null,
  others: readonly Used[],
): Used {
  return sumOf([...others, ...(run ? [usedIn(run, jobId)] : []), ...(usage ? [toldIn(usage)] : [])]);
}

/** What the agents of a run used that worked for this job and are gone. */
export const usedIn = ({segments}: RunRecord, jobId: string): Used =>
  sumOf(segments.flatMap(({usage, job_id}) => (usage && job_id === jobId ? [toldIn(usage)] : [])));

const toldIn = ({input_tokens, output_tokens, cost_usd}: ToldUsage): Used => ({
  tokens: input_tokens + output_tokens,
  cost_usd: cost_usd ?? null,
});
type ToldUsage = Pick<NonNullable<RunRecord['usage']>, keyof Usage>;

const sumOf = (uses: readonly Used[]): Used => ({
  tokens: total(uses.map(({tokens}) => tokens)),
  cost_usd: total(uses.map(({cost_usd}) => cost_usd)),
});

function total(amounts: ReadonlyArray<number | null>): number | null {
  const told = amounts.filter((amount) => amount !== null);
  return told.length === 0 ? null : told.reduce((sum, amount) => sum + amount, 0);
}

/** When it is tried again; null where nobody knows. */
export function retryAtOf(run: RunRecord): string | null {
  const {retry_at: told} = run;
  return (typeof told === 'string' ? told : run.failure?.reset_at) ?? null;
}
