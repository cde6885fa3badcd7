import type {Usage} from '../../../services/contracts/agent.ts';
import type {RunRecord, Segment} from '../../../services/contracts/run.ts';
import type {Spent} from '../../../services/contracts/usage.ts';

/** Usage as recorded. */
type Told = Pick<NonNullable<RunRecord['usage']>, keyof Usage>;

export const nothingSpent: Spent = {tokens: 0, cost_usd: 0, milliseconds: 0};

export const plus = (one: Spent, other: Spent): Spent => ({
  tokens: one.tokens + other.tokens,
  cost_usd: one.cost_usd + other.cost_usd,
  milliseconds: one.milliseconds + other.milliseconds,
});

/** The usage of an agent that ran for this long. What it did not report counts as zero. */
export const spentBy = (usage: Told | undefined, milliseconds: number): Spent => ({
  tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
  cost_usd: usage?.cost_usd ?? 0,
  milliseconds: Math.max(0, milliseconds),
});

/** The usage of a run's agents, or of those in one job. */
export const spentIn = ({segments}: Pick<RunRecord, 'segments'>, jobId?: string): Spent =>
  segments
    .filter(({job_id}) => jobId === undefined || job_id === jobId)
    .map(segmentSpent)
    .reduce(plus, nothingSpent);

/** What counts for the budget of a task: the run and those it continues. */
export const taskSpent = (run: Pick<RunRecord, 'segments' | 'spent_before'>): Spent =>
  plus(run.spent_before ?? nothingSpent, spentIn(run));

/** The end of a lost agent is unknown, so its time is not counted. */
function segmentSpent({usage, started_at, ended_at}: Segment): Spent {
  return spentBy(usage, ended_at === undefined ? 0 : Date.parse(ended_at) - Date.parse(started_at));
}

export function plusUsage(before: Told | undefined, latest: Usage): Usage {
  if (before === undefined) return latest;
  return combined(before, latest, (one, other) => one + other);
}

/** A run's usage so far: its earlier agents, and what the current one reports. */
export function usageSoFar(
  {usage, session_usage}: Pick<RunRecord, 'usage' | 'session_usage'>,
  told: Usage,
  isWholeSession: boolean,
): Usage {
  const before = isWholeSession ? (session_usage ?? usage) : undefined;
  return plusUsage(usage, before ? usageSince(told, before) : told);
}

/** The part of a total that came after an earlier total. */
export const usageSince = (total: Usage, before: Told): Usage =>
  combined(total, before, (one, other) => Math.max(0, one - other));

function combined(one: Told, other: Told, by: (one: number, other: number) => number): Usage {
  const hasCost = one.cost_usd !== undefined || other.cost_usd !== undefined;
  return {
    input_tokens: by(one.input_tokens, other.input_tokens),
    output_tokens: by(one.output_tokens, other.output_tokens),
    ...(hasCost && {cost_usd: by(one.cost_usd ?? 0, other.cost_usd ?? 0)}),
  };
}
