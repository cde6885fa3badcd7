import type {FailureKind} from '../../../services/contracts/agent.ts';
import type {PauseReason, RunRecord} from '../../../services/contracts/run.ts';
import {failureTable} from './failure-table.ts';

/** What becomes of a run whose agent failed. */
export type Fate =
  | {readonly type: 'failed'}
  /** It goes back to where it stood, paused for this reason where it is not the old one. */
  | {readonly type: 'returns'; readonly pauseReason: PauseReason | null}
  | {readonly type: 'pauses'; readonly pauseReason: PauseReason};

export type FailedSegment = {
  readonly kind: FailureKind;
  readonly runType: RunRecord['run_type'];
  /** Where the run stood before this agent; null for its first one. */
  readonly stood: 'paused' | 'waiting' | null;
  /** The model said or did something, so it heard what it was told. */
  readonly hasWorked: boolean;
};

/** What the provider could not do is not the task's failure, and a resume that nobody heard changes nothing. */
export function fateOf({kind, runType, stood, hasWorked}: FailedSegment): Fate {
  const {pauseReason} = failureTable[kind];
  const isRejected = kind === 'resume_rejected' || kind === 'spawn_failed';
  if (stood !== null && isRejected) return {type: 'returns', pauseReason: null};
  // A review is never resumed: the next one begins anew.
  if (pauseReason === null || runType === 'review') return {type: 'failed'};
  if (stood === null || hasWorked) return {type: 'pauses', pauseReason};
  return {type: 'returns', pauseReason: stood === 'waiting' ? null : pauseReason};
}
