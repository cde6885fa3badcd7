import type {JobRecord} from '../../../services/contracts/job.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import type {PlanDraft} from '../../../services/contracts/plan-draft.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {isOpenJob} from '../job/job-record.ts';
import {draftWait, hasDraft, planningTitle} from '../planning/waiting-draft.ts';
import {vendorOf} from '../run/agent-program.ts';
import {isTimeNeeded} from '../run/failure-table.ts';
import {latestDeliveredRun} from '../run/task-runs.ts';
import {type Bar, barsOf, isWaitOf} from './run-bars.ts';
import {isRefused, type Mark, marksOf} from './run-marks.ts';

/**
 * What happened in one job or several consecutive ones, as data to draw: live in the inspector, static in the report.
 * Times are ISO; every `text`, `title` and `message` is untrusted and escaped where it is shown.
 */
export type Timeline = {
  /** The range: the first job's start to the last one's end, or now. */
  readonly from: string;
  readonly to: string;
  /** The last job is running: the chart grows. */
  readonly is_live: boolean;
  readonly jobs: readonly TimelineJob[];
  /** One per task that was worked on, in the order they started. */
  readonly lanes: readonly Lane[];
  readonly totals: Totals;
};

export type TimelineJob = {
  readonly job_id: string;
  readonly agent: string;
  readonly from: string;
  readonly to: string;
  /** `lost`: its Blackbird ended unexpectedly. */
  readonly outcome: 'working' | 'lost' | 'ended';
  /** Why it stopped, what was needed then, and both in one sentence. */
  readonly reason: string | null;
  readonly standing: string | null;
  readonly message: string;
  /** How many runs it started or continued: none if it was refused. */
  readonly runs: number;
};

/** The state of the work on a task when the chart was made. */
export const laneOutcomes = [
  'running',
  /** Its Blackbird died, and nobody has recovered it yet. */
  'lost',
  'done',
  'failed',
  /** Its agent refused to continue the session; it is in its earlier state. */
  'refused',
  'waiting_answer',
  /** At a limit or in an outage: it only needs time. */
  'waiting_time',
  'paused',
  'decision',
  /** Requested changes that no agent has started on; for a review, it sent children back. */
  'sent_back',
  'canceled',
  'undone',
  /** Set by hand, whatever its runs did. */
  'skipped',
  /** Planning whose draft was dropped. */
  'dropped',
] as const;
export type LaneOutcome = (typeof laneOutcomes)[number];

export type Lane = {
  readonly task_id: string;
  /** Empty if the task is no longer in the plan. */
  readonly title: string;
  /** The review of a parent, or the work on a task. */
  readonly kind: 'task' | 'review';
  readonly outcome: LaneOutcome;
  /** All its runs in these jobs, in order; a restarted task has several runs in one lane. */
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** How long its agents worked. */
  readonly work_milliseconds: number;
};

export type Totals = {
  readonly tokens: number | null;
  /** Null if no agent reported its cost. */
  readonly cost_usd: number | null;
  readonly work_milliseconds: number;
  readonly limits: WaitTotal;
  readonly outages: WaitTotal;
};
export type WaitTotal = {readonly count: number; readonly milliseconds: number};

export type TimelineFacts = {
  /** Oldest first, at least one. */
  readonly jobs: readonly [JobRecord, ...JobRecord[]];
  /** Every run that these jobs started or continued, in any order; for a running one, with its usage so far. */
  readonly runs: readonly RunRecord[];
  readonly plan: Plan;
  /** Drafts that are neither saved nor dropped. */
  readonly drafts?: readonly PlanDraft[];
  readonly now: string;
  /** The Blackbird of the last job is alive. */
  readonly isLive: boolean;
};

