import type {AgentRequest, Failure, FailureKind} from '../../../services/contracts/agent.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import type {Answer, PauseReason, Question, RunRecord} from '../../../services/contracts/run.ts';
import type {FeedbackMark} from '../review/parent-feedback.ts';
import type {RunChange, SegmentEnd, SegmentWork} from './run-change.ts';
import {isFeedbackRun} from './run-status.ts';

export type SegmentVerdict =
  | {readonly outcome: 'succeeded'}
  | {readonly outcome: 'waiting'; readonly questions: readonly Question[]}
  | {readonly outcome: 'failed'; readonly failure: Failure};

/** How an agent ended. `isSessionStored`: the provider has the session on its own disk. */
export type SegmentExit = {readonly verdict: SegmentVerdict; readonly isSessionStored: boolean};

/** What a machine wants written down. Output never passes through it: the tails are added at the store. */
export type RunStep =
  | {readonly type: 'segmentStarted'; readonly identity: ProcessIdentity; readonly argv: readonly string[]}
  | {readonly type: 'sessionCaptured'; readonly sessionRef: string}
  | {readonly type: 'pauseAsked'}
  | {readonly type: 'paused'; readonly reason: PauseReason; readonly resumable: boolean}
  | ({
      readonly type: 'relaunched';
      readonly answers?: readonly Answer[];
      readonly feedback?: string;
      readonly isReviewed?: boolean;
    } & FeedbackMark)
  /** `isContinued`: the run stood somewhere before, and goes back there when its agent will not go on. */
  | {readonly type: 'ended'; readonly verdict: SegmentVerdict; readonly isContinued: boolean};

/** What a segment knows of its agent so far. */
export type SegmentFacts = {
  readonly run: RunRecord;
  readonly request: AgentRequest;
  readonly pause: {readonly reason: PauseReason; readonly presses: number} | null;
  readonly held: {readonly identity: ProcessIdentity; readonly argv: readonly string[]} | null;
  readonly session: {readonly ref: string; readonly isRecorded: boolean} | null;
  readonly exit: SegmentExit | null;
};

/** What a segment wants written down at each point of its life. */
export const segmentStep = {
  start: ({held}: SegmentFacts): RunStep => {
    if (held === null) throw new Error('No agent is held back');
    return {type: 'segmentStarted', ...held};
  },

  session: ({session}: SegmentFacts): RunStep => {
    if (session === null) throw new Error('No session was captured');
    return {type: 'sessionCaptured', sessionRef: session.ref};
  },

  pause: ({request, pause, exit}: SegmentFacts): RunStep => {
    // A session that is resumed was confirmed before, whatever happened to this segment.
    const isStored = request.kind === 'resume' || exit?.isSessionStored === true;
    return {type: 'paused', reason: pause?.reason ?? 'user_interrupt', resumable: isStored};
  },

  end: ({run, request, held, exit}: SegmentFacts): RunStep => {
    const {verdict} = exit ?? failedWith({kind: 'agent_error', message: 'the agent could not be stopped'});
    const earlierSegments = run.segments.length - (held === null ? 0 : 1);
    // Feedback on a run that ended made a new one: that stood nowhere before, so it can only fail.
    const hasStood = request.kind === 'resume' && !isFeedbackRun(run);
    return {type: 'ended', verdict, isContinued: hasStood || earlierSegments > 0};
  },
} as const;

export const spawnFailure = (message: string) => failedWith({kind: 'spawn_failed', message});

function failedWith(failure: Failure): SegmentExit {
  return {verdict: {outcome: 'failed', failure}, isSessionStored: false};
}

/** The step as it changes the record, with what the agent left behind. */
export function changeFor(
  step: RunStep,
  {
    end,
    result,
    host,
    self = null,
    work,
  }: {
    end: SegmentEnd | null;
    result: string;
    host: string;
    self?: ProcessIdentity | null;
    work?: SegmentWork;
  },
): RunChange {
  switch (step.type) {
    case 'segmentStarted':
      return {...step, host};
    case 'relaunched':
      return self === null ? step : {...step, owner: self};
    case 'paused':
      return {...step, end, ...(work && {work})};
    case 'ended':
      return {...endChange(step.verdict, step.isContinued, end, result), ...(work && {work})};
    default:
      return step;
  }
}

/** The work stands where it stood, and can go on once the provider lets it. */
const passing: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'resume_rejected',
  'spawn_failed',
  'auth',
  'rate_limit',
]);

const noEnd: SegmentEnd = {exitCode: null, signal: null, stdout: '', stderr: ''};

function endChange(
  verdict: SegmentVerdict,
  isContinued: boolean,
  end: SegmentEnd | null,
  result: string,
): Extract<RunChange, {type: 'waiting' | 'succeeded' | 'failed' | 'resumeRefused'}> {
  switch (verdict.outcome) {
    case 'waiting':
      return {type: 'waiting', questions: verdict.questions, end: end ?? noEnd, result};
    case 'succeeded':
      return {type: 'succeeded', end: end ?? noEnd, result};
    case 'failed': {
      const {failure} = verdict;
      return isContinued && passing.has(failure.kind)
        ? {type: 'resumeRefused', failure, end}
        : {type: 'failed', failure, end, result};
    }
  }
}
