import type {ModelChoice} from '../../../services/contracts/model-choice.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import {type RunRecord, runSchemaVersion} from '../../../services/contracts/run.ts';
import type {Spent} from '../../../services/contracts/usage.ts';
import {needsDecision} from '../review/side-effects.ts';
import type {Program} from './agent-program.ts';
import {applyCheckStep, checked} from './check-record.ts';
import {decided, undecided} from './decision-record.ts';
import {failureOutcome, isByProvider, isTimeNeeded} from './failure-table.ts';
import {pausedFor, refusedWith, relaunched, returned} from './relaunch.ts';
import {retryOf, withoutRetry} from './retry-time.ts';
import type {RunStep, SegmentTrace} from './run-step.ts';
import {recordedIdentity} from './run-step.ts';
import {newSegment, resting} from './segment-record.ts';
import {markDelivered} from './task-digest.ts';
import {isUndelivered} from './task-runs.ts';
import {failureText, hasChecks, isSentBack} from './verification.ts';

export type NewRun = {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly program: Program;
  readonly sessionRef: string;
  readonly repoRoot: string;
  readonly context: NonNullable<RunRecord['context']>;
  readonly links?: Pick<RunRecord, 'resumed_from_run_id' | 'restart_of_run_id' | 'retry_number'>;
  /** The process that launches it. */
  readonly owner?: ProcessIdentity;
  /** `plan`: a planner's run, which belongs to no task. */
  readonly runType?: 'plan';
  /** Makes it a review of the children in the state this signature identifies. */
  readonly reviewSignature?: string;
  /** The working files before the agent starts. */
  readonly baselineTree?: string;
  /** The run ends at a checkpoint. */
  readonly isReviewed?: boolean;
  readonly modelChoice?: ModelChoice;
  /** The commands that check its work. */
  readonly verify?: readonly string[];
  /** From the previous run, if that one only needed time. */
  readonly heldUp?: RunRecord['held_up'];
  /** From the run whose session it continues. */
  readonly sessionUsage?: RunRecord['session_usage'];
  /** The usage of the runs that it continues. */
  readonly spentBefore?: Spent;
};

/** A new record in phase `launching`; it is on disk before the agent exists. */
export function newRunRecord(run: NewRun, now: string): RunRecord {
  return {
    schema_version: runSchemaVersion,
    run_id: run.runId,
    task_id: run.taskId,
    run_type: run.runType ?? (run.reviewSignature === undefined ? 'execute' : 'review'),
    attempt: run.attempt,
    state: 'running',
    phase: 'launching',
    ...run.program,
    ...run.modelChoice,
    provider_session_ref: run.sessionRef,
    resumable: false,
    repo_root: run.repoRoot,
    created_at: now,
    updated_at: now,
    ...run.links,
    ...(run.owner === undefined ? {} : {owner: recordedIdentity(run.owner)}),
    segments: [],
    stdout: '',
    stderr: '',
    exit_code: null,
    context: run.context,
    ...(run.reviewSignature === undefined ? {} : {parent_review_completion_signature: run.reviewSignature}),
    ...(run.baselineTree === undefined ? {} : {baseline_tree: run.baselineTree}),
    ...(run.verify?.length ? {verify: [...run.verify]} : {}),
    ...(run.isReviewed ? {decision_required: true} : {}),
    ...(run.heldUp === undefined ? {} : {held_up: run.heldUp}),
    ...(run.sessionUsage === undefined ? {} : {session_usage: run.sessionUsage}),
    ...(run.spentBefore === undefined ? {} : {spent_before: run.spentBefore}),
  };
}

/** The record after a step. `trace` holds what the step itself cannot know. */
export function applyRunStep(
  run: RunRecord,
  step: RunStep,
  now: string,
  trace: SegmentTrace = {},
): RunRecord {
  const changed = {...run, updated_at: now};
  switch (step.type) {
    case 'segmentStarted':
      return {...changed, phase: 'active', segments: [...run.segments, newSegment(step, trace, now)]};
    case 'sessionCaptured':
      return {
        ...changed,
        provider_session_ref: step.sessionRef,
        ...(step.dialect && {provider_dialect: step.dialect}),
        resumable: true,
      };
    case 'pauseAsked':
      return {...changed, phase: 'pausing'};
    case 'paused': {
      const {failure, hasWorked = false} = step;
      const rest = resting(hasWorked ? markDelivered(changed) : changed, trace, now);
      return {
        ...withoutRetry(rest),
        ...pausedFor(run, step.reason, now),
        resumable: step.resumable && run.provider_session_ref !== '',
        ...(failure && {failure, ...retryOf(run, failure, {now, hasWorked, chance: chanceIn(trace)})}),
      };
    }
    case 'ended':
      return ended(changed, step, now, trace);
    case 'relaunched':
      return relaunched(changed, step, trace);
    case 'retryAsked':
      // A run that the user paused has no retry time of its own while a known limit holds it.
      return isTimeNeeded(run) ? {...changed, retry_at: now} : changed;
    case 'neverStarted':
      return canceled(changed, 'Blackbird ended before the agent was started', now);
    case 'withdrawn': {
      // A process that was never released is not part of the run.
      const segments = run.phase === 'active' ? run.segments.slice(0, -1) : run.segments;
      const rest = resting({...changed, segments}, {}, now);
      if (run.stood) return returned(rest, run.stood);
      // Its agent has worked; the next resume tells it about the check.
      if (isSentBack({...run, segments})) {
        const {reason = 'user_interrupt', failure} = step;
        return {...rest, ...pausedFor(run, reason, now), ...(failure && {failure})};
      }
      return canceled({...changed, segments}, 'it was stopped before the agent was started', now);
    }
    case 'checkStarted':
    case 'checkEnded':
    case 'checksPaused':
    case 'checksResumed':
    case 'sentBack':
      return applyCheckStep(changed, step, now, trace);
    case 'verified':
      return atCheckpoint({...checked(changed, trace), state: 'succeeded'}, now);
    case 'unverified':
      return unverified(checked(changed, trace), untoldWords(step.because), now);
    case 'decided':
      return decided(changed, step.decision, now);
    case 'approvalWithdrawn':
      return undecided(changed, now);
    case 'judged': {
      const {passed, resumeTaskIds, feedback, results} = step.answer;
      return {
        ...changed,
        parent_review_passed: passed,
        parent_review_resume_task_ids: [...resumeTaskIds],
        parent_review_feedback: feedback,
        parent_review_results: Object.fromEntries(results.map((result) => [result.task_id, result])),
      };
    }
    case 'dismissed': {
      const {parent_review_dismissed: earlier = []} = run;
      // After a crash before the feedback file was deleted: it was already dismissed.
      if (earlier.some(({task_id}) => task_id === step.taskId)) return run;
      const dismissal = {task_id: step.taskId, dismissed_at: now, dismissed_by: step.by};
      return {...changed, parent_review_dismissed: [...earlier, dismissal]};
    }
    case 'feedbackEdited': {
      const {parent_review_edited: earlier = []} = run;
      const edit = {task_id: step.taskId, edited_at: now, edited_by: step.by, feedback: step.feedback};
      return {...changed, parent_review_edited: [...earlier, edit]};
    }
    case 'superseded':
      return {...changed, superseded_by_run_id: step.byRunId};
    case 'reinstated': {
      const {superseded_by_run_id: _, ...kept} = changed;
      return kept;
    }
  }
}

