import {createActor, type InspectionEvent} from 'xstate';
import {AppError} from '../services/contracts/errors.ts';
import type {PauseReason, RunRecord} from '../services/contracts/run.ts';
import type {Services} from '../services/contracts/services.ts';
import {
  type AgentEndings,
  type AgentNews,
  defineAgentActor,
  defineEndEverythingActor,
  type LiveAgents,
} from './actors/agent.actor.ts';
import {type CheckEndings, defineCheckActor} from './actors/check.actor.ts';
import {defineCommitTaskActor} from './actors/commit-task.actor.ts';
import {
  type DecisionDesk,
  defineAskDecisionActor,
  defineCheckDecisionActor,
  defineFindDecisionActor,
  defineRecallDecisionActor,
} from './actors/decision.actor.ts';
import {defineFindWaitActor} from './actors/find-wait.actor.ts';
import {
  defineLookAtPostedActor,
  definePostDecisionActor,
  defineReceiveDecisionActor,
  defineRetractPostedActor,
  type ReceivedDecision,
} from './actors/hand-over.actor.ts';
import {
  defineAcquireLockActor,
  defineCloseJobActor,
  defineOpenJobActor,
  defineReleaseLockActor,
  defineResolveJobActor,
  defineWatchRequestsActor,
  type JobDesk,
  runsOfJob,
} from './actors/job.actor.ts';
import type {PlanDesk, PlanQuestion} from './actors/plan-draft.actor.ts';
import {definePrepareReviewActor} from './actors/prepare-review.actor.ts';
import {definePrepareRoundActor} from './actors/prepare-round.actor.ts';
import {definePrepareRunActor} from './actors/prepare-run.actor.ts';
import {defineRecordRunActor} from './actors/record-run.actor.ts';
import {defineRecoverRunsActor} from './actors/recover-runs.actor.ts';
import {
  defineAnnounceWaitActor,
  defineForgetLimitActor,
  defineReadClockActor,
  type OpenWaits,
  type WaitNews,
} from './actors/retry-wait.actor.ts';
import type {PreparedRun} from './actors/run-situation.ts';
import {defineCompleteParentsActor, defineSelectReviewActor} from './actors/select-review.actor.ts';
import {defineSelectTaskActor} from './actors/select-task.actor.ts';
import {defineSettleReviewActor, type ReviewVerdict} from './actors/settle-review.actor.ts';
import {defineSettleTaskActor} from './actors/settle-task.actor.ts';
import {createSpendingDesk, defineReadSpendingActor, defineWatchUseActor} from './actors/spending.ts';
import {defineSurveyPlanActor} from './actors/survey-plan.actor.ts';
import {defineUndoActors} from './actors/undo.actor.ts';
import {defineWithdrawRunActor, defineWithdrawTaskActor} from './actors/withdraw.actor.ts';
import {budgetMachine} from './budget.machine.ts';
import {engineMachine} from './engine.machine.ts';
import {executorMachine} from './executor.machine.ts';
import {handOverMachine} from './hand-over.machine.ts';
import {createJobCalls} from './job-calls.ts';
import {jobTaskMachine} from './job-task.machine.ts';
import {parentReviewMachine} from './parent-review.machine.ts';
import type {PlanCommand} from './plan-generation.machine.ts';
import {type PlanNews, providePlanning} from './planning.ts';
import type {Job, JobResult} from './policies/job/job-steps.ts';
import type {CheckpointAnswer} from './policies/review/decisions.ts';
import {retryWaitMachine} from './retry-wait.machine.ts';
import {type DecisionRequest, type ReviewGateCommand, reviewGateMachine} from './review-gate.machine.ts';
import {runMachine} from './run.machine.ts';
import {segmentMachine} from './segment.machine.ts';
import {taskMachine} from './task.machine.ts';
import {undoMachine} from './undo.machine.ts';
import {verificationMachine} from './verification.machine.ts';
import type {Clock} from './virtual-clock.ts';

