import type {ProviderId, Usage} from '../../../services/contracts/agent.ts';
import type {ProcessIdentity} from '../../../services/contracts/process.ts';
import {
  type Answer,
  type RunRecord,
  runSchemaVersion,
  type Segment,
} from '../../../services/contracts/run.ts';
import type {Decision} from '../review/decisions.ts';
import type {RunChange, SegmentEnd, SegmentWork} from './run-change.ts';
import {isUnheard} from './run-status.ts';

export type NewRun = {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly provider: ProviderId;
  readonly sessionRef: string;
  readonly repoRoot: string;
  readonly context: NonNullable<RunRecord['context']>;
  readonly links?: Pick<RunRecord, 'resumed_from_run_id' | 'restart_of_run_id'>;
  /** The process that launches it. */
  readonly owner?: ProcessIdentity;
  /** Makes it a review, of the children as this signature knows them. */
  readonly reviewSignature?: string;
  /** The working files before anything of the agent exists. */
  readonly baselineTree?: string;
  /** It ends at a checkpoint. */
  readonly isReviewed?: boolean;
};

/** A record that says `launching`: it is on disk before anything of the agent exists. */
export function newRunRecord(run: NewRun, now: string): RunRecord {
  return {
    schema_version: runSchemaVersion,
    run_id: run.runId,
    task_id: run.taskId,
    run_type: run.reviewSignature === undefined ? 'execute' : 'review',
    attempt: run.attempt,
    state: 'running',
    phase: 'launching',
    provider: run.provider,
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
    ...(run.isReviewed ? {decision_required: true} : {}),
  };
}

export function applyRunChange(run: RunRecord, change: RunChange, now: string): RunRecord {
  const changed = {...run, updated_at: now};
  switch (change.type) {
    case 'segmentStarted':
      return {...changed, phase: 'active', segments: [...run.segments, newSegment(change, now)]};
    case 'sessionCaptured':
      return {...changed, provider_session_ref: change.sessionRef, resumable: true};
    case 'pauseAsked':
      return {...changed, phase: 'pausing'};
    case 'paused':
      return {
        ...resting(changed, change, now),
        state: 'paused',
        paused_at: now,
        pause_reason: change.reason,
        resumable: change.resumable && run.provider_session_ref !== '',
      };
    case 'waiting': {
      // Where it stood last decides where it goes back to when it cannot go on.
      const {paused_at: _, pause_reason: __, ...rest} = resting(changed, change, now);
      return {...rest, state: 'waiting', questions: [...change.questions], result: change.result};
    }
    case 'succeeded':
      return atCheckpoint({...resting(changed, change, now), state: 'succeeded', result: change.result}, now);
    case 'failed':
      return atCheckpoint(
        {
          ...resting(changed, change, now),
          state: 'failed',
          failure: change.failure,
          ...(change.result === undefined ? {} : {result: change.result}),
        },
        now,
      );
    case 'resumeRefused': {
      const state = run.questions !== undefined && run.paused_at === undefined ? 'waiting' : 'paused';
      return {...resting(changed, change, now), state, ...run.stood, failure: change.failure};
    }
    case 'relaunched': {
      const {failure: _, paused_at, pause_reason, ...kept} = changed;
      const stood = {
        state: run.state === 'waiting' ? ('waiting' as const) : ('paused' as const),
        ...(paused_at === undefined ? {} : {paused_at}),
        ...(pause_reason === undefined ? {} : {pause_reason}),
      };
      return {
        ...kept,
        state: 'running',
        phase: 'launching',
        stood,
        ...(change.feedback === undefined ? {} : {feedback: change.feedback}),
        ...(change.parentReviewFeedback && {
          context: {
            ...(run.context ?? {digest: '', bytes: 0}),
            parentReviewFeedback: change.parentReviewFeedback,
          },
        }),
        ...(change.isReviewed === undefined ? {} : {decision_required: change.isReviewed}),
        ...(change.owner === undefined ? {} : {owner: recordedIdentity(change.owner)}),
        ...(change.answers === undefined
          ? {}
          : {answers: [...(run.answers ?? []), ...withPrompts(run, change.answers)]}),
      };
    }
    case 'neverStarted': {
      const message = 'Blackbird ended before the agent was started';
      return {...resting(changed, {end: null}, now), state: 'canceled', failure: {kind: 'stopped', message}};
    }
    case 'decided':
      return decided(changed, change.decision, now);
    case 'judged': {
      const {passed, resumeTaskIds, feedback, results} = change.answer;
      return {
        ...changed,
        parent_review_passed: passed,
        parent_review_resume_task_ids: [...resumeTaskIds],
        parent_review_feedback: feedback,
        parent_review_results: Object.fromEntries(results.map((result) => [result.task_id, result])),
      };
    }
    case 'superseded':
      return {...changed, superseded_by_run_id: change.byRunId};
    case 'reinstated': {
      const {superseded_by_run_id: _, ...kept} = changed;
      return kept;
    }
  }
}

