import type {Plan} from '../../../services/contracts/plan.ts';
import {type ResolvedConfig, settingOf} from '../config-resolution.ts';
import {budgetsOf} from '../run/budget.ts';
import type {Draw} from './draws.ts';
import {followBoard, type NightBoard} from './night-board.ts';
import {type LimitWindow, retryAfter, stretchOf} from './quota.ts';

export type NightRules = {
  readonly parentReview: boolean;
  /** A review that takes longer is stopped and counts as none. */
  readonly reviewMinutes: number;
  readonly stopOnFailure: boolean;
  readonly stopAfterEachTask: boolean;
  readonly retries: number;
  readonly limit: LimitWindow | null;
  /** How long a job waits for quota before it stops. */
  readonly limitMinutes: number;
};

/** What the settings say. */
export function nightRules(config: ResolvedConfig, limit: LimitWindow | null): NightRules {
  const waits = settingOf(config, 'execution.onLimit') === 'wait';
  return {
    parentReview: settingOf(config, 'execution.parentReviewEnabled'),
    reviewMinutes: settingOf(config, 'execution.reviewMinutes'),
    stopOnFailure: settingOf(config, 'execution.stopOnFailure'),
    stopAfterEachTask: settingOf(config, 'execution.stopAfterEachTask'),
    retries: settingOf(config, 'execution.retries'),
    limit,
    limitMinutes: waits ? settingOf(config, 'execution.maxLimitWaitMinutes') : 0,
  };
}

/** Whether these rules say all that the project does: they know no budget, and at a limit no agent but that of the job. */
export function knowsAll(config: ResolvedConfig, {items}: Plan, limit: LimitWindow | null): boolean {
  const {job, task} = budgetsOf(config) ?? {job: {}, task: {}};
  const isLimited = [job, task].some((budget) => Object.values(budget).some((most) => most !== null));
  return !isLimited && (limit === null || ![...items.values()].some(({agent}) => agent));
}

export type Night = {
  /** Tasks as they were begun, reviews as `review of <id>`. */
  readonly order: readonly string[];
  /** Why it stopped, in the words of a job. */
  readonly reason: string;
  /** The task that a person is needed for; null when nobody is. */
  readonly needsPerson: string | null;
  readonly done: number;
  readonly failed: readonly string[];
  readonly milliseconds: number;
  readonly costUsd: number;
};

export const reviewOf = (parentId: string) => `review of ${parentId}`;

const minute = 60_000;

/** An agent that worked for so long has gone on: what is waited for then is another wait. */
const progressMilliseconds = minute;

/**
 * One night by the rules of the plan alone, without the machines that follow them. Whoever asks for many nights lets
 * the machines live through some of them and compares.
 */
export function playNight(
  board: NightBoard,
  rules: NightRules,
  drawOf: (taskId: string, attempt: number) => Draw,
  start: number,
): Night {
  const {ids} = board;
  const plan = followBoard(board);
  // Whether a task at its checkpoint is begun again is a person's to say.
  const retries = rules.stopAfterEachTask ? 0 : rules.retries;
  const order: string[] = [];
  const failed: string[] = [];
  let time = start;
  let costUsd = 0;
  let done = 0;
  const night = (reason: string, needsPerson: string | null = null): Night => ({
    order,
    reason,
    needsPerson,
    done,
    failed,
    milliseconds: time - start,
    costUsd,
  });
  const attempts = new Map<string, number>();
  const begin = (name: string): Draw => {
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    const draw = drawOf(name, attempt);
    order.push(name);
    costUsd += draw.costUsd;
    return draw;
  };
  /** Goes to where there is quota again; false where that is later than a job waits. */
  const isWaitedFor = (resetAt: number, since: number): boolean => {
    const until = retryAfter(resetAt, time);
    if (until - since > rules.limitMinutes * minute) return false;
    time = until;
    return true;
  };
  const work = (name: string): Draw['outcome'] | 'held' => {
    const {milliseconds, outcome} = begin(name);
    let since = time;
    for (let left = milliseconds; ; ) {
      const stretch = stretchOf(time, left, rules.limit);
      time += stretch.milliseconds;
      left -= stretch.milliseconds;
      if (stretch.resetAt === null) return outcome;
      if (stretch.milliseconds >= progressMilliseconds) since = time;
      if (!isWaitedFor(stretch.resetAt, since)) return 'held';
    }
  };
  /** One that comes to its limit is begun anew. */
  const review = (name: string): 'passed' | 'overdue' | 'held' => {
    const longest = rules.reviewMinutes * minute;
    let since = time;
    for (;;) {
      const {milliseconds} = begin(name);
      const stretch = stretchOf(time, Math.min(milliseconds, longest), rules.limit);
      time += stretch.milliseconds;
      if (stretch.resetAt === null) return milliseconds < longest ? 'passed' : 'overdue';
      if (stretch.milliseconds >= progressMilliseconds) since = time;
      if (!isWaitedFor(stretch.resetAt, since)) return 'held';
    }
  };
  for (let index = plan.next(); index !== undefined; index = plan.next()) {
    const id = ids[index] ?? '';
    plan.begin(index);
    let outcome = work(id);
    for (let left = retries; outcome === 'failed' && left > 0; left--) outcome = work(id);
    if (outcome === 'held') return night('paused');
    if (outcome === 'asks') return night('waiting_user', id);
    // Its status is for the decision to say.
    if (rules.stopAfterEachTask) return night('decision_required', id);
    if (outcome === 'failed') {
      failed.push(id);
      if (rules.stopOnFailure) return night('failed');
      continue;
    }
    done += 1;
    for (let parent = plan.finish(index); parent >= 0; parent = plan.finish(parent)) {
      const verdict = rules.parentReview ? review(reviewOf(ids[parent] ?? '')) : 'passed';
      if (verdict === 'held') return night('paused');
      if (verdict === 'passed') continue;
      if (rules.stopOnFailure) return night('failed');
      break;
    }
  }
  return night('completed');
}

/**
 * The first two nights, further ones up to so many agents, and the first that ends in each way are lived through by the
 * machines; the others follow the same rules without them. Two milliseconds an agent are too much for a thousand nights.
 */
const machineNights = 2;
const machineAgents = 300;
/** To begin a night costs as much as so many agents. */
const firstAgents = 5;

/** By their numbers. */
export function nightsToLive(nights: readonly Night[]): ReadonlySet<number> {
  const reasons = new Set<string>();
  const chosen = new Set<number>();
  let agents = 0;
  for (const [number, {reason, order}] of nights.entries()) {
    agents += firstAgents + order.length;
    if (number < machineNights || agents <= machineAgents || !reasons.has(reason)) chosen.add(number);
    reasons.add(reason);
  }
  return chosen;
}
