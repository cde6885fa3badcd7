import {counted} from '../text/counted.ts';
import type {Budgets} from './budget.ts';
import type {SegmentFacts} from './run-step.ts';

/** For how long an agent has printed nothing, and whether its last words were that it tries again. */
export type Silence = {readonly milliseconds: number; readonly isRetrying: boolean};

/** How long an agent may take, and what it may use. Without `stallMilliseconds` it may be silent for any time. */
export type AgentTimes = {
  readonly graceMilliseconds: number;
  readonly stallMilliseconds?: number;
  readonly budgets?: Budgets;
};

/** These alone, of whatever has them. */
export const agentTimes = ({graceMilliseconds, stallMilliseconds, budgets}: AgentTimes): AgentTimes => ({
  graceMilliseconds,
  ...(stallMilliseconds === undefined ? {} : {stallMilliseconds}),
  ...(budgets && {budgets}),
});

type Pause = NonNullable<SegmentFacts['pause']>;

const minute = 60_000;
/** An agent that tries again in silence for so long cannot reach its model. */
const retryingLimit = 10 * minute;
/** Looked at again no sooner, whatever is left. */
const shortestLook = 1_000;

/** Until it is worth looking whether an agent is silent. An agent without a limit is looked at once a day. */
export function untilSilenceCheck(stallMilliseconds: number | undefined, silent: number): number {
  const limit =
    stallMilliseconds === undefined ? 24 * 60 * minute : Math.min(stallMilliseconds, retryingLimit);
  return Math.max(shortestLook, limit - silent);
}

/** The pause that too long a silence is; null while it is short enough. */
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
