import type {Failure} from '../../../services/contracts/agent.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {failureTable, isTimeNeeded, retryTime} from './failure-table.ts';
import {vendorOf} from './program.ts';

type Retry = Pick<RunRecord, 'retry_at' | 'held_up'>;

/** An agent that worked for so long has gone on: what fails now is another failure. */
const progressMilliseconds = 60_000;

/** When a run that failed goes on by itself; nothing where time alone does not help. */
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

/** Nothing is waited for any more. */
export function withoutRetry({retry_at: _, held_up: __, ...run}: RunRecord): RunRecord {
  return run;
}

/** The agent cannot continue now, and will be able to later: nobody has to do anything. */
export const isHeldForTime = ({state, failure}: Pick<RunRecord, 'state' | 'failure'>): boolean =>
  (state === 'paused' || state === 'waiting') && isTimeNeeded({failure});

/** Records of earlier versions name a reset at most: what is not known is tried at once. */
export const retryTimeOf = ({retry_at, failure, updated_at}: RunRecord): string =>
  retry_at ?? failure?.reset_at ?? updated_at;

/** A failure that another run may mend: the agent itself failed, not what it needs. */
export const isRetriable = ({failure}: Pick<RunRecord, 'failure'>): boolean =>
  failure !== undefined && failureTable[failure.kind].isRetried === true;
