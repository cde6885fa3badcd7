import type {AgentRequest} from '../../../services/contracts/agent.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {Decision} from '../review/decisions.ts';
import type {RelaunchDetails, RunStep} from './run-step.ts';
import {type AgentTimes, agentTimes} from './silence.ts';

/** A command for a run, with everything it needs. */
export type RunOrder =
  | {readonly type: 'run.launch'; readonly request: AgentRequest}
  | ({
      readonly type: 'run.resume' | 'run.answer' | 'run.sendBack';
      readonly request: AgentRequest;
    } & RelaunchDetails)
  /** The agent gets no prompt: only the checks run again. */
  | {readonly type: 'run.resume'; readonly isOnlyChecked: true; readonly isReviewed?: boolean}
  | {readonly type: 'run.restart' | 'run.undo'; readonly byRunId: string}
  | {readonly type: 'review.decide'; readonly decision: Decision}
  /** Reopens the decision. */
  | {readonly type: 'review.withdraw'}
  /** Makes the task ready again; the run is not changed. */
  | {readonly type: 'run.retry'};

/** The record change that a command makes. */
export function recordStep(order: RunOrder | null): RunStep {
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

/** The input for the agent that the command starts. */
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
