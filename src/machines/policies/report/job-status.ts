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
import {programName} from '../run/agent-program.ts';
import {wantedIn} from '../run/job-at-work.ts';
import {isVerifying} from '../run/verification.ts';
import {type Need, needsIn, type TimeNeed} from './needs-you.ts';

/** What is running, what is waited for, what needs a person, and what comes next. */
export type JobStatus = {
  readonly job: {
    readonly job_id: string;
    /** `lost`: its Blackbird died; `unseen`: it runs where we cannot look. */
    readonly state: 'working' | 'lost' | 'unseen';
    readonly agent: string;
    readonly started_at: string;
    readonly pid: number | null;
    readonly host: string | null;
    /** The command that continues a lost job: its last task, or else the plan. */
    readonly go_on: string | null;
    /** When the user asked it to stop after the current task. */
    readonly stop_asked_at: string | null;
    /** The task whose decision it waits for. */
    readonly decision: string | null;
    /** The usage of its agents including the running one; null if none reported any. */
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
    /** The check that is running. */
    readonly check: string | null;
    readonly since: string;
    /** When its agent last printed something, since it started; null if it has not yet. */
    readonly heard_at: string | null;
    readonly agent: string;
    readonly tokens: number | null;
    readonly cost_usd: number | null;
  } | null;
  readonly waiting: {
    readonly task_id: string;
    readonly title: string;
    /** Null if it waits before anything started. */
    readonly run_id: string | null;
    readonly agent: string;
    readonly reason: string;
    readonly since: string;
    readonly retry_at: string | null;
  } | null;
  readonly needs_you: readonly Need[];
  /** Tasks that only need time, without the one that the running job waits for. */
  readonly needs_time: readonly TimeNeed[];
  /** The next tasks after the current one if all succeed; at most three. */
  readonly next: ReadonlyArray<{readonly task_id: string; readonly title: string}>;
  /** Parents that the next execution reviews first. */
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
  /** The run the job started or continued last. */
  readonly run: RunRecord | null;
  /** When its agent last printed something. */
  readonly heardAt?: string | null;
  /** The usage its agent has reported so far. */
  readonly usage: Usage | null;
  /** The usage of the job's other runs. */
  readonly others: readonly Used[];
};

/** Null if not reported. */
export type Used = {readonly tokens: number | null; readonly cost_usd: number | null};

const nextCount = 3;

export function jobStatus(facts: StatusFacts): JobStatus {
  const {plan, drafts = [], factsOf, job, owner, run, usage, others} = facts;
  const isOpen = job !== null && isOpenJob(job);
  const isWorking = isOpen && owner === 'alive';
  const running = isWorking && run?.state === 'running' ? run : null;
  const waiting = isWorking && running === null ? openWait(job, run) : null;
  const leaves = [...plan.items.values()].filter(isLeaf);
  const titleOf = (taskId: string) => plan.items.get(taskId)?.title ?? planningTitle(taskId, drafts);
  const {needs_you, needs_time} = needsIn(plan, factsOf);
  const isOther = ({task_id}: Need) => task_id !== waiting?.task_id;
  const needs = [...needs_you.filter(isOther), ...draftNeeds(drafts, isOpen && owner !== 'dead')];
  return {
    job: isOpen
      ? {
          ...openJob(job, owner),
          decision: decisionIn(isWorking, run),
          go_on: continueCommand(owner, run, [...needs, ...needs_time]),
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
      heard_at: outputSince(running, facts.heardAt ?? null),
      agent: programName(running),
      ...usageIn(running, usage),
    },
    waiting: waiting && {...waiting, title: titleOf(waiting.task_id)},
    needs_you: needs,
    needs_time: needs_time.filter(isOther),
    next: isWorking && job.stopAskedAt ? [] : nextTasks(plan, isOpen ? job : null, running ?? waiting),
    reviews_due: dueReviews(plan, factsOf).map(({id}) => id),
    done: leaves.filter(({status}) => status === 'done').length,
    skipped: leaves.filter(({status}) => status === 'skipped').length,
    total: leaves.length,
  };
}

function nextTasks(plan: Plan, job: JobRecord | null, current: {readonly task_id: string} | null) {
  const order = explainOrder(plan, job === null ? [] : (wantedIn(job) ?? []), current?.task_id ?? null);
  // One that waits to be started is ready, and comes before what is next.
  const others = order.filter(({id}) => id !== current?.task_id);
  return others.slice(0, nextCount).map(({id, title}) => ({task_id: id, title}));
}

/** Output of an earlier agent does not count. */
function outputSince({segments}: RunRecord, heardAt: string | null): string | null {
  const since = segments.at(-1)?.started_at;
  return heardAt !== null && since !== undefined && Date.parse(heardAt) >= Date.parse(since) ? heardAt : null;
}

function workOf(run: RunRecord): NonNullable<JobStatus['running']>['state'] {
  if (run.phase === 'pausing' || run.phase === 'launching') return run.phase;
  if (run.run_type === 'review') return 'reviewing';
  return isVerifying(run) ? 'checking' : 'running';
}

type OpenWait = Omit<NonNullable<JobStatus['waiting']>, 'title'>;

/** What the job says it waits for, or the run that is paused for another reason. */
function openWait({jobId, waiting}: JobRecord, run: RunRecord | null): OpenWait | null {
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

/** Executing the plan skips an interrupted task: only its own command continues it. */
function continueCommand(
  owner: StatusFacts['owner'],
  run: RunRecord | null,
  needs: readonly Need[],
): string | null {
  if (owner !== 'dead') return null;
  return needs.find(({task_id}) => task_id === run?.task_id)?.command ?? 'blackbird execute';
}

/** It is at a checkpoint: nothing runs until someone decides. */
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

/** The usage of ended agents is on the record; that of the running one is in its output. */
const usageIn = ({usage: before}: RunRecord, now: Usage | null): Used =>
  sumOf([...(before ? [usedFrom(before)] : []), ...(now ? [usedFrom(now)] : [])]);

function usedBy(
  {jobId}: JobRecord,
  run: RunRecord | null,
  usage: Usage | null,
  others: readonly Used[],
): Used {
  return sumOf([...others, ...(run ? [usedIn(run, jobId)] : []), ...(usage ? [usedFrom(usage)] : [])]);
}

/** The usage of a run's ended agents in this job. */
export const usedIn = ({segments}: RunRecord, jobId: string): Used =>
  sumOf(segments.flatMap(({usage, job_id}) => (usage && job_id === jobId ? [usedFrom(usage)] : [])));

const usedFrom = ({input_tokens, output_tokens, cost_usd}: ReportedUsage): Used => ({
  tokens: input_tokens + output_tokens,
  cost_usd: cost_usd ?? null,
});
type ReportedUsage = Pick<NonNullable<RunRecord['usage']>, keyof Usage>;

const sumOf = (uses: readonly Used[]): Used => ({
  tokens: total(uses.map(({tokens}) => tokens)),
  cost_usd: total(uses.map(({cost_usd}) => cost_usd)),
});

function total(amounts: ReadonlyArray<number | null>): number | null {
  const told = amounts.filter((amount) => amount !== null);
  return told.length === 0 ? null : told.reduce((sum, amount) => sum + amount, 0);
}

/** When it will be retried; null if unknown. */
export function retryAtOf(run: RunRecord): string | null {
  const {retry_at: told} = run;
  return (typeof told === 'string' ? told : run.failure?.reset_at) ?? null;
}
