import type {AgentRequest} from '../../../services/contracts/agent.ts';
import type {ModelWish} from '../../../services/contracts/model-wish.ts';
import type {Answer, RunRecord, ToldTask} from '../../../services/contracts/run.ts';
import type {Decision} from '../review/decisions.ts';
import type {FeedbackMark} from '../review/parent-feedback.ts';
import type {RunStep} from './run-step.ts';
import {type AgentTimes, agentTimes} from './silence.ts';

/** What a run is told to do, with everything it takes. */
export type RunOrder =
  | {readonly type: 'run.launch'; readonly request: AgentRequest}
  | ({
      readonly type: 'run.resume' | 'run.answer' | 'run.sendBack';
      readonly request: AgentRequest;
      readonly answers?: readonly Answer[];
      readonly feedback?: string;
      readonly isReviewed?: boolean;
      /** What it is told of its task, now that this was changed. */
      readonly telling?: ToldTask;
      readonly wish?: ModelWish;
    } & FeedbackMark)
  /** Nothing is said to its agent: only its checks are made again. */
  | {readonly type: 'run.resume'; readonly isOnlyChecked: true; readonly isReviewed?: boolean}
  | {readonly type: 'run.restart' | 'run.undo'; readonly byRunId: string}
  | {readonly type: 'review.decide'; readonly decision: Decision}
  /** The decision is open again. */
  | {readonly type: 'review.withdraw'}
  /** Its task is made ready again; the run stays as it is. */
  | {readonly type: 'run.retry'};

/** What the order makes of the record. */
export function stepOf(order: RunOrder | null): RunStep {
  switch (order?.type) {
    case 'review.decide':
      return {type: 'decided', decision: order.decision};
    case 'review.withdraw':
      return {type: 'approvalWithdrawn'};
    case 'run.restart':
    case 'run.undo':
      return {type: 'superseded', byRunId: order.byRunId};
    case 'run.resume':
    case 'run.answer':
    case 'run.sendBack': {
      if ('isOnlyChecked' in order) {
        const {isReviewed} = order;
        return {type: 'checksResumed', ...(isReviewed === undefined ? {} : {isReviewed})};
      }
      const {type: _, request: __, ...words} = order;
      return {type: 'relaunched', ...words};
    }
    default:
      throw new Error('Nothing was ordered that changes the record');
  }
}

/** For the agent that the order starts. */
export function segmentInput({
  run,
  order,
  ...times
}: {
  readonly run: RunRecord;
  readonly order: RunOrder | null;
} & AgentTimes) {
  if (order === null || !('request' in order)) throw new Error('A run cannot start without a request');
  return {run, ...agentTimes(times), request: order.request};
}
