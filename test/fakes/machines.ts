import {
  type AgentEndings,
  defineAgentActor,
  defineEndEverythingActor,
  type LiveAgents,
} from '../../src/machines/actors/agent.actor.ts';
import {type CheckEndings, defineCheckActor} from '../../src/machines/actors/check.actor.ts';
import {defineCommitTaskActor} from '../../src/machines/actors/commit-task.actor.ts';
import {
  defineAskDecisionActor,
  defineCheckDecisionActor,
  defineFindDecisionActor,
  defineRecallDecisionActor,
  type OpenDecisions,
} from '../../src/machines/actors/decision.actor.ts';
import {defineFindWaitActor} from '../../src/machines/actors/find-wait.actor.ts';
import {defineReceiveDecisionActor} from '../../src/machines/actors/hand-over.actor.ts';
import {definePrepareReviewActor} from '../../src/machines/actors/prepare-review.actor.ts';
import {definePrepareRoundActor} from '../../src/machines/actors/prepare-round.actor.ts';
import {definePrepareRunActor} from '../../src/machines/actors/prepare-run.actor.ts';
import {defineRecordRunActor} from '../../src/machines/actors/record-run.actor.ts';
import {
  defineAnnounceWaitActor,
  defineForgetLimitActor,
  defineReadClockActor,
  defineRecordWaitActor,
  type OpenWaits,
} from '../../src/machines/actors/retry-wait.actor.ts';
import {
  defineCompleteParentsActor,
  defineSelectReviewActor,
} from '../../src/machines/actors/select-review.actor.ts';
import {defineSelectTaskActor} from '../../src/machines/actors/select-task.actor.ts';
import {defineSettleReviewActor} from '../../src/machines/actors/settle-review.actor.ts';
import {defineSettleTaskActor} from '../../src/machines/actors/settle-task.actor.ts';
import {
  createSpendingTracker,
  defineReadSpendingActor,
  defineWatchUseActor,
} from '../../src/machines/actors/spending.ts';
import {defineWithdrawRunActor, defineWithdrawTaskActor} from '../../src/machines/actors/withdraw.actor.ts';
import {budgetMachine} from '../../src/machines/budget.machine.ts';
import type {ExecutorInput} from '../../src/machines/executor.machine.ts';
import {parentReviewMachine} from '../../src/machines/parent-review.machine.ts';
import {retryWaitMachine} from '../../src/machines/retry-wait.machine.ts';
import {reviewGateMachine} from '../../src/machines/review-gate.machine.ts';
import {runMachine} from '../../src/machines/run.machine.ts';
import {segmentMachine} from '../../src/machines/segment.machine.ts';
import {taskMachine} from '../../src/machines/task.machine.ts';
import {verificationMachine} from '../../src/machines/verification.machine.ts';
import type {Services} from '../../src/services/contracts/services.ts';

/** The real effects over the given services, by machine; a test may leave some out. */
export function defineEffects(services: Services) {
  const live: LiveAgents = new Map();
  const endings: AgentEndings = new Map();
  const checkEndings: CheckEndings = new Map();
  const spending = createSpendingTracker(services);
  const recordRun = defineRecordRunActor({...services, endings, checkEndings, onRecorded: () => {}});
  const segment = {
    agent: defineAgentActor({...services, live, endings, spending, onNews: () => {}}),
    budget: budgetMachine.provide({
      actors: {readSpending: defineReadSpendingActor(spending), watchUse: defineWatchUseActor(spending)},
    }),
    recordRun,
    endEverything: defineEndEverythingActor({live}),
  };
  const verification = {
    check: defineCheckActor({...services, live, checkEndings}),
    recordRun,
    endEverything: defineEndEverythingActor({live}),
    prepareRound: definePrepareRoundActor(services),
  };
  const run = {segment: segmentMachine.provide({actors: segment}), recordRun};
  const openDecisions: OpenDecisions = new Map();
  const reviewGate = {
    askDecision: defineAskDecisionActor(services, openDecisions, () => {}),
    receiveDecision: defineReceiveDecisionActor(services, () => {}),
    checkDecision: defineCheckDecisionActor(services),
    run: runMachine.provide({actors: run}),
  };
  const waits: OpenWaits = new Set();
  const retryWait = retryWaitMachine.provide({
    actors: {
      announceWait: defineAnnounceWaitActor(waits, () => {}),
      recordWait: defineRecordWaitActor(services, {jobId: null, spending}),
      readClock: defineReadClockActor(services),
      forgetLimit: defineForgetLimitActor(services, () => {}),
    },
  });
  const parentReview = {
    retryWait,
    selectReview: defineSelectReviewActor(services),
    completeParents: defineCompleteParentsActor(services),
    prepareReview: definePrepareReviewActor(services, spending, () => {}),
    withdrawRun: defineWithdrawRunActor(services),
    run: runMachine.provide({actors: run}),
    settleReview: defineSettleReviewActor(services, () => {}),
  };
  const task = {
    recallDecision: defineRecallDecisionActor(services),
    reviewGate: reviewGateMachine.provide({actors: reviewGate}),
    prepareRun: definePrepareRunActor(services, spending, () => {}),
    run: runMachine.provide({actors: run}),
    verification: verificationMachine.provide({actors: verification}),
    commitTask: defineCommitTaskActor(services, () => {}),
    settleTask: defineSettleTaskActor(
      services,
      () => {},
      () => {},
    ),
    withdrawRun: defineWithdrawTaskActor(services, () => {}),
  };
  const executor = {
    findDecision: defineFindDecisionActor(services),
    selectTask: defineSelectTaskActor(services, spending),
    task: taskMachine.provide({actors: task}),
    parentReview: parentReviewMachine.provide({actors: parentReview}),
    retryWait,
  };
  const jobTask = {findWait: defineFindWaitActor(services), retryWait, task: executor.task};
  return {
    live,
    spending,
    openDecisions,
    waits,
    jobTask,
    segment,
    verification,
    run,
    reviewGate,
    parentReview,
    task,
    executor,
  };
}

import {now} from '../helpers/plans.ts';

const minute = 60_000;

/** The rules of a job with the default settings. */
export const defaultRules: Omit<ExecutorInput, 'taskIds'> = {
  provider: 'claude',
  explicitProvider: null,
  graceMilliseconds: 10_000,
  stopOnFailure: false,
  maxTasks: null,
  isAttended: false,
  reviewsParents: true,
  maxReviewCycles: 3,
  reviewMinutes: 30,
  patience: {limitMilliseconds: 6 * 60 * minute, outageMilliseconds: 60 * minute, beganAt: now},
  stallMilliseconds: 15 * minute,
  retries: 0,
  maxRefinements: 1,
};