/** What the views are told while a job runs. */
export type EngineFact =
  /** How a task stands whose Blackbird died while it was running. */
  | {readonly type: 'run.recovered'; readonly run: RunRecord}
  /** A task that the plan passes by: paused, or waiting for an answer. */
  | {readonly type: 'run.resting'; readonly run: RunRecord}
  | {readonly type: 'task.started'; readonly prepared: PreparedRun}
  | {readonly type: 'run.updated'; readonly run: RunRecord}
  | {readonly type: 'task.settled'; readonly run: RunRecord}
  /** A person has to decide: answered by `decide` or `postpone`. Told again, with the reason, after a refusal. */
  | {readonly type: 'decision.required'; readonly request: DecisionRequest}
  /** It was answered in another terminal; nobody here needs to be asked any more. */
  | {readonly type: 'decision.received'; readonly received: ReceivedDecision}
  | {readonly type: 'review.started'; readonly prepared: PreparedRun}
  | {readonly type: 'review.settled'; readonly verdict: ReviewVerdict}
  | PlanNews
  | {readonly type: 'agent.news'; readonly run: RunRecord; readonly news: AgentNews}
  /** A limit or an outage: the job goes on by itself, or when somebody calls `retryNow`. */
  | WaitNews
  | {readonly type: 'engine.pausing'; readonly reason: PauseReason; readonly isForced: boolean}
  /** Something beside the work is broken; the work goes on. */
  | {readonly type: 'engine.warning'; readonly message: string};

/** The only door to the machines, for the command line and the terminal UI alike. */
export interface Engine {
  /** Refused with `E_BUSY` while another job runs. */
  start(job: Job): Promise<JobResult>;
  /**
   * PauseActiveRun: asks to stop, again forces. Never throws, so that signal handlers can call it. A key of
   * a terminal in raw mode is one press and no more, however quickly the next one follows.
   */
  pause(reason: PauseReason, source?: 'signal' | 'key'): void;
  /** Nothing to stop, or asked before: nothing happens. */
  stopAfterTask(): void;
  /** Does not wait any longer. Throws `E_NOT_WAITING` where nothing is waited for. */
  retryNow(): void;
  /** The questions that are open now, for those who were not there when they were asked. */
  openDecisions(): readonly DecisionRequest[];
  /** Throws `E_NO_DECISION` unless this very run is the one that is asked about. */
  decide(answer: {readonly runId: string; readonly decision: CheckpointAnswer}): void;
  /** Throws `E_NO_DECISION` unless somebody is asked about this draft now. */
  answerPlan(draftId: string, command: PlanCommand): void;
  /** The drafts that somebody is asked about now. */
  openPlans(): readonly PlanQuestion[];
  /** Leaves the question open and ends the job. */
  postpone(runId: string): void;
  /** For Ctrl+Z: everything the agent runs stops with us and wakes with us. */
  suspend(): void;
  wake(): void;
  isBusy(): boolean;
  /** Tells every view and changes nothing. */
  warn(message: string): void;
  subscribe(listener: (fact: EngineFact) => void): () => void;
}

/** One key press can arrive as two signals; they are one wish. */
const debounceMilliseconds = 250;

export type EngineOptions = {
  /** Sees every actor of the engine and changes nothing; `createObserver` makes entries of it. */
  readonly inspect?: (inspection: InspectionEvent) => void;
  /** Rings every delay of the machines; the real one where it is left out. */
  readonly clock?: Clock;
};

