import type {Services} from '../services/contracts/services.ts';
import {
  type AgentEndings,
  defineAgentActor,
  defineEndEverythingActor,
  type LiveAgents,
} from './actors/agent.actor.ts';
import {type CheckEndings, defineCheckActor} from './actors/check.actor.ts';
import {defineCommitTaskActor} from './actors/commit-task.actor.ts';
import {
  defineAskDecisionActor,
  defineCheckDecisionActor,
  defineFindDecisionActor,
  defineRecallDecisionActor,
  type OpenDecisions,
} from './actors/decision.actor.ts';
import {defineFindWaitActor} from './actors/find-wait.actor.ts';
import {
  defineLookAtPostedActor,
  definePostDecisionActor,
  defineReceiveDecisionActor,
  defineRetractPostedActor,
} from './actors/hand-over.actor.ts';
import {
  type CurrentJob,
  defineAcquireLockActor,
  defineCloseJobActor,
  defineOpenJobActor,
  defineReleaseLockActor,
  defineResolveJobActor,
  defineWatchRequestsActor,
} from './actors/job.actor.ts';
import type {OpenPlanQuestions} from './actors/plan-draft.actor.ts';
import {definePrepareReviewActor} from './actors/prepare-review.actor.ts';
import {definePrepareRoundActor} from './actors/prepare-round.actor.ts';
import {definePrepareRunActor} from './actors/prepare-run.actor.ts';
import {defineRecordRunActor} from './actors/record-run.actor.ts';
import {defineRecoverRunsActor} from './actors/recover-runs.actor.ts';
import {
  defineAnnounceWaitActor,
  defineForgetLimitActor,
  defineReadClockActor,
  defineRecordWaitActor,
  type OpenWaits,
} from './actors/retry-wait.actor.ts';
import {defineCompleteParentsActor, defineSelectReviewActor} from './actors/select-review.actor.ts';
import {defineSelectTaskActor} from './actors/select-task.actor.ts';
import {defineSettleReviewActor} from './actors/settle-review.actor.ts';
import {defineSettleTaskActor} from './actors/settle-task.actor.ts';
import {defineReadSpendingActor, defineWatchUseActor} from './actors/spending.ts';
import {defineSurveyPlanActor} from './actors/survey-plan.actor.ts';
import {defineUndoActors} from './actors/undo.actor.ts';
import {defineWithdrawRunActor, defineWithdrawTaskActor} from './actors/withdraw.actor.ts';
import {budgetMachine} from './budget.machine.ts';
import {engineMachine} from './engine.machine.ts';
import type {EngineFact} from './engine-fact.ts';
import {executorMachine} from './executor.machine.ts';
import {handOverMachine} from './hand-over.machine.ts';
import type {JobCalls} from './job-calls.ts';
import {jobTaskMachine} from './job-task.machine.ts';
import {parentReviewMachine} from './parent-review.machine.ts';
import {providePlanning} from './planning.ts';
import {retryWaitMachine} from './retry-wait.machine.ts';
import {reviewGateMachine} from './review-gate.machine.ts';
import {runMachine} from './run.machine.ts';
import {segmentMachine} from './segment.machine.ts';
import {taskMachine} from './task.machine.ts';
import {undoMachine} from './undo.machine.ts';
import {verificationMachine} from './verification.machine.ts';

/** What is alive, open or waiting: filled by the actors, read by the engine's commands. */
export function createRegistries() {
  const live: LiveAgents = new Map();
  const endings: AgentEndings = new Map();
  const checkEndings: CheckEndings = new Map();
  const decisions: OpenDecisions = new Map();
  const plans: OpenPlanQuestions = new Map();
  const waits: OpenWaits = new Set();
  return {live, endings, checkEndings, decisions, plans, waits};
}

type Surroundings = {
  readonly registries: ReturnType<typeof createRegistries>;
  readonly job: CurrentJob;
  readonly publish: (fact: EngineFact) => void;
  readonly warn: (message: string) => void;
  readonly calls: Pick<JobCalls, 'prepare' | 'begin'>;
};

