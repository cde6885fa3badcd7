import type {Question} from '../../../services/contracts/run.ts';
import type {StopReason} from '../job/stop-reason.ts';
import type {PlanRequest} from './plan-draft.ts';
import type {PlanOutput} from './plan-steps.ts';

/** A change of the plan that an agent proposes. `isAccepted`: what nothing blocks is saved without a question. */
export type PlanStep = {readonly type: 'plan'; readonly request: PlanRequest; readonly isAccepted?: boolean};

export const planStopReason = {
  saved: null,
  dropped: null,
  unanswered: 'waiting_user',
  undecided: 'decision_required',
  paused: 'paused',
  failed: 'failed',
  unusable: 'failed',
  error: 'error',
} as const satisfies Record<PlanOutput['outcome'], StopReason | null>;

/** What a script is told of it. */
export type PlanData = {
  readonly outcome: PlanOutput['outcome'];
  readonly draft_id?: string;
  /** What the planner waits to be told, where it asks. */
  readonly questions?: readonly Question[];
};
