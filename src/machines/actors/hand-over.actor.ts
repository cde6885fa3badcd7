import {fromCallback, fromPromise} from 'xstate';
import type {PostedDecision} from '../../services/contracts/decision-inbox.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {HandOverInput, Posted} from '../hand-over.machine.ts';
import {noDecision} from '../policies/run/run-refusals.ts';
import type {CheckDecisionInput, ReviewGateCommand} from '../review-gate.machine.ts';
import {checkDecision, recallDecision} from './decision.actor.ts';
import {warnAboutUnsent} from './unsent-words.ts';

/** A decision from another terminal about a run at its checkpoint. */
export type ReceivedDecision = {
  readonly task: CheckDecisionInput['task'];
  readonly run: RunRecord;
  readonly posted: PostedDecision;
};

/** Runs beside the question here: it may be answered in another terminal. */
export function defineReceiveDecisionActor(
  {inbox}: Pick<Services, 'inbox'>,
  onReceived: (received: ReceivedDecision) => void,
) {
  return fromCallback<ReviewGateCommand, Pick<CheckDecisionInput, 'task' | 'run'>>(({input, sendBack}) =>
    inbox.watch(input.run, (posted) => {
      const {id, decision} = posted;
      sendBack({type: 'review.decide', decision: {...decision, id}});
      onReceived({...input, posted});
    }),
  );
}

/** Refused here if it cannot be carried out: the waiting terminal need not know. */
export function definePostDecisionActor(services: Services, warn: (message: string) => void) {
  return fromPromise<PostedDecision, HandOverInput>(async ({input: {taskId, decision}}) => {
    const open = await recallDecision(services, taskId);
    if (open === null) throw noDecision(taskId);
    const {task, run} = open;
    await checkDecision(services, {task, run, decision, explicitProvider: null});
    const {id: _, ...made} = decision;
    const posted: PostedDecision = {
      schema_version: 1,
      id: services.newUuid(),
      task_id: task.id,
      run_id: run.run_id,
      decision: made,
      posted_by: services.self,
    };
    if (await services.inbox.post(posted)) {
      await warnAboutUnsent(services, run, decision.state, warn);
      return posted;
    }
    throw new AppError('E_REPO_LOCKED', `another terminal is deciding on ${task.id} at this moment`, {
      next: [{command: `blackbird runs ${shellWord(task.id)}`, why: 'see what it decided'}],
    });
  });
}

/** The record decides; the inbox only tells whether anyone has taken the decision. */
export function defineLookAtPostedActor({runs, inbox}: Pick<Services, 'runs' | 'inbox'>) {
  return fromPromise<Posted, {readonly posted: PostedDecision}>(async ({input: {posted}}) => {
    const state = inbox.look(posted);
    const {runs: history} = await runs.list(posted.task_id);
    const run = history.find(({run_id}) => run_id === posted.run_id);
    if (run?.decision_id === posted.id) {
      inbox.forget(posted);
      return {state: 'decided', run};
    }
    if (run && run.decision_state !== 'pending') return {state: 'decidedElsewhere', run};
    return {state: state === 'gone' ? 'dropped' : state};
  });
}

export const defineRetractPostedActor = ({inbox}: Pick<Services, 'inbox'>) =>
  fromPromise<boolean, {readonly posted: PostedDecision}>(async ({input}) => inbox.retract(input.posted));
