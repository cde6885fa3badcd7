import type {Task} from '../../../services/contracts/plan.ts';
import {isGoRun, type RunRecord} from '../../../services/contracts/run.ts';
import {isLeaf} from '../plan/plan-graph.ts';
import {isUndelivered, tellingRun} from '../run/task-runs.ts';
import {compareTimestamps} from '../text/timestamps.ts';

/** What a person says at a checkpoint; the names are those of `decision_state` in the record. */
export type Decision = {
  /** Of a decision that was made in another terminal: how that one finds it on the record. */
  readonly id?: string;
} & (
  | {readonly state: 'approved_continue'}
  | {readonly state: 'approved_quit'}
  | {
      readonly state: 'changes_requested';
      /** What the agent is told. */
      readonly feedback: string;
      /** The comments that are part of it. */
      readonly commentIds?: readonly string[];
    }
  | {readonly state: 'rejected'; readonly why?: string | undefined}
);

/** To try again is no verdict on the run: another one replaces it. */
export type CheckpointAnswer = Decision | {readonly state: 'retry'};

/** A checkpoint that still keeps the plan from going on. */
export type OpenDecision = {
  readonly run: RunRecord;
  /** Changes that were requested and that no agent has heard of; null when a person has to decide. */
  readonly undelivered: string | null;
};

/**
 * The checkpoint a task stands at. A status that somebody gave it by hand, a newer run and a restart are
 * all past it. Changes that the provider would not take are to be decided again.
 */
export function openDecision(task: Task, runs: readonly RunRecord[]): OpenDecision | null {
  if (task.status !== 'in_progress' || !isLeaf(task)) return null;
  const run = tellingRun(runs);
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

/** Whether a person wanted this run to end at a checkpoint; one that only its side effects made necessary was not asked for. */
export const isDecisionAsked = (
  run: Pick<RunRecord, 'decision_required' | 'decision_forced'> | null,
): boolean => run?.decision_required === true && run.decision_forced !== true;
