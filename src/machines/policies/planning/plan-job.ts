import type {Question} from '../../../services/contracts/run.ts';
import type {StopReason} from '../job/stop-reason.ts';
import type {PlanRequest} from './plan-draft.ts';
import type {PlanOutput} from './plan-steps.ts';

/** A change to the plan that an agent proposes. `isAccepted`: saved without asking if nothing blocks it. */
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

/** The result for scripts. */
export type PlanData = {
  readonly outcome: PlanOutput['outcome'];
  readonly draft_id?: string;
  /** The planner's open questions, if any. */
  readonly questions?: readonly Question[];
};