/** The end of a run and the question what comes next are one write. Nobody asks about a run that nobody heard. */
function atCheckpoint(run: RunRecord, now: string): RunRecord {
  if (!run.decision_required || isUnheard(run)) return run;
  return {...run, decision_state: 'pending', decision_requested_at: now};
}

function decided(run: RunRecord, decision: Decision, now: string): RunRecord {
  const {decision_feedback: _, ...rest} = run;
  const resolved = {
    ...rest,
    decision_state: decision.state,
    decision_resolved_at: now,
    ...(decision.state === 'changes_requested' ? {decision_feedback: decision.feedback} : {}),
  };
  if (decision.state !== 'rejected') return resolved;
  const before = run.failure === undefined ? '' : `; it had failed: ${run.failure.message}`;
  const message = `rejected at the checkpoint${before}`;
  return {...resolved, state: 'failed', failure: {kind: 'rejected', message}};
}

/** No agent is alive: the phase is gone, where it stood before no longer matters, and the last segment has an end. */
function resting(
  run: RunRecord,
  {end, work}: {end: SegmentEnd | null; work?: SegmentWork},
  now: string,
): RunRecord {
  const {phase: _, stood: __, ...kept} = run;
  const rest = work === undefined ? kept : withWork(kept, work);
  if (end === null) return rest;
  const last = rest.segments.at(-1);
  const ended = last && {
    ...last,
    ended_at: now,
    exit_code: end.exitCode,
    signal: end.signal,
    ...(end.isLogTruncated && {log_truncated: true}),
  };
  return {
    ...rest,
    segments: ended ? [...rest.segments.slice(0, -1), ended] : rest.segments,
    stdout: end.stdout,
    stderr: end.stderr,
    exit_code: end.exitCode,
    ...(end.usage === undefined ? {} : {usage: end.isWholeSession ? end.usage : addUsage(run, end.usage)}),
  };
}

function withWork({result_tree: _, ...run}: RunRecord, {tree, summary}: SegmentWork): RunRecord {
  return {...run, ...(tree === null ? {} : {result_tree: tree}), review_summary: summary};
}

/** An answer outlives its question: a task without a session is told everything again. */
function withPrompts({questions = []}: RunRecord, answers: readonly Answer[]): Answer[] {
  return answers.map((answer) => {
    const prompt = questions.find(({id}) => id === answer.id)?.prompt;
    return prompt === undefined ? answer : {...answer, prompt};
  });
}

/** A resumed run has used what all its segments have. */
function addUsage({usage, segments}: RunRecord, latest: Usage): Usage {
  if (usage === undefined || segments.length < 2) return latest;
  const cost = (usage.cost_usd ?? 0) + (latest.cost_usd ?? 0);
  return {
    input_tokens: usage.input_tokens + latest.input_tokens,
    output_tokens: usage.output_tokens + latest.output_tokens,
    ...(usage.cost_usd === undefined && latest.cost_usd === undefined ? {} : {cost_usd: cost}),
  };
}

function newSegment(
  {identity, host, argv}: {identity: ProcessIdentity; host: string; argv: readonly string[]},
  now: string,
): Segment {
  return {
    ...recordedIdentity(identity),
    host,
    argv: [...argv],
    started_at: now,
  };
}

type RecordedIdentity = Pick<Segment, 'pid' | 'start_time' | 'boot_id' | 'pid_namespace'>;

function recordedIdentity({pid, startTime, bootId, pidNamespace}: ProcessIdentity): RecordedIdentity {
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
