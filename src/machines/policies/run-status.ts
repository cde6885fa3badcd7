import type {TaskStatus} from '../../services/contracts/plan.ts';
import type {RunState} from '../../services/contracts/run.ts';

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