export function createEngine(outside: Services, {inspect, clock}: EngineOptions = {}): Engine {
  const spending = createSpendingDesk(outside);
  const job: JobDesk = {jobId: null, spending};
  const services: Services = {...outside, runs: runsOfJob(outside, job)};
  const listeners = new Set<(fact: EngineFact) => void>();
  const publish = (fact: EngineFact) => {
    for (const listener of listeners) {
      try {
        listener(fact);
      } catch {
        // A view that fails must neither end an agent nor keep a pause from it.
      }
    }
  };
  const warn = (message: string) => publish({type: 'engine.warning', message});
  const calls = createJobCalls(services, warn);
  listeners.add(calls.onFact);
  const live: LiveAgents = new Map();
  const endings: AgentEndings = new Map();
  const checkEndings: CheckEndings = new Map();
  const desk: DecisionDesk = new Map();
  const plans: PlanDesk = new Map();

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
      askDecision: defineAskDecisionActor(services, desk, (request) =>
        publish({type: 'decision.required', request}),
      ),
      receiveDecision: defineReceiveDecisionActor(services, (received) =>
        publish({type: 'decision.received', received}),
      ),
      checkDecision: defineCheckDecisionActor(services),
      run,
    },
  });
  const waits: OpenWaits = new Set();
  const retryWait = retryWaitMachine.provide({
    actors: {
      announceWait: defineAnnounceWaitActor(waits, publish),
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
  const planGeneration = providePlanning(services, {run, retryWait, desk: plans, publish, warn});
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
      settleTask: defineSettleTaskActor(services, (run) => publish({type: 'task.settled', run})),
      withdrawRun: defineWithdrawTaskActor(services, (run) => publish({type: 'task.settled', run})),
    },
  });
  const actor = createActor(
    engineMachine.provide({
      actors: {
        resolveJob: defineResolveJobActor(services, warn, calls.begin),
        acquireLock: defineAcquireLockActor(services.lock),
        releaseLock: defineReleaseLockActor(services.lock),
        openJob: defineOpenJobActor(services, job),
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
            postDecision: definePostDecisionActor(services),
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
    }),
    {...(inspect ? {inspect} : {}), ...(clock ? {clock} : {})},
  );
  actor.on('engine.pausing', publish);
  actor.start();
  const answer = (runId: string, command: ReviewGateCommand) => {
    const open = desk.get(runId);
    if (!open) throw new AppError('E_NO_DECISION', `nobody asks about run ${runId}`);
    open.send(command);
  };
  let lastPause = Number.NEGATIVE_INFINITY;

  return {
    start: (asked) =>
      new Promise((resolve, reject) => {
        const command = {type: 'job.start', job: asked} as const;
        if (!actor.getSnapshot().can(command)) {
          reject(new AppError('E_BUSY', 'this Blackbird is already running a job'));
          return;
        }
        lastPause = Number.NEGATIVE_INFINITY;
        const stopped = actor.on('job.stopped', ({result}) => {
          stopped.unsubscribe();
          failed.unsubscribe();
          // The job is over; its caller lives on until the user's commands have heard of it.
          resolve(calls.end(result).then(() => result));
        });
        const failed = actor.subscribe({error: reject});
        actor.send(command);
      }),
    pause: (reason, source = 'signal') => {
      const now = services.monotonicNow();
      const isEcho = source === 'signal' && now - lastPause < debounceMilliseconds;
      if (isEcho) return;
      if (!actor.getSnapshot().hasTag('busy')) return calls.cancel();
      lastPause = now;
      actor.send({type: 'engine.pause', reason});
    },
    retryNow: () => {
      if (waits.size === 0) throw new AppError('E_NOT_WAITING', 'nothing is waited for');
      for (const wait of waits) wait.send({type: 'retry.now'});
    },
    stopAfterTask: () => {
      const command = {type: 'engine.stopAfterTask'} as const;
      if (actor.getSnapshot().can(command)) actor.send(command);
    },
    openDecisions: () => [...desk.values()].map(({request}) => request),
    decide: ({runId, decision}) =>
      answer(runId, decision.state === 'retry' ? {type: 'review.retry'} : {type: 'review.decide', decision}),
    answerPlan: (draftId, command) => {
      const open = plans.get(draftId);
      if (!open) throw new AppError('E_NO_DECISION', `nobody asks about the draft ${draftId}`);
      open.send(command);
    },
    openPlans: () => [...plans.values()].map(({question}) => question),
    postpone: (runId) => answer(runId, {type: 'review.postpone'}),
    suspend: () => {
      for (const agent of live.values()) agent.suspend();
    },
    wake: () => {
      for (const agent of live.values()) agent.wake();
      for (const wait of waits) wait.send({type: 'clock.changed'});
    },
    warn,
    isBusy: () => actor.getSnapshot().hasTag('busy'),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
