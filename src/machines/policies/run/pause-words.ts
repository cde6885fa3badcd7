import type {PauseReason} from '../../../services/contracts/run.ts';

/** Why a run is paused, for people; records and `--json` have the code. */
const words = {
  user_interrupt: 'by you',
  terminated: 'by a signal',
  process_lost: 'its process was lost',
  usage_limit: 'usage limit',
  provider_unavailable: 'the model cannot be reached',
  stalled: 'the model does not answer',
  login_required: 'a login is needed',
  billing: 'the account has no credit',
  context_full: 'its context is full',
  budget: 'its budget is used up',
  unknown_model: 'the model is not known',
} as const satisfies Record<PauseReason, string>;

export const pausedWords = (reason: PauseReason): string => `paused (${words[reason]})`;
