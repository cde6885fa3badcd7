import type {Plan} from '../../../services/contracts/plan.ts';
import {type ResolvedConfig, settingOf} from '../config-resolution.ts';
import {type Budgets, budgetsOf} from '../run/budget.ts';
import type {Draw} from './draws.ts';
import {followBoard, type NightBoard} from './night-board.ts';
import {type Account, openNightBudget} from './night-budget.ts';
import {type LimitWindow, retryAfter, stretchOf} from './quota.ts';

export type NightRules = {
  readonly parentReview: boolean;
  /** A review that takes longer is stopped and does not count. */
  readonly reviewMinutes: number;
  readonly stopOnFailure: boolean;
  readonly stopAfterEachTask: boolean;
  readonly retries: number;
  readonly limit: LimitWindow | null;
  /** How long a job waits for quota before it stops. */
  readonly limitMinutes: number;
  /** Undefined if nothing is limited. */
  readonly budgets: Budgets | undefined;
};

/** The rules from the settings. */
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
    budgets: budgetsOf(config),
  };
}

/** Whether these rules cover everything in the project: at a limit they only know the job's agent. */
export const knowsAll = ({items}: Plan, limit: LimitWindow | null): boolean =>
  limit === null || ![...items.values()].some(({agent}) => agent);

export type Night = {
  /** Tasks in the order they started, reviews as `review of <id>`. */
  readonly order: readonly string[];
  /** Why it stopped, with the same names as a job. */
  readonly reason: string;
  /** The task that needs a person; null if none does. */
  readonly needsPerson: string | null;
  readonly done: number;
  readonly failed: readonly string[];
  readonly milliseconds: number;
  readonly costUsd: number;
};

export const reviewOf = (parentId: string) => `review of ${parentId}`;

const minute = 60_000;

/** An agent that worked for this long has made progress: its next wait counts as a new one. */
const progressMilliseconds = minute;

/**
 * Simulates one night by the rules of the plan alone, without the machines. The caller has the machines run some of the
 * nights and compares.
 */
export function playNight(
  board: NightBoard,
  rules: NightRules,
  drawOf: (taskId: string, attempt: number) => Draw,
  start: number,
): Night {
  const {ids} = board;
  const plan = followBoard(board);
  // At a checkpoint the user decides whether a task starts again.
  const retries = rules.stopAfterEachTask ? 0 : rules.retries;
  const order: string[] = [];
  const failed: string[] = [];
  let time = start;
  let costUsd = 0;
  let done = 0;
  let isRefused = false;
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
  /** Advances to when there is quota again; false if that is longer than a job waits. */
  const isWaitedFor = (resetAt: number, since: number): boolean => {
    const until = retryAfter(resetAt, time);
    if (until - since > rules.limitMinutes * minute) return false;
    time = until;
    return true;
  };
  const nightBudget = openNightBudget(rules.budgets);
  /** `broke`: stopped by a budget. `refused`: not continued because of one. */
  const work = (name: string, account: Account): Draw['outcome'] | 'held' | 'broke' | 'refused' => {
    const {milliseconds, outcome, costUsd: cost} = begin(name);
    let since = time;
    for (let left = milliseconds; ; ) {
      const stretch = stretchOf(time, left, rules.limit);
      const longest = nightBudget.stopsAfter(account);
      if (longest < stretch.milliseconds) {
        time += longest;
        nightBudget.pay(account, longest, 0);
        return 'broke';
      }
      time += stretch.milliseconds;
      left -= stretch.milliseconds;
      nightBudget.pay(account, stretch.milliseconds, stretch.resetAt === null ? cost : 0);
      if (stretch.resetAt === null) return outcome;
      if (nightBudget.isJobOver()) return 'held';
      if (stretch.milliseconds >= progressMilliseconds) since = time;
      if (!isWaitedFor(stretch.resetAt, since)) return 'held';
      if (nightBudget.isTaskOver(account)) return 'refused';
    }
  };
  /** A review that reaches its limit starts from scratch. */
  const review = (name: string): 'passed' | 'overdue' | 'held' => {
    const longest = rules.reviewMinutes * minute;
    let since = time;
    for (;;) {
      if (nightBudget.isJobOver()) return 'held';
      const {milliseconds, costUsd: cost} = begin(name);
      const stretch = stretchOf(time, Math.min(milliseconds, longest), rules.limit);
      const account = nightBudget.account();
      const stopped = nightBudget.stopsAfter(account);
      if (stopped < stretch.milliseconds) {
        time += stopped;
        nightBudget.pay(account, stopped, 0);
        return 'overdue';
      }
      time += stretch.milliseconds;
      const isWhole = stretch.resetAt === null && milliseconds < longest;
      nightBudget.pay(account, stretch.milliseconds, isWhole ? cost : 0);
      if (stretch.resetAt === null) return milliseconds < longest ? 'passed' : 'overdue';
      if (stretch.milliseconds >= progressMilliseconds) since = time;
      if (!isWaitedFor(stretch.resetAt, since)) return 'held';
    }
  };
  for (let index = plan.next(); index !== undefined; index = plan.next()) {
    const id = ids[index] ?? '';
    if (nightBudget.isJobOver()) return night('paused');
    plan.begin(index);
    const account = nightBudget.account();
    let outcome = work(id, account);
    for (let left = retries; outcome === 'failed' && left > 0; left--) {
      if (nightBudget.isTaskOver(account)) break;
      if (nightBudget.isJobOver()) {
        failed.push(id);
        return night('paused');
      }
      outcome = work(id, account);
    }
    if (outcome === 'held') return night('paused');
    // It is paused, and the others continue.
    if (outcome === 'broke') continue;
    if (outcome === 'refused') {
      isRefused = true;
      continue;
    }
    if (outcome === 'asks') return night('waiting_user', id);
    // The decision will set its status.
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
  return night(isRefused ? 'error' : 'completed');
}

/**
 * The machines run the first two nights, more up to this many agents, and the first night of each outcome; the others
 * follow the same rules without them. Two milliseconds per agent are too much for a thousand nights.
 */
const machineNights = 2;
const machineAgents = 300;
/** Starting a night costs as much as this many agents. */
const firstAgents = 5;
/** Of a huge plan only the first night: every other one would take as long again. */
const mostAgents = 5_000;

/** By their numbers. */
export function nightsToLive(nights: readonly Night[]): ReadonlySet<number> {
  const reasons = new Set<string>();
  const chosen = new Set<number>();
  let agents = 0;
  let lived = 0;
  for (const [number, {reason, order}] of nights.entries()) {
    const cost = firstAgents + order.length;
    agents += cost;
    const isWorthIt = number < machineNights || agents <= machineAgents || !reasons.has(reason);
    if (!isWorthIt || (number > 0 && lived + cost > mostAgents)) continue;
    chosen.add(number);
    reasons.add(reason);
    lived += cost;
  }
  return chosen;
}
