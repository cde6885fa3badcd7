import type {Failure, FailureKind, ProviderId} from '../../../services/contracts/agent.ts';
import type {NextStep} from '../../../services/contracts/errors.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import {providerTable} from '../../../services/contracts/provider-table.ts';
import type {PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import {displayLine} from '../text/display-text.ts';

/** What a failure means for the run, the plan and the user. */
export type FailureRule = {
  /** The reason the run is paused for; null if it fails. */
  readonly pauseReason: PauseReason | null;
  /** Who can fix it. `time`: it passes by itself; `task`: whoever owns the task. */
  readonly actor: 'time' | 'login' | 'payment' | 'model' | 'task';
  /** The next task would fail the same way. */
  readonly stopsPlan: boolean;
  /** Another run that knows about this failure may succeed. */
  readonly isRetried?: true;
  /** Why the run is paused or failed, in a few words. */
  readonly words: string;
};

export const failureTable = {
  rate_limit: {
    pauseReason: 'usage_limit',
    actor: 'time',
    stopsPlan: true,
    words: 'the usage limit is reached',
  },
  outage: {
    pauseReason: 'provider_unavailable',
    actor: 'time',
    stopsPlan: true,
    words: 'the model cannot be reached',
  },
  stalled: {
    pauseReason: 'stalled',
    actor: 'time',
    stopsPlan: true,
    words: 'the model did not answer for too long',
  },
  auth: {pauseReason: 'login_required', actor: 'login', stopsPlan: true, words: 'a login is needed'},
  billing: {pauseReason: 'billing', actor: 'payment', stopsPlan: true, words: 'the account has no credit'},
  bad_model: {
    pauseReason: 'unknown_model',
    actor: 'model',
    stopsPlan: true,
    words: 'the chosen model cannot be used',
  },
  context_full: {
    pauseReason: 'context_full',
    actor: 'task',
    stopsPlan: false,
    words: 'the conversation is full',
  },
  own_limit: {pauseReason: 'budget', actor: 'task', stopsPlan: false, words: 'its budget is used up'},
  spawn_failed: {
    pauseReason: null,
    actor: 'task',
    stopsPlan: true,
    words: 'the agent could not be started',
  },
  resume_rejected: {
    pauseReason: null,
    actor: 'task',
    stopsPlan: false,
    words: 'the agent refused to continue its session',
  },
  agent_error: {
    pauseReason: null,
    actor: 'task',
    stopsPlan: false,
    isRetried: true,
    words: 'the agent failed',
  },
  rejected: {pauseReason: null, actor: 'task', stopsPlan: false, words: 'rejected at the checkpoint'},
  verification: {
    pauseReason: null,
    actor: 'task',
    stopsPlan: false,
    isRetried: true,
    words: 'a check failed',
  },
  stopped: {pauseReason: null, actor: 'task', stopsPlan: false, words: 'it was never started'},
} satisfies Record<FailureKind, FailureRule> as Readonly<Record<FailureKind, FailureRule>>;

/**
 * Describes a failure for people. A provider's message gets an introduction; a message from Blackbird or the agent
 * needs none.
 */
export function failureWords({kind, message}: Pick<Failure, 'kind' | 'message'>): string {
  const {words, actor} = failureTable[kind];
  if (message === '') return words;
  const isTelling = actor === 'task' && kind !== 'spawn_failed' && kind !== 'resume_rejected';
  return isTelling ? message : `${words}: ${message}`;
}

const minute = 60_000;
/** Nothing is known about the account of a custom command. */
const customLimitWaits = [5, 15, 30];
const limitWaitsOf = (provider: ProviderId): readonly number[] =>
  provider === 'custom' ? customLimitWaits : providerTable[provider].limitWaits;
const outageWaits = [0.5, 1, 2, 5, 10];

/**
 * When a failure may be retried without anyone's help; null for never. `attempt` counts from 1. `chance` is a random
 * number below 1 that spreads out clients waiting for the same outage.
 */
export function retryTime({
  kind,
  provider,
  attempt,
  resetAt,
  now,
  chance,
}: {
  readonly kind: FailureKind;
  readonly provider: ProviderId;
  readonly attempt: number;
  readonly resetAt: string | undefined;
  readonly now: string;
  readonly chance: number;
}): string | null {
  if (failureTable[kind].actor !== 'time') return null;
  if (resetAt !== undefined) return after(later(resetAt, now), margin(resetAt, now));
  if (kind === 'rate_limit') return after(now, waitOf(limitWaitsOf(provider), attempt));
  return after(now, waitOf(outageWaits, attempt) * (0.8 + 0.4 * chance));
}

/** Clocks differ, and limits are rarely lifted to the second: adds a tenth of the wait, at most a minute. */
const margin = (resetAt: string, now: string) => {
  const wait = Date.parse(resetAt) - Date.parse(now);
  return wait <= 0 ? minute : Math.min(minute, Math.max(1_000, wait / 10));
};
const waitOf = (minutes: readonly number[], attempt: number) =>
  (minutes[attempt - 1] ?? minutes.at(-1) ?? 0) * minute;
const after = (time: string, milliseconds: number) => new Date(Date.parse(time) + milliseconds).toISOString();
const later = (one: string, other: string) => (Date.parse(one) > Date.parse(other) ? one : other);

/** What happens to a run whose agent failed. */
export type FailureOutcome =
  | {readonly type: 'failed'}
  /** It returns to its earlier state, paused for this reason if that is a new one. */
  | {readonly type: 'returns'; readonly pauseReason: PauseReason | null}
  | {readonly type: 'pauses'; readonly pauseReason: PauseReason};

export type FailedSegment = {
  readonly kind: FailureKind;
  readonly runType: RunRecord['run_type'];
  /** The state of the run before this agent; null for its first one. */
  readonly stood: 'paused' | 'waiting' | null;
  /** The model said or did something, so it has read its prompt. */
  readonly hasWorked: boolean;
};

/** A provider problem is not a failure of the task, and a resume that the agent never received changes nothing. */
export function failureOutcome({kind, runType, stood, hasWorked}: FailedSegment): FailureOutcome {
  const {pauseReason} = failureTable[kind];
  const isRejected = kind === 'resume_rejected' || kind === 'spawn_failed';
  if (stood !== null && isRejected) return {type: 'returns', pauseReason: null};
  // A review is never resumed; the next one starts from scratch.
  if (pauseReason === null || runType === 'review') return {type: 'failed'};
  if (stood === null || hasWorked) return {type: 'pauses', pauseReason};
  return {type: 'returns', pauseReason: stood === 'waiting' ? null : pauseReason};
}

// The part of a run that says why its provider failed.

type FailedRun = Pick<RunRecord, 'failure'>;

/** The provider failed; nothing is wrong with the work. */
export const isByProvider = ({failure}: FailedRun): boolean =>
  failure !== undefined && failureTable[failure.kind].pauseReason !== null;

export const isHeldUp = ({state, failure}: FailedRun & Pick<RunRecord, 'state'>): boolean =>
  (state === 'paused' || state === 'waiting') && isByProvider({failure});

/** Why the run is held up; null if that is not its provider's fault. */
export const heldUpWords = (run: FailedRun & Pick<RunRecord, 'state'>): string | null =>
  run.failure && isHeldUp(run) ? failureTable[run.failure.kind].words : null;

/** Whether it only needs time. */
export const isTimeNeeded = ({failure}: FailedRun): boolean =>
  failure !== undefined && failureTable[failure.kind].actor === 'time';

type HeldUpTask = Pick<RunRecord, 'state' | 'failure'> & {
  readonly taskId: string;
  readonly next?: readonly NextStep[];
};

/**
 * For the end of a plan: why the run is held up, and the commands that help. A user who asked for the stop knows why.
 */
export function heldUpLines({taskId, state, failure, next = []}: HeldUpTask, isStopAsked = false): string[] {
  if (failure === undefined) return [];
  const {words, stopsPlan} = failureTable[failure.kind];
  const stop = stopsPlan && !isStopAsked ? ' The plan stopped: other tasks would hit the same problem.' : '';
  return [`${displayLine(taskId)} is ${state}: ${words}.${stop}`, ...stepLines(next)];
}

/** Commands as a list, each with what it does. */
export function stepLines(next: readonly NextStep[]): string[] {
  const width = Math.max(...next.map(({command}) => displayLine(command).length));
  return next.map(({command, why = ''}) => `  ${displayLine(command).padEnd(width)}  ${why}`);
}

/** The report of a failed resume: task, run, provider, session and reason. */
export function diagnosis(
  task: Pick<Task, 'id' | 'title'>,
  run: RunRecord,
  reason: string,
): Array<readonly [label: string, value: string]> {
  const since = run.state === 'paused' ? (run.paused_at ?? run.updated_at) : run.updated_at;
  return [
    ['task', `${task.id}  ${task.title}`.trimEnd()],
    ['run', `${run.run_id}  ${run.state} ${since}`],
    ['provider', run.provider],
    ['session', run.provider_session_ref === '' ? '(none)' : run.provider_session_ref],
    ['reason', reason],
  ];
}
