import type {AgentRequest, Dialect, Failure, Usage} from '../../../services/contracts/agent.ts';
import type {ReviewSummary} from '../../../services/contracts/changes.ts';
import type {CheckEnding} from '../../../services/contracts/check-runner.ts';
import type {ModelChoice} from '../../../services/contracts/model-choice.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import type {
  Answer,
  PauseReason,
  Question,
  RunRecord,
  Segment,
  TaskDigest,
} from '../../../services/contracts/run.ts';
import type {KeptSurroundings, SideEffect} from '../../../services/contracts/side-effects.ts';
import type {ReviewAnswer} from '../review/check-review-answer.ts';
import type {Decision} from '../review/decisions.ts';
import type {FeedbackMark} from '../review/parent-feedback.ts';
import {budgetFailure, type Overrun} from './budget.ts';
import {isFeedbackRun} from './task-runs.ts';
import type {CheckStep} from './verification.ts';

export type SegmentVerdict =
  | {readonly outcome: 'succeeded'}
  | {readonly outcome: 'waiting'; readonly questions: readonly Question[]}
  | {readonly outcome: 'failed'; readonly failure: Failure};

export type SegmentExit = {
  readonly verdict: SegmentVerdict;
  /** The provider has saved the session on disk. */
  readonly isSessionStored: boolean;
  /** The model said or did something. */
  readonly hasWorked: boolean;
};

/** What an agent that works on its run again is given. */
export type RelaunchDetails = {
  readonly answers?: readonly Answer[];
  readonly feedback?: string;
  readonly isReviewed?: boolean;
  /** The edited task text that the agent has not seen yet. */
  readonly telling?: TaskDigest;
  /** The model asked for with this resume; unchanged without it. */
  readonly modelChoice?: ModelChoice;
} & FeedbackMark;

/** Everything that can happen to a run, as data. Records change in no other way. */
export type RunStep =
  | {readonly type: 'segmentStarted'; readonly identity: ProcessIdentity; readonly argv: readonly string[]}
  | {readonly type: 'sessionCaptured'; readonly sessionRef: string; readonly dialect?: Dialect}
  | {readonly type: 'pauseAsked'}
  | ({
      readonly type: 'paused';
      readonly reason: PauseReason;
      readonly resumable: boolean;
      /** The reason, if Blackbird itself paused the run. */
      readonly failure?: Failure;
      /** A usage limit its agent reported along the way, independent of the reason for the pause. */
      readonly limit?: Failure;
    } & Partial<Pick<SegmentExit, 'hasWorked'>>)
  /** The user wants to retry now instead of waiting. */
  | {readonly type: 'retryAsked'}
  | ({readonly type: 'relaunched'} & RelaunchDetails)
  /** `isContinued`: the run had an earlier state and returns to it if its agent does not continue. */
  | ({
      readonly type: 'ended';
      readonly verdict: SegmentVerdict;
      readonly isContinued: boolean;
    } & Partial<Pick<SegmentExit, 'isSessionStored' | 'hasWorked'>>)
  | {readonly type: 'decided'; readonly decision: Decision}
  /** An approval is withdrawn: the run is at its checkpoint again. */
  | {readonly type: 'approvalWithdrawn'}
  /** The verdict of a review, after its answer was checked. */
  | {readonly type: 'judged'; readonly answer: ReviewAnswer}
  /** The user leaves a task as it is, despite this review. */
  | {readonly type: 'dismissed'; readonly taskId: string; readonly by: string}
  /** The user edited this review's feedback before it was delivered. */
  | {readonly type: 'feedbackEdited'; readonly taskId: string; readonly by: string; readonly feedback: string}
  | {readonly type: 'superseded'; readonly byRunId: string}
  /** The run that was to replace it never started. */
  | {readonly type: 'reinstated'}
  /** Found after a crash: recorded, but no agent was ever started. */
  | {readonly type: 'neverStarted'}
  /** Stopped before its agent was released: it returns to its earlier state; a new run is canceled. */
  | {readonly type: 'withdrawn'; readonly reason?: PauseReason; readonly failure?: Failure}
  | CheckStep;

