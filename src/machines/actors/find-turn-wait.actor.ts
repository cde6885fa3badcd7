import {fromPromise} from 'xstate';
import type {ProviderId} from '../../services/contracts/agent.ts';
import type {Services} from '../../services/contracts/services.ts';
import {limitWait, type Patience, runWait, type Wait} from '../policies/job/waiting.ts';
import {draftTaskId} from '../policies/planning/draft-task.ts';
import {isHeldForTime} from '../policies/run/retry-time.ts';
import {timeFacts} from './held-runs.ts';

export type FindTurnWaitInput = {
  readonly draftId: string;
  readonly provider: ProviderId;
  readonly patience: Patience;
  /** Its last run was held up in this job. */
  readonly isRetry: boolean;
};

/** What a planner's turn waits for: a known limit of its provider, or its own retry time. */
export function defineFindTurnWaitActor(services: Pick<Services, 'runs' | 'limits' | 'now'>) {
  return fromPromise<Wait | null, FindTurnWaitInput>(async ({input}) => {
    const {draftId, provider, patience, isRetry} = input;
    const taskId = draftTaskId(draftId);
    const last = (await services.runs.list(taskId)).runs.at(-1);
    const own = last?.provider ?? provider;
    const facts = await timeFacts(services, patience, [own]);
    if (isRetry && last && isHeldForTime(last)) return runWait(last, facts);
    // With `--no-wait` it is tried at once.
    return patience.limitMilliseconds === 0 ? null : limitWait(own, taskId, facts);
  });
}
