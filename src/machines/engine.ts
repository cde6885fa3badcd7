import {createActor, type InspectionEvent} from 'xstate';
import {AppError, messageOf} from '../services/contracts/errors.ts';
import type {PauseReason} from '../services/contracts/run.ts';
import type {Services} from '../services/contracts/services.ts';
import {type CurrentJob, noteStop, runsOfJob} from './actors/job.actor.ts';
import type {PlanQuestion} from './actors/plan-draft.actor.ts';
import {createSpendingTracker} from './actors/spending.ts';
import {createRegistries, provideEngine} from './engine-actors.ts';
import type {EngineFact} from './engine-fact.ts';
import {createJobCalls} from './job-calls.ts';
import type {PlanCommand} from './plan-generation.machine.ts';
import type {Job, JobResult} from './policies/job/job-steps.ts';
import type {CheckpointAnswer} from './policies/review/decisions.ts';
import type {DecisionRequest, ReviewGateCommand} from './review-gate.machine.ts';
import type {Clock} from './virtual-clock.ts';

export type {EngineFact};

/** The only entry to the machines, for the command line and the terminal UI. */
export interface Engine {
  /** Refused with `E_BUSY` while another job runs. */
  start(job: Job): Promise<JobResult>;
  /**
   * Asks to stop; a second call forces it. Never throws, so that signal handlers can call it. A key press in raw mode
   * counts once, however quickly the next one follows.
   */
  pause(reason: PauseReason, source?: 'signal' | 'key'): void;
  /** Does nothing if there is nothing to stop, or if it was asked before. */
  stopAfterTask(): void;
  /** Ends the wait. Throws `E_NOT_WAITING` if there is none. */
  retryNow(): void;
  /** The open questions, for views that were not there when they were asked. */
  openDecisions(): readonly DecisionRequest[];
  /** Throws `E_NO_DECISION` unless this run is waiting for a decision. */
  decide(answer: {readonly runId: string; readonly decision: CheckpointAnswer}): void;
  /** Throws `E_NO_DECISION` unless this draft is waiting for an answer. */
  answerPlan(draftId: string, command: PlanCommand): void;
  /** The drafts that are waiting for an answer. */
  openPlans(): readonly PlanQuestion[];
  /** Leaves the question open and ends the job. */
  postpone(runId: string): void;
  /** For Ctrl+Z: everything the agent runs stops and continues with us. */
  suspend(): void;
  wake(): void;
  isBusy(): boolean;
  /** Tells every view and changes nothing. */
  warn(message: string): void;
  subscribe(listener: (fact: EngineFact) => void): () => void;
}

/** One key press can arrive as two signals; they count as one. */
const debounceMilliseconds = 250;

/** Why a second job is refused. */
export const alreadyBusy = () => new AppError('E_BUSY', 'this Blackbird is already running a job');

export type EngineOptions = {
  /** Sees every actor of the engine and changes nothing; `createObserver` turns it into entries. */
  readonly inspect?: (inspection: InspectionEvent) => void;
  /** Drives all delays of the machines; the real clock by default. */
  readonly clock?: Clock;
};

export function createEngine(outside: Services, {inspect, clock}: EngineOptions = {}): Engine {
  const spending = createSpendingTracker(outside);
  const job: CurrentJob = {jobId: null, spending};
  const services: Services = {...outside, runs: runsOfJob(outside, job)};
  const listeners = new Set<(fact: EngineFact) => void>();
  const publish = (fact: EngineFact) => {
    for (const listener of listeners) {
      try {
        listener(fact);
      } catch {
        // A view that fails must neither end an agent nor block a pause.
      }
    }
  };
  const warn = (message: string) => publish({type: 'engine.warning', message});
  const calls = createJobCalls(services, warn);
  listeners.add(calls.onFact);
  const registries = createRegistries();
  const {live, decisions, plans, waits} = registries;
  const actor = createActor(provideEngine(services, {registries, job, publish, warn, calls}), {
    ...(inspect ? {inspect} : {}),
    ...(clock ? {clock} : {}),
  });
  actor.on('engine.pausing', publish);
  actor.on('engine.warning', publish);
  actor.on('engine.stopping', (fact) => {
    publish(fact);
    noteStop(services, job).catch((error: unknown) =>
      warn(`other terminals could not be told about the stop: ${messageOf(error)}`),
    );
  });
  actor.start();
  const answer = (runId: string, command: ReviewGateCommand) => {
    const open = decisions.get(runId);
    if (!open) throw new AppError('E_NO_DECISION', `run ${runId} is not waiting for a decision`);
    open.send(command);
  };
  let lastPause = Number.NEGATIVE_INFINITY;

  return {
    start: (asked) =>
      new Promise((resolve, reject) => {
        const command = {type: 'job.start', job: asked} as const;
        if (!actor.getSnapshot().can(command)) {
          reject(alreadyBusy());
          return;
        }
        lastPause = Number.NEGATIVE_INFINITY;
        const stopped = actor.on('job.stopped', ({result}) => {
          stopped.unsubscribe();
          failed.unsubscribe();
          // The job is over; the promise resolves once the user's hooks have run.
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
      if (waits.size === 0) throw new AppError('E_NOT_WAITING', 'no job is waiting');
      for (const wait of waits) wait.send({type: 'retry.now'});
    },
    stopAfterTask: () => {
      const command = {type: 'engine.stopAfterTask'} as const;
      if (actor.getSnapshot().can(command)) actor.send(command);
    },
    openDecisions: () => [...decisions.values()].map(({request}) => request),
    decide: ({runId, decision}) =>
      answer(runId, decision.state === 'retry' ? {type: 'review.retry'} : {type: 'review.decide', decision}),
    answerPlan: (draftId, command) => {
      const open = plans.get(draftId);
      if (!open) throw new AppError('E_NO_DECISION', `the draft ${draftId} is not waiting for an answer`);
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