/** What only the store's side knows when a step is written; agent output never passes through a machine. */
export type SegmentTrace = {
  readonly end?: SegmentEnd | null;
  readonly result?: string;
  readonly work?: SegmentWork;
  /** The working files before the agent is released; null if git cannot tell. */
  readonly baselineTree?: string | null;
  /** Branches, ignored files and so on at that time. */
  readonly surroundings?: KeptSurroundings;
  readonly host?: string;
  readonly owner?: ProcessIdentity | null;
  readonly check?: CheckTrace;
  /** A random number below 1 that spreads out retries. */
  readonly chance?: number;
};

/** `seconds` is the duration; `ending` is null for a check that could not be started, and `reason` says why. */
export type CheckTrace = {
  /** The files at the time of the step. */
  readonly tree?: string | null;
  readonly seconds?: number;
  readonly ending?: CheckEnding | null;
  readonly reason?: string;
  /** Side effects that happened while checks were running. */
  readonly sideEffects?: readonly SideEffect[];
};

/** What is known about an agent process after it has ended. */
export type SegmentEnd = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isLogTruncated?: boolean;
  readonly usage?: Usage;
  /** The usage includes earlier segments of the session. */
  readonly isWholeSession?: boolean;
};

/** What the task has changed in the working files so far; the tree is null if git cannot tell. */
export type SegmentWork = {
  readonly tree: string | null;
  readonly summary: ReviewSummary;
  readonly sideEffects?: readonly SideEffect[];
};

/** What a segment knows about its agent so far. */
export type SegmentFacts = {
  readonly run: RunRecord;
  readonly request: AgentRequest;
  /** `failure` is the reason, if Blackbird itself paused it. */
  readonly pause: {
    readonly reason: PauseReason;
    readonly presses: number;
    readonly failure?: Failure;
  } | null;
  readonly held: {readonly identity: ProcessIdentity; readonly argv: readonly string[]} | null;
  readonly session: {readonly ref: string; readonly dialect?: Dialect; readonly isRecorded: boolean} | null;
  readonly exit: SegmentExit | null;
  /** The agent has reported its result, which nothing changes any more. */
  readonly hasResult: boolean;
};

/** Before anything is known about the agent. */
export const nothingSeen = {pause: null, held: null, session: null, exit: null, hasResult: false} as const;

/** An interrupted agent may report a failure: that is the pause. A success always counts. */
export const afterResult = ({hasResult, pause}: SegmentFacts, isOk: boolean) => ({
  hasResult: hasResult || pause === null || isOk,
});

export const afterExit = (
  {hasResult, pause}: SegmentFacts,
  {verdict, isSessionStored, hasWorked}: SegmentExit,
) => ({exit: {verdict, isSessionStored, hasWorked}, hasResult: hasResult || pause === null});

/** The first reason counts; each further request only adds urgency. */
export const pausedBy = ({pause}: SegmentFacts, reason: PauseReason) =>
  pause ? {...pause, presses: pause.presses + 1} : {reason, presses: 1};

/** A pause for a budget, unless the run is already pausing. */
export const pausedByBudget = (
  {pause}: SegmentFacts,
  overrun: Overrun | null,
): Pick<SegmentFacts, 'pause'> | Record<string, never> =>
  pause || !overrun ? {} : {pause: {reason: 'budget', presses: 1, failure: budgetFailure(overrun)}};

export function capturedSession({
  sessionRef: ref,
  dialect,
}: {
  readonly sessionRef: string;
  readonly dialect?: Dialect;
}): NonNullable<SegmentFacts['session']> {
  return {ref, ...(dialect && {dialect}), isRecorded: false};
}

/** How a segment ended. `withdrawn`: paused before its agent was released, so nothing happened. */
export type SegmentOutput = {readonly run: RunRecord} & (
  | {readonly outcome: 'ended' | 'withdrawn'}
  | {readonly outcome: 'error'; readonly error: unknown}
);