export function timelineOf({jobs, runs, plan, drafts = [], now, isLive}: TimelineFacts): Timeline {
  const lastJob = jobs.at(-1) ?? jobs[0];
  const isWorking = isLive && isOpenJob(lastJob);
  const ends = jobs.map((job) => endOf(job, runs, job === lastJob && isWorking ? now : null));
  const [from, to] = [earliest(jobs.map(({startedAt}) => startedAt)), latest(ends)];
  const crashes = ends.filter((_, place) => isLost(jobs[place] ?? lastJob, isWorking, lastJob));
  const endedAt = new Map(
    jobs.flatMap((job, place) =>
      job === lastJob && isWorking ? [] : [[job.jobId, ends[place] ?? to] as const],
    ),
  );
  const spans = jobs.map(({startedAt}, place) => ({from: startedAt, to: ends[place] ?? to}));
  const lanes = [...byTask(runs).values()]
    .map((own) => laneOf(own, {from, to, isLive: isWorking, crashes, endedAt, spans, plan, drafts}))
    .sort((one, other) => Date.parse(firstIn(one) ?? to) - Date.parse(firstIn(other) ?? to));
  return {
    from,
    to,
    is_live: isWorking,
    jobs: jobs.map((job, place) => ({
      job_id: job.jobId,
      agent: job.agent,
      from: job.startedAt,
      to: ends[place] ?? to,
      outcome: isLost(job, isWorking, lastJob) ? 'lost' : isOpenJob(job) ? 'working' : 'ended',
      reason: job.end?.reason ?? null,
      standing: job.end?.standing ?? null,
      message: job.end?.message ?? '',
      runs: job.runs.length,
    })),
    lanes,
    totals: totalsOf(lanes),
  };
}

const isLost = (job: JobRecord, isWorking: boolean, lastJob: JobRecord) =>
  job.end?.reason === 'lost' || (isOpenJob(job) && !(isWorking && job === lastJob));

/** A job that nobody closed ended with the last sign of life of its runs. */
function endOf(
  {jobId, startedAt, endedAt}: JobRecord,
  runs: readonly RunRecord[],
  now: string | null,
): string {
  if (now !== null || endedAt !== undefined) return latest([now ?? endedAt ?? startedAt, startedAt]);
  return latest([startedAt, ...runs.filter((run) => run.job_id === jobId).map(({updated_at}) => updated_at)]);
}

/** The runs of each task, oldest attempt first. */
export function byTask(runs: readonly RunRecord[]): ReadonlyMap<string, readonly RunRecord[]> {
  const tasks = new Map<string, RunRecord[]>();
  for (const run of runs.toSorted((one, other) => one.attempt - other.attempt)) {
    const own = tasks.get(run.task_id);
    if (own) own.push(run);
    else tasks.set(run.task_id, [run]);
  }
  return tasks;
}

type Picture = Pick<TimelineFacts, 'isLive' | 'plan'> &
  Pick<Timeline, 'from' | 'to'> & {
    readonly crashes: readonly string[];
    /** The ended jobs, with their end. */
    readonly endedAt: ReadonlyMap<string, string>;
    readonly spans: ReadonlyArray<Pick<Bar, 'from' | 'to'>>;
    readonly drafts: readonly PlanDraft[];
  };

function laneOf(
  runs: readonly RunRecord[],
  {from, to, isLive, crashes, endedAt, spans, plan, drafts}: Picture,
): Lane {
  const drawn = runs.map((run, place) => {
    const until = earliest([to, runs[place + 1]?.created_at ?? to]);
    const jobEnd = endedAt.get(run.job_id ?? '') ?? null;
    const bars = barsOf(run, {until, isLive, crashes, jobEnd, jobs: spans});
    return {bars, marks: marksOf(run, bars, isLive)};
  });
  const bars = drawn.flatMap((each) => each.bars.flatMap((bar) => within(bar, from, to)));
  const taskId = runs[0]?.task_id ?? '';
  return {
    task_id: taskId,
    title: plan.items.get(taskId)?.title ?? planningTitle(taskId, drafts),
    kind: runs.every(({run_type}) => run_type === 'review') ? 'review' : 'task',
    outcome: outcomeOf(runs, isLive, drafts, plan),
    bars,
    marks: drawn.flatMap((each) => each.marks).filter(({at}) => isIn(at, from, to)),
    ...usedBy(runs),
    work_milliseconds: lengthOf(bars.filter(({state}) => state === 'working')),
  };
}

/** Runs may span several jobs: what they did before the first of these is cut off. */
function within(bar: Bar, from: string, to: string): Bar[] {
  const clipped = {...bar, from: latest([bar.from, from]), to: earliest([bar.to, to])};
  return Date.parse(clipped.from) > Date.parse(clipped.to) ? [] : [clipped];
}

const isIn = (at: string, from: string, to: string) =>
  Date.parse(at) >= Date.parse(from) && Date.parse(at) <= Date.parse(to);

