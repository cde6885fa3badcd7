import {latestRun} from '../../../services/contracts/latest-run.ts';
import type {TaskStatus} from '../../../services/contracts/plan.ts';
import type {RunRecord, RunState} from '../../../services/contracts/run.ts';

/** What the plan says of a task once its run stands so. A paused task stays in progress. */
const statuses = {
  running: 'in_progress',
  paused: 'in_progress',
  waiting: 'waiting_user',
  succeeded: 'done',
  failed: 'failed',
  canceled: 'todo',
} as const satisfies Record<RunState, TaskStatus>;

export const statusAfter = (state: RunState): TaskStatus => statuses[state];

/** What the plan says of the task of this run. Until its checkpoint is passed, it is still at work. */
export const statusOf = ({state, decision_state}: RunRecord): TaskStatus =>
  decision_state === 'pending' || decision_state === 'changes_requested' ? 'in_progress' : statusAfter(state);

/** Made to bring feedback to a run that had ended. */
export const isFeedbackRun = ({resumed_from_run_id, feedback}: RunRecord): boolean =>
  resumed_from_run_id !== undefined && feedback !== undefined;

/** The provider refused its first segment, so nobody heard the feedback and nothing was changed. */
export const isUndelivered = (run: RunRecord): boolean =>
  isFeedbackRun(run) &&
  run.state === 'failed' &&
  run.segments.length <= 1 &&
  (run.failure?.kind === 'resume_rejected' || run.failure?.kind === 'spawn_failed');

/** The run that says how the task stands: the latest one that ran and was heard. */
export const tellingRun = (runs: readonly RunRecord[]): RunRecord | null =>
  latestRun(runs.filter((run) => !isUndelivered(run)));