/** The record change for each point in the life of a segment. */
export const segmentStep = {
  start: ({held}: SegmentFacts): RunStep => {
    if (held === null) throw new Error('No agent is held back');
    return {type: 'segmentStarted', ...held};
  },

  session: ({session}: SegmentFacts): RunStep => {
    if (session === null) throw new Error('No session was captured');
    const {ref, dialect} = session;
    return {type: 'sessionCaptured', sessionRef: ref, ...(dialect && {dialect})};
  },

  withdrawal: ({pause}: SegmentFacts): RunStep => ({
    type: 'withdrawn',
    reason: pause?.reason ?? 'user_interrupt',
    ...(pause?.failure && {failure: pause.failure}),
  }),

  pause: (facts: SegmentFacts): RunStep => {
    const {run, request, pause, exit} = facts;
    const failure = pause?.failure;
    // A review is never resumed: if Blackbird stops it, it has ended.
    if (failure && run.run_type === 'review')
      return segmentStep.end({...facts, exit: {...failedWith(failure), hasWorked: exit?.hasWorked === true}});
    // The session of a resumed run was confirmed earlier, whatever happened to this segment.
    const isStored = request.kind === 'resume' || exit?.isSessionStored === true;
    return {
      type: 'paused',
      reason: pause?.reason ?? 'user_interrupt',
      resumable: isStored,
      hasWorked: exit?.hasWorked === true,
      ...(failure && {failure}),
      ...(isLimited(exit) && {limit: exit.verdict.failure}),
    };
  },

  end: ({run, request, held, exit}: SegmentFacts): RunStep => {
    const seen = exit ?? failedWith({kind: 'agent_error', message: 'the agent could not be stopped'});
    const earlierSegments = run.segments.length - (held === null ? 0 : 1);
    // Feedback on an ended run creates a new run, which has no earlier state to return to: it can only fail.
    const hasStood = request.kind === 'resume' && !isFeedbackRun(run);
    // The session of a resumed run was confirmed earlier.
    const isSessionStored = request.kind === 'resume' || seen.isSessionStored;
    return {type: 'ended', ...seen, isSessionStored, isContinued: hasStood || earlierSegments > 0};
  },
} as const;

type FailedExit = SegmentExit & {readonly verdict: Extract<SegmentVerdict, {outcome: 'failed'}>};

const isLimited = (exit: SegmentExit | null): exit is FailedExit =>
  exit?.verdict.outcome === 'failed' && exit.verdict.failure.kind === 'rate_limit';

export const spawnFailure = (message: string) => failedWith({kind: 'spawn_failed', message});

function failedWith(failure: Failure): SegmentExit {
  return {verdict: {outcome: 'failed', failure}, isSessionStored: false, hasWorked: false};
}

/**
 * Whether the session survived the stop: an agent killed or lost within a second of announcing it, without a later
 * line, had not stored it yet.
 */
export function isSessionStored(facts: {
  readonly sessionSeenAt: number | null;
  readonly hasLaterLine: boolean;
  readonly killedAt: number | null;
}): boolean {
  if (facts.sessionSeenAt === null) return false;
  if (facts.killedAt === null || facts.hasLaterLine) return true;
  return facts.killedAt - facts.sessionSeenAt >= sessionStoreWindow;
}

const sessionStoreWindow = 1_000;

type RecordedIdentity = Pick<Segment, 'pid' | 'start_time' | 'boot_id' | 'pid_namespace'>;

export function recordedIdentity({pid, startTime, bootId, pidNamespace}: ProcessIdentity): RecordedIdentity {
  return {pid, start_time: startTime, boot_id: bootId, pid_namespace: pidNamespace};
}

export function identityOf(segment: RecordedIdentity): ProcessIdentity {
  return {
    pid: segment.pid,
    startTime: segment.start_time,
    bootId: segment.boot_id,
    pidNamespace: segment.pid_namespace,
  };
}
