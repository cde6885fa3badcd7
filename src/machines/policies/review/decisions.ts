import type {Task} from '../../../services/contracts/plan.ts';
import {isGoRun, type RunRecord} from '../../../services/contracts/run.ts';
import type {SideEffect} from '../../../services/contracts/side-effects.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {isUndelivered, latestDeliveredRun} from '../run/task-runs.ts';
import {compareTimestamps} from '../text/timestamps.ts';

/** A decision at a checkpoint; the names are those of `decision_state` in the record. */
export type Decision = {
  /** Identifies a decision made in another terminal, so that it can be found on the record. */
  readonly id?: string;
} & (
  | {
      readonly state: 'approved_continue' | 'approved_quit';
      /** What others changed since the agent ended; it is not part of what is approved. */
      readonly late?: SideEffect;
    }
  | {
      readonly state: 'changes_requested';
      /** The prompt for the agent. */
      readonly feedback: string;
      /** The comments that are part of it. */
      readonly commentIds?: readonly string[];
    }
  | {readonly state: 'rejected'; readonly why?: string | undefined}
);

/** Trying again is not a decision about the run: another run replaces it. */
export type CheckpointAnswer = Decision | {readonly state: 'retry'};

/** A checkpoint that still holds up the plan. */
export type OpenDecision = {
  readonly run: RunRecord;
  /** Requested changes that no agent has received; null if the user has to decide. */
  readonly undelivered: string | null;
};

/**
 * The checkpoint a task is at. A status set by hand, a newer run and a restart all end it. Changes that the provider
 * refused need a new decision.
 */
export function openDecision(task: Task, runs: readonly RunRecord[]): OpenDecision | null {
  if (task.status !== 'in_progress' || !isLeaf(task)) return null;
  const run = latestDeliveredRun(runs);
  if (run === null || isGoRun(run)) return null;
  if (run.decision_state === 'pending') return {run, undelivered: null};
  if (run.decision_state !== 'changes_requested') return null;
  const isRefused = runs.some(
    (each) =>
      each.attempt > run.attempt &&
      isUndelivered(each) &&
      compareTimestamps(each.created_at, run.decision_resolved_at ?? run.updated_at) >= 0,
  );
  return {run, undelivered: isRefused ? null : (run.decision_feedback ?? '')};
}

/** Whether the user wanted a checkpoint; one caused by side effects alone was not requested. */
export const isDecisionAsked = (
  run: Pick<RunRecord, 'decision_required' | 'decision_forced'> | null,
): boolean => run?.decision_required === true && run.decision_forced !== true;
