import type {Usage} from '../../../services/contracts/agent.ts';
import type {JobRecord} from '../../../services/contracts/job.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {isOpenJob} from '../job/job-record.ts';
import type {FactsOf} from '../plan/explain-task.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {readyTasks} from '../plan/readiness.ts';
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
    readonly state: 'running' | 'reviewing' | 'checking';
    /** The command that is being run to see whether the work holds. */
    readonly check: string | null;
    readonly since: string;
    readonly agent: string;
    readonly tokens: number | null;
    readonly cost_usd: number | null;
  } | null;
  readonly waiting: {
    readonly task_id: string;
    readonly title: string;
    readonly reason: string;
    readonly since: string;
    readonly retry_at: string | null;
  } | null;
  readonly needs_you: readonly Need[];
  /** At most three. */
  readonly next: ReadonlyArray<{readonly task_id: string; readonly title: string}>;
  readonly done: number;
  readonly total: number;
};

export type StatusFacts = {
  readonly plan: Plan;
  readonly factsOf: FactsOf;
  readonly job: JobRecord | null;
  readonly owner: 'alive' | 'dead' | 'unknown';
  /** What the job began or went on with last. */
  readonly run: RunRecord | null;
  /** What its agent has told of its use so far. */
  readonly usage: Usage | null;
};

const nextCount = 3;

export function jobStatus({plan, factsOf, job, owner, run, usage}: StatusFacts): JobStatus {
  const isOpen = job !== null && isOpenJob(job);
  const isWorking = isOpen && owner === 'alive';
  const running = isWorking && run?.state === 'running' ? run : null;
  const waiting = isWorking && run?.state === 'paused' && run.job_id === job.jobId ? run : null;
  const leaves = [...plan.items.values()].filter(isLeaf);
  const titleOf = (taskId: string) => plan.items.get(taskId)?.title ?? '';
  return {
    job: isOpen ? openJob(job, owner) : null,
    last_job: job !== null && !isOpen ? endedJob(job) : null,
    running: running && {
      task_id: running.task_id,
      title: titleOf(running.task_id),
      run_id: running.run_id,
      state: running.run_type === 'review' ? 'reviewing' : isVerifying(running) ? 'checking' : 'running',
      check: running.check?.command ?? null,
      since: (running.check ?? running.segments.at(-1))?.started_at ?? running.updated_at,
      agent: programName(running),
      ...usageIn(running, usage),
    },
    waiting: waiting && {
      task_id: waiting.task_id,
      title: titleOf(waiting.task_id),
      reason: waiting.pause_reason ?? 'user_interrupt',
      since: waiting.paused_at ?? waiting.updated_at,
      retry_at: retryAtOf(waiting),
    },
    needs_you: needsIn(plan, factsOf, ({run_id}) => run_id === waiting?.run_id),
    next: readyTasks(plan)
      .slice(0, nextCount)
      .map(({id, title}) => ({task_id: id, title})),
    done: leaves.filter(({status}) => status === 'done' || status === 'skipped').length,
    total: leaves.length,
  };
}

function openJob({jobId, agent, startedAt, owner}: JobRecord, liveness: StatusFacts['owner']) {
  const state = ({alive: 'working', dead: 'lost', unknown: 'unseen'} as const)[liveness];
  const who = {pid: owner?.pid ?? null, host: owner?.host ?? null};
  return {job_id: jobId, state, agent, started_at: startedAt, ...who};
}

function endedJob({jobId, startedAt, endedAt, end}: JobRecord) {
  const told = {reason: end?.reason ?? '', message: end?.message ?? ''};
  return {job_id: jobId, started_at: startedAt, ended_at: endedAt ?? null, ...told};
}

/** What earlier segments used is on the record; what this one uses is in its output. */
function usageIn({usage: before, segments}: RunRecord, now: Usage | null) {
  const isResumed = segments.length > 1;
  const all = [...(before && isResumed ? [before] : []), ...(now ? [now] : [])];
  if (all.length === 0) return {tokens: null, cost_usd: null};
  const costs = all.flatMap(({cost_usd}) => (cost_usd === undefined ? [] : [cost_usd]));
  return {
    tokens: all.reduce((sum, {input_tokens, output_tokens}) => sum + input_tokens + output_tokens, 0),
    cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

/** When it is tried again; null where nobody knows. */
export function retryAtOf(run: RunRecord): string | null {
  const {retry_at: told} = run;
  return (typeof told === 'string' ? told : run.failure?.reset_at) ?? null;
}
