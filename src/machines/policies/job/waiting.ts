import type {ProviderId} from '../../../services/contracts/agent.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {SeenLimit} from '../../../services/contracts/limits.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import {type ResolvedConfig, settingOf} from '../config-resolution.ts';
import {nextTask} from '../plan/readiness.ts';
import {failureTable} from '../run/failure-table.ts';
import {isHeldForTime, retryTimeOf} from '../run/retry-time.ts';
import {type TaskFacts, taskObstacle} from '../run/task-options.ts';
import {nearTime} from '../text/durations.ts';

/** How long a job waits for things that only need time. */
export type Patience = {
  readonly limitMilliseconds: number;
  readonly outageMilliseconds: number;
  /** Waits are counted from here: a new job has its full patience. */
  readonly beganAt: string;
};

const minute = 60_000;

export function patienceOf(
  config: ResolvedConfig,
  {isImpatient = false}: {readonly isImpatient?: boolean},
  beganAt: string,
): Patience {
  const waitsForLimits = !isImpatient && settingOf(config, 'execution.onLimit') === 'wait';
  return {
    limitMilliseconds: waitsForLimits ? settingOf(config, 'execution.maxLimitWaitMinutes') * minute : 0,
    outageMilliseconds: isImpatient ? 0 : settingOf(config, 'execution.maxOutageMinutes') * minute,
    beganAt,
  };
}

/** What a job waits for. Plain data, so that every view can show it. */
export type Wait = {
  /** What continues afterwards: a task, or a parent whose review is due. */
  readonly taskId: string;
  /** The run that continues afterwards; null if a new one starts. */
  readonly runId: string | null;
  readonly provider: ProviderId;
  readonly reason: PauseReason;
  readonly until: string;
  /** When it was found, which its duration is relative to. */
  readonly foundAt: string;
  /** Longer than the job may wait. */
  readonly isTooLong: boolean;
};

export type KnownLimits = ReadonlyMap<ProviderId, SeenLimit>;

/** What is known about time, providers and paused runs. */
export type TimeFacts = {
  readonly now: string;
  readonly patience: Patience;
  readonly limits: KnownLimits;
};

/** A run that continues by itself, in the way its session allows. */
export type HeldRun = {readonly run: RunRecord; readonly mode: 'resume' | 'restart'};

/**
 * How a task that only needs time continues by itself; null if the user has to act. Without a session there
 * is no work to lose; a run of another program or folder, or one that was sent back, is left alone.
 */
export function heldMode(facts: TaskFacts): HeldRun['mode'] | null {
  if (facts.run === null || !isHeldForTime(facts.run) || facts.isSentBack) return null;
  const obstacle = taskObstacle(facts, 'resume');
  if (obstacle === null) return 'resume';
  const isLost = obstacle === 'noSession' || obstacle === 'unsavedSession';
  return isLost && taskObstacle(facts, 'restart') === null ? 'restart' : null;
}

type Wanted = {
  readonly taskIds: readonly string[];
  readonly attempted: readonly string[];
  /** The provider of a task that never started. */
  readonly providerOf: (task: Task) => ProviderId;
};

export type NextTask =
  | {readonly type: 'held'; readonly held: HeldRun}
  | {readonly type: 'ready'; readonly task: Task}
  | {readonly type: 'wait'; readonly wait: Wait}
  | {readonly type: 'none'};

/**
 * What the plan continues with: a run whose time has come, then a ready task whose provider is available, then a wait
 * for whatever is available first.
 */
export function nextOf(plan: Plan, held: readonly HeldRun[], wanted: Wanted, facts: TimeFacts): NextTask {
  const waits = held.map((each) => ({held: each, wait: runWait(each.run, facts)}));
  const due = waits.find(({wait}) => wait === null);
  if (due) return {type: 'held', held: due.held};
  const blocked = waits.flatMap(({wait}) => wait ?? []);
  const blocks = (task: Task): Wait | null => {
    const provider = wanted.providerOf(task);
    return blocked.find((wait) => wait.provider === provider) ?? limitWait(provider, task.id, facts);
  };
  const task = nextTask(plan, wanted, (each) => blocks(each) === null);
  if (task) return {type: 'ready', task};
  const ready = nextTask(plan, wanted);
  const candidates = [...blocked, ...(ready ? [blocks(ready)] : [])].flatMap((wait) => wait ?? []);
  const first = earliest(candidates.filter((wait) => !wait.isTooLong)) ?? earliest(candidates);
  return first ? {type: 'wait', wait: first} : {type: 'none'};
}

/** What this run waits for; null if it may continue. */
export function runWait(run: RunRecord, facts: TimeFacts): Wait | null {
  const limit = limitWait(run.provider, run.task_id, facts);
  const kind = run.failure?.kind;
  const own: Wait = {
    taskId: run.task_id,
    runId: run.run_id,
    provider: run.provider,
    reason: (kind && failureTable[kind].pauseReason) ?? 'provider_unavailable',
    until: retryTimeOf(run),
    foundAt: facts.now,
    isTooLong: false,
  };
  const last = limit && isAfter(limit.until, own.until) ? {...limit, runId: run.run_id} : own;
  if (!isAfter(last.until, facts.now)) return null;
  return {...last, isTooLong: isTooLong(last, run.held_up?.since ?? facts.now, facts.patience)};
}

/** Why a task of this provider cannot start yet; null if nothing is known. */
export function limitWait(
  provider: ProviderId,
  taskId: string,
  {limits, now, patience}: TimeFacts,
): Wait | null {
  const until = limits.get(provider)?.until;
  if (until === undefined || !isAfter(until, now)) return null;
  const limit = {runId: null, reason: 'usage_limit', until, foundAt: now} as const;
  const wait = {...limit, taskId, provider, isTooLong: false};
  return {...wait, isTooLong: isTooLong(wait, patience.beganAt, patience)};
}

function isTooLong({reason, until}: Wait, since: string, patience: Patience): boolean {
  const {limitMilliseconds, outageMilliseconds, beganAt} = patience;
  const allowed = reason === 'usage_limit' ? limitMilliseconds : outageMilliseconds;
  const from = isAfter(since, beganAt) ? since : beganAt;
  return Date.parse(until) - Date.parse(from) > allowed;
}

const isAfter = (one: string, other: string) => Date.parse(one) > Date.parse(other);

const earliest = (waits: readonly Wait[]): Wait | undefined =>
  waits.reduce<Wait | undefined>(
    (first, wait) => (first && !isAfter(first.until, wait.until) ? first : wait),
    undefined,
  );

/** For a single task whose wait was given up. */
export function waitRefusal(
  {taskId, provider, reason, until, foundAt}: Wait,
  asked: 'resume' | 'restart',
): AppError {
  const words = reason === 'usage_limit' ? 'the usage limit is reached' : 'the model cannot be reached';
  const time = nearTime(until, foundAt);
  const command = `blackbird ${asked} ${shellWord(taskId)}`;
  return new AppError('E_PROVIDER_UNAVAILABLE', `${taskId} cannot continue before ${time}: ${words}`, {
    details: [
      ['task', taskId],
      ['provider', provider],
      ['until', until],
    ],
    next: [
      {command, why: `continue after ${time}`},
      ...(asked === 'resume' ? [{command: `${command} --no-wait`, why: 'try now'}] : []),
    ],
  });
}