/** The engine's machine and all machines below it, with their actors. */
export function provideEngine(services: Services, {registries, job, publish, warn, calls}: Surroundings) {
  const {live, endings, checkEndings, decisions, plans, waits} = registries;
  const {spending} = job;

  const recordRun = defineRecordRunActor({
    ...services,
    endings,
    checkEndings,
    onRecorded: (run) => publish({type: 'run.updated', run}),
  });
  const segment = segmentMachine.provide({
    actors: {
      agent: defineAgentActor({
        ...services,
        live,
        endings,
        spending,
        onNews: (run, news) => publish({type: 'agent.news', run, news}),
      }),
      budget: budgetMachine.provide({
        actors: {readSpending: defineReadSpendingActor(spending), watchUse: defineWatchUseActor(spending)},
      }),
      recordRun,
      endEverything: defineEndEverythingActor({live}),
    },
  });
  const verification = verificationMachine.provide({
    actors: {
      check: defineCheckActor({...services, live, checkEndings}),
      recordRun,
      endEverything: defineEndEverythingActor({live}),
      prepareRound: definePrepareRoundActor(services),
    },
  });
  const run = runMachine.provide({actors: {segment, recordRun}});
  const reviewGate = reviewGateMachine.provide({
    actors: {
      askDecision: defineAskDecisionActor(services, decisions, (request) =>
        publish({type: 'decision.required', request}),
      ),
      receiveDecision: defineReceiveDecisionActor(services, (received) =>
        publish({type: 'decision.received', received}),
      ),
      checkDecision: defineCheckDecisionActor(services),
      run,
    },
  });
  const retryWait = retryWaitMachine.provide({
    actors: {
      announceWait: defineAnnounceWaitActor(waits, publish),
      recordWait: defineRecordWaitActor(services, job),
      readClock: defineReadClockActor(services),
      forgetLimit: defineForgetLimitActor(services, warn),
    },
  });
  const parentReview = parentReviewMachine.provide({
    actors: {
      retryWait,
      selectReview: defineSelectReviewActor(services),
      completeParents: defineCompleteParentsActor(services),
      prepareReview: definePrepareReviewActor(services, spending, (prepared) =>
        publish({type: 'review.started', prepared}),
      ),
      withdrawRun: defineWithdrawRunActor(services),
      run,
      settleReview: defineSettleReviewActor(services, (verdict) =>
        publish({type: 'review.settled', verdict}),
      ),
    },
  });
  const planGeneration = providePlanning(services, {run, retryWait, questions: plans, publish, warn});
  const task = taskMachine.provide({
    actors: {
      recallDecision: defineRecallDecisionActor(services),
      reviewGate,
      prepareRun: definePrepareRunActor(services, spending, (prepared) =>
        publish({type: 'task.started', prepared}),
      ),
      run,
      verification,
      commitTask: defineCommitTaskActor(services, (run) => publish({type: 'run.updated', run})),
      settleTask: defineSettleTaskActor(services, (run) => publish({type: 'task.settled', run}), warn),
      withdrawRun: defineWithdrawTaskActor(services, (run) => publish({type: 'task.settled', run})),
    },
  });
  return engineMachine.provide({
    actors: {
      resolveJob: defineResolveJobActor(services, warn, calls.prepare),
      acquireLock: defineAcquireLockActor(services.lock, calls.begin),
      releaseLock: defineReleaseLockActor(services.lock),
      openJob: defineOpenJobActor(services, job, warn),
      surveyPlan: defineSurveyPlanActor(services),
      closeJob: defineCloseJobActor(services, job),
      watchRequests: defineWatchRequestsActor(services, job),
      recoverRuns: defineRecoverRunsActor(
        services,
        (run) => publish({type: 'run.recovered', run}),
        (run) => publish({type: 'run.resting', run}),
      ),
      handOver: handOverMachine.provide({
        actors: {
          postDecision: definePostDecisionActor(services, warn),
          lookAtPosted: defineLookAtPostedActor(services),
          retractPosted: defineRetractPostedActor(services),
        },
      }),
      executor: executorMachine.provide({
        actors: {
          findDecision: defineFindDecisionActor(services),
          selectTask: defineSelectTaskActor(services, spending),
          task,
          parentReview,
          retryWait,
        },
      }),
      planGeneration,
      undo: undoMachine.provide({actors: {...defineUndoActors(services), run}}),
      jobTask: jobTaskMachine.provide({
        actors: {findWait: defineFindWaitActor(services), retryWait, task},
      }),
      parentReview,
    },
  });
}
