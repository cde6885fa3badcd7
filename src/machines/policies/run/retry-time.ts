import type {Failure} from '../../../services/contracts/agent.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {vendorOf} from './agent-program.ts';
import {failureTable, isTimeNeeded, retryTime} from './failure-table.ts';

type Retry = Pick<RunRecord, 'retry_at' | 'held_up'>;

/** An agent that worked for this long has made progress: its next failure counts as a new one. */
const progressMilliseconds = 60_000;

/** When a failed run continues by itself; empty if time alone does not help. */
export function retryOf(
  run: RunRecord,
  failure: Failure,
  {now, chance, hasWorked}: {readonly now: string; readonly chance: number; readonly hasWorked: boolean},
): Retry {
  const {kind, reset_at: resetAt} = failure;
  const startedAt = run.segments.at(-1)?.started_at ?? now;
  const hasGoneOn = hasWorked && Date.parse(now) - Date.parse(startedAt) >= progressMilliseconds;
  const before = hasGoneOn ? undefined : run.held_up;
  const attempt = before?.kind === kind ? before.attempt + 1 : 1;
  const provider = vendorOf(run) ?? run.provider;
  const retryAt = retryTime({kind, provider, attempt, resetAt, now, chance});
  if (retryAt === null) return {};
  return {retry_at: retryAt, held_up: {kind, since: before?.since ?? now, attempt}};
}

/** The run no longer waits for anything. */
export function withoutRetry({retry_at: _, held_up: __, ...run}: RunRecord): RunRecord {
  return run;
}

/** The agent will be able to continue later, without anyone's help. */
export const isHeldForTime = ({state, failure}: Pick<RunRecord, 'state' | 'failure'>): boolean =>
  (state === 'paused' || state === 'waiting') && isTimeNeeded({failure});

/** Records of earlier versions have a reset time at most; without one, retry at once. */
export const retryTimeOf = ({retry_at, failure, updated_at}: RunRecord): string =>
  retry_at ?? failure?.reset_at ?? updated_at;

/** A failure that another run may fix: the agent itself failed, not something it depends on. */
export const isRetriable = ({failure}: Pick<RunRecord, 'failure'>): boolean =>
  failure !== undefined && failureTable[failure.kind].isRetried === true;
