import type {RunRecord} from '../services/contracts/run.ts';
import type {AgentNews} from './actors/agent.actor.ts';
import type {ReceivedDecision} from './actors/hand-over.actor.ts';
import type {WaitFact} from './actors/retry-wait.actor.ts';
import type {PreparedRun} from './actors/run-situation.ts';
import type {ReviewVerdict} from './actors/settle-review.actor.ts';
import type {PauseFact, StopFact} from './chart-parts.ts';
import type {PlanFact} from './planning.ts';
import type {JobResult} from './policies/job/job-steps.ts';
import type {DecisionRequest} from './review-gate.machine.ts';

/** Events from the engine's own machine. */
export type EmittedFact =
  | {readonly type: 'job.stopped'; readonly result: JobResult}
  | PauseFact
  | StopFact
  | {readonly type: 'engine.warning'; readonly message: string};

/** Events for the views while a job runs. */
export type EngineFact =
  /** The state of a task whose Blackbird died while it was running. */
  | {readonly type: 'run.recovered'; readonly run: RunRecord}
  /** A task that the plan skips: paused, or waiting for an answer. */
  | {readonly type: 'run.resting'; readonly run: RunRecord}
  | {readonly type: 'task.started'; readonly prepared: PreparedRun}
  | {readonly type: 'run.updated'; readonly run: RunRecord}
  | {readonly type: 'task.settled'; readonly run: RunRecord}
  /** The user has to decide, with `decide` or `postpone`. Repeated with the reason after a refusal. */
  | {readonly type: 'decision.required'; readonly request: DecisionRequest}
  /** Decided in another terminal; nobody here needs to be asked. */
  | {readonly type: 'decision.received'; readonly received: ReceivedDecision}
  | {readonly type: 'review.started'; readonly prepared: PreparedRun}
  | {readonly type: 'review.settled'; readonly verdict: ReviewVerdict}
  | PlanFact
  | {readonly type: 'agent.news'; readonly run: RunRecord; readonly news: AgentNews}
  /** A limit or an outage: the job continues by itself, or on `retryNow`. */
  | WaitFact
  | PauseFact
  /** It stops after the current task. */
  | StopFact
  /** Something beside the work is broken; the work continues. */
  | {readonly type: 'engine.warning'; readonly message: string};
