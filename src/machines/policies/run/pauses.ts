import type {PauseReason, RunRecord} from '../../../services/contracts/run.ts';

type Pauses = Pick<RunRecord, 'pauses'>;

/** What a record says of a run that rests from now on. `paused_at` and `pause_reason` are those of its last pause. */
export function pausedFor({pauses = []}: Pauses, reason: PauseReason, now: string) {
  const pause = {paused_at: now, pause_reason: reason};
  return {...pause, state: 'paused' as const, pauses: [...pauses, pause]};
}

/** The last pause ends when its run goes on. */
export function resumedPauses({pauses}: Pauses, now: string): Pauses {
  const last = pauses?.at(-1);
  if (!pauses || !last || last.resumed_at !== undefined) return {};
  return {pauses: [...pauses.slice(0, -1), {...last, resumed_at: now}]};
}

/** A run that did not go on rests since then. */
export function reopenedPauses({pauses}: Pauses): Pauses {
  const last = pauses?.at(-1);
  if (!pauses || !last) return {};
  const {resumed_at: _, ...open} = last;
  return {pauses: [...pauses.slice(0, -1), open]};
}
