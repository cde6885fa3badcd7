import type {CommitOutcome} from '../../../services/contracts/commit.ts';
import type {JobRecord} from '../../../services/contracts/job.ts';
import {nothingToCommit} from '../../../services/contracts/nothing-to-commit.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import type {PlanDraft} from '../../../services/contracts/plan-draft.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {commandBeforeAll, type FactsOf} from '../plan/explain-task.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {readyTasks} from '../plan/readiness.ts';
import {askedByPlanner, draftNeeds} from '../planning/waiting-draft.ts';
import {dueReviews} from '../review/parent-review.ts';
import {programName} from '../run/agent-program.ts';
import {checkTail, isPassed} from '../run/check-words.ts';
import {chainTo, isUndone, latestDeliveredRun} from '../run/task-runs.ts';
import {type ChangeSize, changeSize} from './change-size.ts';
import {type Need, needsIn, type TimeNeed} from './needs-you.ts';
import {isWaitOf} from './run-bars.ts';
import {
  byTask,
  type Lane,
  type LaneOutcome,
  type Timeline,
  type TimelineJob,
  type Totals,
  timelineOf,
} from './timeline.ts';

/** What happened to a plan while nobody watched. Titles, questions, failures and commands are untrusted text. */
export type Report = {
  /** Null if no job was found. */
  readonly from: string | null;
  readonly to: string | null;
  readonly is_live: boolean;
  readonly jobs: readonly TimelineJob[];
  /** The state of the whole plan now. */
  readonly done: number;
  readonly skipped: number;
  readonly total: number;
  /** The tasks worked on, in the order they started. */
  readonly tasks: readonly TaskReport[];
  readonly needs_you: readonly Need[];
  /** Tasks that only need time: the next job waits for them. */
  readonly needs_time: readonly TimeNeed[];
  /** Tasks that could start now, at most three of `ready`. */
  readonly ready: number;
  readonly next: ReadonlyArray<{readonly task_id: string; readonly title: string}>;
  /** The command needed before any of them can start; null if there is none. */
  readonly before_all: string | null;
  /** Parents that are not done although their children are. */
  readonly reviews_due: readonly string[];
  readonly totals: ReportTotals;
  /** Records that could not be read and are missing here. */
  readonly unreadable: readonly string[];
  readonly timeline: Timeline | null;
};

export type ReportTotals = Totals & {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly commits: number;
  readonly questions: number;
  readonly retries: number;
  readonly crashes: number;
};

export type TaskReport = {
  readonly task_id: string;
  readonly title: string;
  readonly kind: Lane['kind'];
  readonly outcome: LaneOutcome;
  /** What failed, if anything. */
  readonly failure: string | null;
  readonly agent: string;
  readonly model: string | null;
  readonly run_ids: readonly string[];
  /** Runs that Blackbird started by itself after a failure. */
  readonly retries: number;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly work_milliseconds: number;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** Everything the task has changed so far; null if git could not tell. */
  readonly change: ChangeSize | null;
  /** The evidence: every check of the last round, with the number of rounds. */
  readonly checks: readonly CheckReport[];
  readonly commit: CommitOutcome | null;
  readonly decision: RunRecord['decision_state'] | null;
  readonly questions: ReadonlyArray<{readonly prompt: string; readonly answer: string | null}>;
  readonly waits: ReadonlyArray<WaitReport>;
  /** How often its Blackbird died while it was running. */
  readonly crashes: number;
};

export type CheckReport = {
  readonly command: string;
  readonly passed: boolean;
  readonly exit_code: number | null;
  readonly seconds: number;
  /** How often the agent was sent back before this result: 1 is the first time. */
  readonly round: number;
  readonly log_digest: string;
  /** The end of its output, if it failed. */
  readonly tail: readonly string[];
};

export type WaitReport = {
  readonly reason: 'limit' | 'outage';
  readonly from: string;
  readonly to: string;
  readonly milliseconds: number;
};

export type ReportFacts = {
  /** Oldest first. */
  readonly jobs: readonly JobRecord[];
  readonly runs: readonly RunRecord[];
  readonly plan: Plan;
  readonly drafts?: readonly PlanDraft[];
  readonly factsOf: FactsOf;
  readonly now: string;
  readonly isLive: boolean;
  readonly unreadable?: readonly string[];
};

const nextCount = 3;

