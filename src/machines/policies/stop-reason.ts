import type {FailureKind} from '../../services/contracts/agent.ts';
import type {RunRecord} from '../../services/contracts/run.ts';

/** Why a plan stopped being executed. */
export type StopReason = 'completed' | 'waiting_user' | 'paused' | 'failed' | 'error';

/** Failures that the next task would only repeat: no account, no quota, no agent. */
const repeating: ReadonlySet<FailureKind> = new Set<FailureKind>(['auth', 'rate_limit', 'spawn_failed']);

export const isHopeless = ({failure}: RunRecord): boolean =>
  failure !== undefined && repeating.has(failure.kind);
