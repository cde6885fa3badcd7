import type {JobRecord} from '../../../services/contracts/job.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {isOver} from '../plan/readiness.ts';
import type {Mark, MarkKind} from '../report/run-marks.ts';
import {type Fold, foldsIn} from '../report/time-scale.ts';
import type {Lane, Timeline, TimelineJob, Totals} from '../report/timeline.ts';
import {duration} from '../text/durations.ts';
import {laneStanding} from './job-rows.ts';
import type {Outcome, OutcomeKind} from './outcomes.ts';

/** One entry in the list of jobs. */
export type JobLine = {
  readonly job_id: string;
  readonly from: string;
  readonly to: string | null;
  readonly agent: string;
  readonly message: string;
  readonly outcome: Outcome;
};

/** Newest first. Unreadable ones are named. */
export type JobList = {
  readonly jobs: readonly JobLine[];
  readonly broken: ReadonlyArray<{readonly job_id: string; readonly reason: string}>;
};

/** The summary at the top of a job's page. */
export type JobPage = {
  readonly project: string;
  /** The last one, if several are shown together. */
  readonly job: TimelineJob;
  readonly jobs: number;
  readonly outcome: Outcome;
  readonly from: string;
  readonly to: string;
  readonly is_live: boolean;
  readonly totals: Totals;
  /** Counts over the whole plan as it is now. */
  readonly done: number;
  readonly total: number;
  /** How many tasks this job worked on, by outcome. */
  readonly lanes: number;
  readonly counts: Partial<Record<OutcomeKind, number>>;
  readonly folds: readonly Fold[];
  /** The first few; open ones come before closed ones. */
  readonly notable: readonly Notable[];
  readonly notable_total: number;
  /** What readers should know before they trust what they see. */
  readonly notices: readonly string[];
};

/** Something to look at first. `text` is untrusted. */
export type Notable = {
  readonly kind: OutcomeKind;
  readonly word: string;
  readonly task_id: string;
  readonly title: string;
  readonly run_id: string;
  readonly at: string;
  readonly text: string;
  /** Still true. */
  readonly is_open: boolean;
};

const mostNotable = 60;
/** Shorter pauses are drawn to scale, unless the whole job was short. */
const shortestFold = 10 * 60_000;

export function jobPage(timeline: Timeline, plan: Plan, project: string): Omit<JobPage, 'notices'> {
  const {from, to, lanes, totals, is_live} = timeline;
  const job = timeline.jobs.at(-1);
  if (!job) throw new Error('A timeline has at least one job');
  const notable = lanes.flatMap(notableIn).sort(byUrgency);
  const leaves = [...plan.items.values()].filter(isLeaf);
  return {
    project,
    job,
    jobs: timeline.jobs.length,
    outcome: jobOutcome(job),
    from,
    to,
    is_live,
    totals,
    done: leaves.filter(isOver).length,
    total: leaves.length,
    lanes: lanes.length,
    counts: countsOf(lanes),
    folds: foldsIn(timeline, Math.max(shortestFold, (Date.parse(to) - Date.parse(from)) / 20)),
    notable: notable.slice(0, mostNotable),
    notable_total: notable.length,
  };
}

const byUrgency = (one: Notable, other: Notable) =>
  Number(other.is_open) - Number(one.is_open) || (one.at < other.at ? -1 : 1);

function countsOf(lanes: readonly Lane[]): JobPage['counts'] {
  const counts: Partial<Record<OutcomeKind, number>> = {};
  for (const {outcome} of lanes) {
    const {kind} = laneStanding(outcome);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

export function jobLine({jobId, startedAt, endedAt, agent, end}: JobRecord, isAlive: boolean): JobLine {
  const outcome = end ? undefined : isAlive ? 'working' : 'lost';
  return {
    job_id: jobId,
    from: startedAt,
    to: endedAt ?? null,
    agent,
    message: end?.message ?? '',
    outcome: jobOutcome({
      outcome: outcome ?? (end?.reason === 'lost' ? 'lost' : 'ended'),
      reason: end?.reason ?? null,
      standing: end?.standing ?? null,
    }),
  };
}

/** What was needed at the end says more than why it stopped: a completed plan may have failed tasks. */
export function jobOutcome({
  outcome,
  reason,
  standing,
}: Pick<TimelineJob, 'outcome' | 'reason' | 'standing'>): Outcome {
  if (outcome === 'working') return {kind: 'working', word: 'working'};
  if (outcome === 'lost') return {kind: 'lost', word: 'lost'};
  return standings[standing ?? ''] ?? reasons[reason ?? ''] ?? {kind: 'ended', word: 'ended'};
}

const standings: Readonly<Record<string, Outcome>> = {
  done: {kind: 'succeeded', word: 'done'},
  failed: {kind: 'failed', word: 'something failed'},
  personNeeded: {kind: 'waiting', word: 'needs you'},
  timeNeeded: {kind: 'waiting', word: 'only time is needed'},
  paused: {kind: 'paused', word: 'paused'},
};

const reasons: Readonly<Record<string, Outcome>> = {
  completed: {kind: 'succeeded', word: 'completed'},
  error: {kind: 'failed', word: 'error'},
  failed: {kind: 'failed', word: 'failed'},
};

const markKinds = {
  failure: {kind: 'failed', word: 'failed'},
  refusal: {kind: 'refused', word: 'refused'},
  crash: {kind: 'lost', word: 'crashed'},
  question: {kind: 'waiting', word: 'asked'},
  decision: null,
  commit: null,
  undo: null,
} as const satisfies Record<MarkKind, Outcome | null>;

const openOutcomes: Readonly<Partial<Record<Lane['outcome'], readonly MarkKind[]>>> = {
  failed: ['failure'],
  refused: ['refusal'],
  waiting_answer: ['question'],
  paused: ['failure', 'crash'],
  lost: ['crash'],
};

/** Marks and long waits of one task. */
function notableIn(lane: Lane): Notable[] {
  const {task_id, title, bars, marks, outcome} = lane;
  const last = (kind: MarkKind) => marks.findLast((mark) => mark.kind === kind);
  const told = marks.flatMap((mark: Mark): Notable[] => {
    const standing = markKinds[mark.kind];
    const isOpen = mark === last(mark.kind) && (openOutcomes[outcome]?.includes(mark.kind) ?? false);
    return standing
      ? [{...standing, task_id, title, run_id: mark.run_id, at: mark.at, text: mark.text, is_open: isOpen}]
      : [];
  });
  const waited = bars.flatMap((bar): Notable[] => {
    const standing = known(barKinds, bar.state);
    const isTold = standing === undefined || (bar.state === 'checkpoint' && !bar.is_open);
    if (isTold || (bar.state === 'paused' && /^process lost$/.test(bar.text))) return [];
    const long = duration(Date.parse(bar.to) - Date.parse(bar.from));
    const text = [bar.text, bar.is_open ? '' : long].filter((part) => part !== '').join(', ');
    return [{...standing, task_id, title, run_id: bar.run_id, at: bar.from, text, is_open: bar.is_open}];
  });
  return [...told, ...waited];
}

const known = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const barKinds: Readonly<Record<string, Outcome>> = {
  waiting_limit: {kind: 'paused', word: 'limit'},
  waiting_outage: {kind: 'paused', word: 'outage'},
  checkpoint: {kind: 'waiting', word: 'decision'},
  paused: {kind: 'paused', word: 'paused'},
};