export function reportOf(facts: ReportFacts): Report {
  const {jobs, runs, plan, drafts = [], factsOf, now, isLive, unreadable = []} = facts;
  const [first, ...others] = jobs;
  const timeline = first ? timelineOf({jobs: [first, ...others], runs, plan, drafts, now, isLive}) : null;
  const runsOf = byTask(runs);
  const tasks = (timeline?.lanes ?? []).map((lane) =>
    taskReport(lane, runsOf.get(lane.task_id) ?? [], askedByPlanner(lane.task_id, drafts)),
  );
  const leaves = [...plan.items.values()].filter(isLeaf);
  const ready = readyTasks(plan);
  const {needs_you, needs_time} = needsIn(plan, factsOf);
  return {
    from: timeline?.from ?? null,
    to: timeline?.to ?? null,
    is_live: timeline?.is_live ?? false,
    jobs: timeline?.jobs ?? [],
    done: leaves.filter(({status}) => status === 'done').length,
    skipped: leaves.filter(({status}) => status === 'skipped').length,
    total: leaves.length,
    tasks,
    needs_you: [...needs_you, ...draftNeeds(drafts, timeline?.is_live ?? false)],
    needs_time,
    ready: ready.length,
    next: ready.slice(0, nextCount).map(({id, title}) => ({task_id: id, title})),
    before_all: commandBeforeAll(plan, factsOf),
    reviews_due: dueReviews(plan, factsOf).map(({id}) => id),
    totals: totalsOf(timeline, tasks),
    unreadable,
    timeline,
  };
}

function taskReport(lane: Lane, runs: readonly RunRecord[], asked: TaskReport['questions']): TaskReport {
  const run = latestDeliveredRun(runs) ?? runs.at(-1);
  const changing = run && changingRun(run, runs);
  const isOver = lane.outcome === 'failed' || lane.outcome === 'paused';
  return {
    task_id: lane.task_id,
    title: lane.title,
    kind: lane.kind,
    outcome: lane.outcome,
    failure: (isOver && run?.failure?.message) || null,
    agent: run ? programName(run) : '',
    model: run?.model ?? null,
    run_ids: runs.map(({run_id}) => run_id),
    retries: runs.filter(({retry_number}) => retry_number !== undefined).length,
    started_at: lane.bars[0]?.from ?? null,
    ended_at: lane.bars.findLast(({state}) => state === 'working' || state === 'verifying')?.to ?? null,
    work_milliseconds: lane.work_milliseconds,
    tokens: lane.tokens,
    cost_usd: lane.cost_usd,
    change: (changing?.review_summary && changeSize(changing.review_summary)) ?? null,
    checks: run ? checksOf(run) : [],
    commit: (changing && commitOf(changing, runs)) ?? null,
    decision: run?.decision_state ?? null,
    questions: [...runs.flatMap(questionsOf), ...asked],
    waits: lane.bars.flatMap(waitOf),
    crashes: lane.marks.filter(({kind}) => kind === 'crash').length,
  };
}

/** A later run that changed nothing leaves change and commit as they were. */
function changingRun(run: RunRecord, runs: readonly RunRecord[]): RunRecord {
  const isEmpty = ({review_summary: own}: RunRecord) => own?.files.length === 0 && own.note === undefined;
  if (!isEmpty(run)) return run;
  return chainTo(run, runs).findLast((each) => each.review_summary && !isEmpty(each)) ?? run;
}

/** A commit stays: a later run without changes does not remove it. An undo does. */
function commitOf({commit: own}: RunRecord, runs: readonly RunRecord[]): CommitOutcome | undefined {
  if (own !== undefined && own.skipped !== nothingToCommit) return own;
  return runs.findLast((run) => run.commit?.sha !== undefined && !isUndone(run, runs))?.commit ?? own;
}

function checksOf({verifications = []}: RunRecord): CheckReport[] {
  const last = new Map(verifications.map((check) => [check.command, check]));
  return [...last.values()].map((check) => {
    const {command, exit_code, seconds, round, log_digest} = check;
    const tail = isPassed(check) ? [] : checkTail(check);
    return {command, passed: isPassed(check), exit_code, seconds, round, log_digest, tail};
  });
}

/** Answered and open questions; an answer outlives its question. */
function questionsOf({state, questions = [], answers = []}: RunRecord): TaskReport['questions'][number][] {
  const open = state === 'waiting' ? questions.map(({prompt}) => ({prompt, answer: null})) : [];
  return [...answers.map(({prompt = '', value}) => ({prompt, answer: value})), ...open];
}

function waitOf(bar: Lane['bars'][number]): WaitReport[] {
  const {state, from, to} = bar;
  if (!isWaitOf('waiting_limit')(bar) && !isWaitOf('waiting_outage')(bar)) return [];
  const reason = state === 'waiting_limit' ? 'limit' : 'outage';
  return [{reason, from, to, milliseconds: Date.parse(to) - Date.parse(from)}];
}

function totalsOf(timeline: Timeline | null, tasks: readonly TaskReport[]): ReportTotals {
  const none = {count: 0, milliseconds: 0};
  const sum = (value: (task: TaskReport) => number) => tasks.reduce((all, task) => all + value(task), 0);
  return {
    ...(timeline?.totals ?? {
      tokens: null,
      cost_usd: null,
      work_milliseconds: 0,
      limits: none,
      outages: none,
    }),
    files: sum(({change}) => change?.files ?? 0),
    added: sum(({change}) => change?.added ?? 0),
    removed: sum(({change}) => change?.removed ?? 0),
    commits: sum(({commit}) => (commit?.sha === undefined ? 0 : 1)),
    questions: sum(({questions}) => questions.length),
    retries: sum(({retries}) => retries),
    crashes: (timeline?.jobs ?? []).filter(({outcome}) => outcome === 'lost').length,
  };
}