const canceled = (run: RunRecord, message: string, now: string): RunRecord => ({
  ...resting(run, {}, now),
  state: 'canceled',
  failure: {kind: 'stopped', message},
});

function ended(
  run: RunRecord,
  {verdict, isContinued, hasWorked = false, isSessionStored = false}: Extract<RunStep, {type: 'ended'}>,
  now: string,
  trace: SegmentTrace,
): RunRecord {
  const result = trace.result === undefined ? {} : {result: trace.result};
  switch (verdict.outcome) {
    case 'waiting': {
      const rest = withoutRetry(resting(markDelivered(run), withEnd(trace), now));
      return {...rest, state: 'waiting', questions: [...verdict.questions], ...result};
    }
    case 'succeeded': {
      const rest = withoutRetry(resting(markDelivered(run), withEnd(trace), now));
      if (hasChecks(run)) return {...rest, ...result, state: 'running', phase: 'verifying', checks_due: true};
      return atCheckpoint({...rest, state: 'succeeded', ...result}, now);
    }
    case 'failed': {
      const {failure} = verdict;
      const rest = withoutRetry(resting(hasWorked ? markDelivered(run) : run, trace, now));
      const retry = retryOf(run, failure, {now, hasWorked, chance: chanceIn(trace)});
      const back = isContinued ? returned(rest, run.stood) : null;
      const stood = back && (back.state === 'waiting' ? 'waiting' : 'paused');
      const outcome = failureOutcome({kind: failure.kind, runType: run.run_type, stood, hasWorked});
      switch (outcome.type) {
        case 'failed':
          return atCheckpoint(
            {...rest, ...retry, ...unstored(isSessionStored), state: 'failed', failure, ...result},
            now,
          );
        case 'returns':
          if (outcome.pauseReason === null && isSentBack(run))
            return unverified(rest, `, and its agent cannot fix it: ${failure.message}`, now);
          return {
            ...withoutRetry(back ?? rest),
            ...(outcome.pauseReason && pausedFor(run, outcome.pauseReason, now)),
            ...(isByProvider({failure}) ? {} : refusedWith(run, failure, now)),
            ...retry,
            failure,
          };
        case 'pauses': {
          const resumable = run.resumable && isSessionStored;
          return {...rest, ...retry, ...pausedFor(run, outcome.pauseReason, now), resumable, failure};
        }
      }
    }
  }
}

/** A session that was announced but never stored cannot be continued. */
const unstored = (isStored: boolean): Pick<RunRecord, 'resumable'> | object =>
  isStored ? {} : {resumable: false};

/** Defaults to the middle of the range if no random number was drawn. */
const chanceIn = ({chance = 0.5}: SegmentTrace) => chance;

/** An agent that finished by itself has an end, even if nobody saw it. */
const withEnd = (trace: SegmentTrace): SegmentTrace => ({
  ...trace,
  end: trace.end ?? {exitCode: null, signal: null, stdout: '', stderr: ''},
});

/** The end of a run and its checkpoint are one write. A run whose agent received nothing has no checkpoint. */
function atCheckpoint(run: RunRecord, now: string): RunRecord {
  const isGated = run.decision_required || needsDecision(run.side_effects);
  if (!isGated || isUndelivered(run)) return run;
  const forced = run.decision_required ? {} : {decision_forced: true};
  return {
    ...run,
    decision_required: true,
    ...forced,
    decision_state: 'pending',
    decision_requested_at: now,
  };
}

const untoldWords = (because: string | undefined): string =>
  because === undefined ? '' : `, and its agent cannot be told: ${because}`;

/** A check failed for good. */
function unverified(run: RunRecord, because: string, now: string): RunRecord {
  const failure = {kind: 'verification', message: failureText(run, because)} as const;
  return atCheckpoint({...run, state: 'failed', failure}, now);
}
