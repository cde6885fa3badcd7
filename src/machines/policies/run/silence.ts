import {counted} from '../text/counted.ts';
import type {Budgets} from './budget.ts';
import type {SegmentFacts} from './run-step.ts';

/** How long an agent has printed nothing, and whether its last message was about a retry. */
export type Silence = {readonly milliseconds: number; readonly isRetrying: boolean};

/** How long an agent may take and what it may use. Without `stallMilliseconds` it may be silent forever. */
export type AgentTimes = {
  readonly graceMilliseconds: number;
  readonly stallMilliseconds?: number;
  readonly budgets?: Budgets;
};

/** Picks these fields. */
export const agentTimes = ({graceMilliseconds, stallMilliseconds, budgets}: AgentTimes): AgentTimes => ({
  graceMilliseconds,
  ...(stallMilliseconds === undefined ? {} : {stallMilliseconds}),
  ...(budgets && {budgets}),
});

type Pause = NonNullable<SegmentFacts['pause']>;

const minute = 60_000;
/** An agent that retries silently for this long cannot reach its model. */
const retryingLimit = 10 * minute;
/** The shortest interval between two looks. */
const shortestLook = 1_000;

/** How long until the next look at a silent agent. Without a limit, once a day. */
export function untilSilenceCheck(stallMilliseconds: number | undefined, silent: number): number {
  const limit =
    stallMilliseconds === undefined ? 24 * 60 * minute : Math.min(stallMilliseconds, retryingLimit);
  return Math.max(shortestLook, limit - silent);
}

/** The pause for an agent that was silent for too long; null while it is within its limit. */
export function silencePause(
  {milliseconds, isRetrying}: Silence,
  stallMilliseconds: number | undefined,
): Pause | null {
  if (stallMilliseconds === undefined) return null;
  const limit = isRetrying ? Math.min(stallMilliseconds, retryingLimit) : stallMilliseconds;
  if (milliseconds < limit) return null;
  const minutes = counted(Math.floor(milliseconds / minute), 'minute');
  if (isRetrying) {
    const message = `the agent could not reach its model for ${minutes}`;
    return {reason: 'provider_unavailable', presses: 1, failure: {kind: 'outage', message}};
  }
  const message = `the agent printed nothing for ${minutes}`;
  return {reason: 'stalled', presses: 1, failure: {kind: 'stalled', message}};
}