function outcomeOf(
  runs: readonly RunRecord[],
  isLive: boolean,
  drafts: readonly PlanDraft[],
  plan: Plan,
): LaneOutcome {
  const last = runs.at(-1);
  const isUndone = last?.run_type === 'undo' && last.state === 'succeeded' && !last.undo?.is_redo;
  if (isUndone) return 'undone';
  const run = latestDeliveredRun(runs) ?? last;
  if (run === undefined) return 'canceled';
  if (run.state !== 'running' && plan.items.get(run.task_id)?.status === 'skipped') return 'skipped';
  if (isDropped(run, drafts)) return 'dropped';
  switch (run.state) {
    case 'running':
      return isLive ? 'running' : 'lost';
    case 'waiting':
      return isRefused(run) ? 'refused' : 'waiting_answer';
    case 'paused':
      if (isRefused(run)) return 'refused';
      return isTimeNeeded(run) ? 'waiting_time' : 'paused';
    case 'canceled':
      return 'canceled';
    case 'succeeded':
    case 'failed':
      if (run.decision_state === 'pending') return 'decision';
      if (run.decision_state === 'changes_requested') return 'sent_back';
      // The user may have left the tasks as they were: then the parent is done despite its review.
      if (run.parent_review_passed === false)
        return plan.items.get(run.task_id)?.status === 'done' ? 'done' : 'sent_back';
      if (run.run_type === 'plan' && run.state === 'succeeded') return proposalOutcome(run, drafts);
      return run.state === 'failed' ? 'failed' : 'done';
  }
}

/** A paused planner is not continued after its draft was dropped. */
const isDropped = ({run_type, state, task_id}: RunRecord, drafts: readonly PlanDraft[]): boolean =>
  run_type === 'plan' && (state === 'paused' || state === 'waiting') && !hasDraft(task_id, drafts);

/** A planner that is done has asked or proposed something: the user is next. */
function proposalOutcome({task_id}: RunRecord, drafts: readonly PlanDraft[]): LaneOutcome {
  const wait = draftWait(task_id, drafts);
  return wait === null ? 'done' : wait === 'answer' ? 'waiting_answer' : 'decision';
}

/**
 * Codex counts per session, and `session_usage` on a record is the count by then. Old records lack it, so the last run
 * of a session counts for all.
 */
function usedBy(runs: readonly RunRecord[]): Pick<Lane, 'tokens' | 'cost_usd'> {
  const told = runs.filter(
    (run, place) =>
      vendorOf(run) !== 'codex' ||
      !runs.slice(place + 1).some((later) => countsWhole(later) && isSameSession(run, later)),
  );
  const usages = told.flatMap(({usage}) => usage ?? []);
  return {
    tokens: sumOf(usages.map(({input_tokens, output_tokens}) => input_tokens + output_tokens)),
    cost_usd: sumOf(usages.flatMap(({cost_usd}) => cost_usd ?? [])),
  };
}

const countsWhole = ({usage, session_usage}: RunRecord) => usage !== undefined && session_usage === undefined;

const isSameSession = (one: RunRecord, other: RunRecord) =>
  one.provider_session_ref !== '' && one.provider_session_ref === other.provider_session_ref;

function totalsOf(lanes: readonly Lane[]): Totals {
  const bars = lanes.flatMap((lane) => lane.bars);
  const waits = (state: Parameters<typeof isWaitOf>[0]) => {
    const own = bars.filter(isWaitOf(state));
    return {count: own.length, milliseconds: lengthOf(own)};
  };
  return {
    tokens: sumOf(lanes.flatMap(({tokens}) => tokens ?? [])),
    cost_usd: sumOf(lanes.flatMap(({cost_usd}) => cost_usd ?? [])),
    work_milliseconds: lanes.reduce((sum, lane) => sum + lane.work_milliseconds, 0),
    limits: waits('waiting_limit'),
    outages: waits('waiting_outage'),
  };
}

const sumOf = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
const lengthOf = (bars: readonly Bar[]) =>
  bars.reduce((sum, {from, to}) => sum + Date.parse(to) - Date.parse(from), 0);
const firstIn = ({bars, marks}: Lane) => bars[0]?.from ?? marks[0]?.at;
const latest = (times: readonly string[]) =>
  times.reduce((last, time) => (Date.parse(time) > Date.parse(last) ? time : last));
const earliest = (times: readonly string[]) =>
  times.reduce((first, time) => (Date.parse(time) < Date.parse(first) ? time : first));
