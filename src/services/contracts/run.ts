import * as z from 'zod';
import {failureKinds, providerIds} from './agent.ts';
import {reviewSummarySchema} from './changes.ts';
import {commitOutcomeSchema} from './commit.ts';
import {runProviderIds} from './provider-table.ts';
import {
  dismissalSchema,
  feedbackEditSchema,
  feedbackMarkSchema,
  type ReviewResult,
  reviewResultSchema,
} from './review-record.ts';
import {keptSurroundingsSchema, sideEffectSchema} from './side-effects.ts';
import {taskStatuses} from './task-status.ts';
import {spentSchema, usageSchema} from './usage.ts';
import {liveCheckSchema, verificationSchema} from './verification.ts';

export {isGoRun, latestRun} from './latest-run.ts';
export {type ReviewResult, reviewResultSchema};

export const runSchemaVersion = 1;

export const runStates = ['running', 'waiting', 'paused', 'succeeded', 'failed', 'canceled'] as const;
export type RunState = (typeof runStates)[number];

export const pauseReasons = [
  'user_interrupt',
  'terminated',
  'process_lost',
  /** What the provider could not do; `failure` says more. */
  'usage_limit',
  'provider_unavailable',
  'stalled',
  'login_required',
  'billing',
  'context_full',
  'budget',
  'unknown_model',
] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** How the checkpoint after a run stands. */
export const decisionStates = [
  'pending',
  'approved_continue',
  'approved_quit',
  'changes_requested',
  'rejected',
] as const;
export type DecisionState = (typeof decisionStates)[number];

/** Something the agent asked; answered by one of the options or in free text. */
export const questionSchema = z.looseObject({
  id: z.string().min(1),
  prompt: z.string().min(1),
  options: z.array(z.string()).optional(),
});
export type Question = z.infer<typeof questionSchema>;

export const answerSchema = z.looseObject({
  id: z.string().min(1),
  value: z.string(),
  /** What was asked. */
  prompt: z.string().optional(),
  /** Given, but the agent never went on with it: it is said again. */
  undelivered: z.boolean().optional(),
});
export type Answer = z.infer<typeof answerSchema>;

/** One agent process inside a run; a resumed run has several. */
export const segmentSchema = z.looseObject({
  pid: z.int(),
  start_time: z.string(),
  boot_id: z.string(),
  pid_namespace: z.string(),
  host: z.string(),
  /** Without the prompt, which travels through stdin. */
  argv: z.array(z.string()),
  started_at: z.string(),
  ended_at: z.string().optional(),
  exit_code: z.int().nullable().optional(),
  signal: z.string().nullable().optional(),
  /** Not all of its output could be written to the log files. */
  log_truncated: z.boolean().optional(),
  /** Git trees of the working files before its agent was told to go and after it ended. */
  baseline_tree: z.string().optional(),
  result_tree: z.string().optional(),
  /** What was around the files when its agent was told to go; only while it is at work. */
  surroundings: keptSurroundingsSchema.optional().catch(undefined),
  /** What this process used, as far as its agent told. */
  usage: usageSchema.optional(),
  /** The job that started it. */
  job_id: z.string().optional(),
});
export type Segment = z.infer<typeof segmentSchema>;

const failureSchema = z.looseObject({
  kind: z.enum(failureKinds),
  message: z.string(),
  reset_at: z.string().optional(),
  /** The setting whose limit was reached. */
  setting: z.string().optional(),
});

const heldUpSchema = z.looseObject({
  kind: z.enum(failureKinds),
  since: z.string(),
  attempt: z.int().min(1),
});

/** What an agent was told of its task: a digest for each field, so that a later change is seen. */
export const toldTaskSchema = z.looseObject({
  title: z.string(),
  prompt: z.string(),
  description: z.string(),
  acceptanceCriteria: z.string(),
});
export type ToldTask = z.infer<typeof toldTaskSchema>;

/** One attempt at a task, the only truth about it. Fields this version does not know are kept. */
export const runRecordSchema = z.looseObject({
  schema_version: z.literal(runSchemaVersion),
  run_id: z.string().min(1),
  task_id: z.string().min(1),
  /** An undo has no agent: it takes back what other runs did to the files. `plan`: one turn of a planner. */
  run_type: z.enum(['execute', 'review', 'undo', 'plan']),
  /** The latest run is the one with the highest attempt, whatever the clock says. */
  attempt: z.int().min(1),
  state: z.enum(runStates),
  /** `verifying`: its agent has done its work, and the checks are being made. */
  phase: z.enum(['launching', 'active', 'pausing', 'verifying']).optional(),
  provider: z.enum(runProviderIds),
  /** Provider `custom` only: the command that ran. Its sessions are this command's and nobody else's. */
  custom_command: z.string().optional(),
  /** Whose session line the custom command printed, and so whose session it is. */
  provider_dialect: z.enum(providerIds).optional(),
  /** What was asked of the agent; it chooses itself where nothing was. */
  model: z.string().optional(),
  effort: z.string().optional(),
  provider_session_ref: z.string(),
  resumable: z.boolean(),
  repo_root: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  paused_at: z.string().optional(),
  pause_reason: z.enum(pauseReasons).optional(),
  resumed_from_run_id: z.string().optional(),
  restart_of_run_id: z.string().optional(),
  superseded_by_run_id: z.string().optional(),
  /** The job that worked on it last. */
  job_id: z.string().optional(),
  /** It was begun by Blackbird because the run before it failed: the first such run of the task is 1. */
  retry_number: z.int().min(1).optional(),
  /** The Blackbird that launched it last: while that lives, nobody else repairs the run. */
  owner: z
    .looseObject({pid: z.int(), start_time: z.string(), boot_id: z.string(), pid_namespace: z.string()})
    .optional(),
  /** Every time it rested, the last one at the end; `resumed_at` tells for how long. */
  pauses: z
    .array(
      z.looseObject({
        paused_at: z.string(),
        pause_reason: z.enum(pauseReasons),
        resumed_at: z.string().optional(),
      }),
    )
    .optional(),
  /** Every time its agent would not go on, oldest first; `failure` has the last one, until it goes on. */
  refusals: z
    .array(z.looseObject({refused_at: z.string(), message: z.string()}))
    .optional()
    .catch(undefined),
  /** What a person asked to be done differently; said again until the agent has come to an end with it. */
  feedback: z.string().optional(),
  /** The run waits for answers, and its agent did not hear this feedback: said with the next resume. */
  feedback_undelivered: z.boolean().optional(),
  /** The comments on lines that its feedback carries. */
  comment_ids: z.array(z.string()).optional().catch(undefined),
  /** Where a run that goes on stood before; it goes back there when its agent will not go on. */
  stood: z
    .looseObject({
      state: z.enum(['paused', 'waiting']),
      paused_at: z.string().optional(),
      pause_reason: z.enum(pauseReasons).optional(),
      failure: failureSchema.optional(),
      retry_at: z.string().optional(),
      /** How many answers its agent had heard. */
      answered: z.int().optional(),
      feedback: z.string().optional(),
      parentReviewFeedback: feedbackMarkSchema.optional(),
      checks_due: z.boolean().optional(),
    })
    .optional(),
  segments: z.array(segmentSchema),
  stdout: z.string(),
  stderr: z.string(),
  exit_code: z.int().nullable(),
  failure: failureSchema.optional(),
  /** When it goes on by itself: set while only time keeps it from that. */
  retry_at: z.string().optional(),
  /** Since when the provider could not do it, and how often in a row it was tried; a run that works ends it. */
  held_up: heldUpSchema.optional(),
  questions: z.array(questionSchema).optional(),
  answers: z.array(answerSchema).optional(),
  /** Of all its segments. */
  usage: usageSchema.optional(),
  /** Where the agent counts its whole session: what it told last, so that nothing is counted twice. */
  session_usage: usageSchema.optional(),
  /** What the runs had used that it goes on from; the budget of the task counts them too. */
  spent_before: spentSchema.optional(),
  /** Of the context the agent got, so that two runs can be compared without keeping the prompt. */
  context: z
    .looseObject({
      digest: z.string(),
      bytes: z.int(),
      /** What the agent has heard of its task, and what it is being told now. */
      told: toldTaskSchema.optional(),
      telling: toldTaskSchema.optional(),
      /** The feedback this run brings to its agent; a run that was heard has consumed it. */
      parentReviewFeedback: feedbackMarkSchema.optional(),
    })
    .optional(),
  /** The agent's last message, cut; what dependents are told of this task. */
  result: z.string().optional(),
  /** Git trees of the working files, before its first segment and after its last. */
  baseline_tree: z.string().optional(),
  result_tree: z.string().optional(),
  /** What the task changed by the end of this run, with what the runs before it in its chain changed. */
  review_summary: reviewSummarySchema.optional(),
  /** What its work is checked with, as plan and settings said when it was prepared. */
  verify: z.array(z.string()).optional(),
  /** Every check that came to its end, oldest first. */
  verifications: z.array(verificationSchema).optional().catch(undefined),
  check: liveCheckSchema.optional(),
  /** Its agent has done its work, and only the checks are left to be made. */
  checks_due: z.boolean().optional(),
  /** What became of its commit, where one was asked for. */
  commit: commitOutcomeSchema.optional(),
  /** Undos only: whose change it takes back. A redo takes back an undo. */
  undo: z
    .looseObject({
      run_ids: z.array(z.string()),
      is_redo: z.boolean(),
      /** What the plan said of the task before. */
      task_status: z.enum(taskStatuses),
      /** Files that somebody had changed since, and that were overwritten by force. */
      forced: z.array(z.string()).optional(),
    })
    .optional(),
  /** What the task did besides, by the end of this run; shown before its files. */
  side_effects: z.array(sideEffectSchema).optional().catch(undefined),
  /** The run ends at a checkpoint: nothing comes after it before a person has decided. */
  decision_required: z.boolean().optional(),
  /** Absent until the run has ended. */
  decision_state: z.enum(decisionStates).optional(),
  decision_requested_at: z.string().optional(),
  decision_resolved_at: z.string().optional(),
  /** The changes that were requested, or why the run was rejected. */
  decision_feedback: z.string().optional(),
  /** Approvals that were withdrawn, oldest first. */
  decision_history: z
    .array(
      z.looseObject({
        decision_state: z.enum(decisionStates).optional(),
        decision_resolved_at: z.string().optional(),
        withdrawn_at: z.string(),
      }),
    )
    .optional()
    .catch(undefined),
  /** It was made in another terminal, which knows it by this id. */
  decision_id: z.string().optional(),
  /** The comments on lines that went with it. */
  decision_comment_ids: z.array(z.string()).optional().catch(undefined),
  /** Reviews only. Whose work it judged is known before it begins, what it found once its answer was checked. */
  parent_review_completion_signature: z.string().optional(),
  parent_review_passed: z.boolean().optional(),
  parent_review_resume_task_ids: z.array(z.string()).optional(),
  parent_review_feedback: z.string().optional(),
  parent_review_results: z.record(z.string(), reviewResultSchema).optional().catch(undefined),
  /** The feedback of this review that a person overruled. */
  parent_review_dismissed: z.array(dismissalSchema).optional().catch(undefined),
  /** What a person made of its feedback before it was told. */
  parent_review_edited: z.array(feedbackEditSchema).optional().catch(undefined),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** A record that could not be read, and why. It never stops what does not need it. */
export type BrokenRun = {readonly file: string; readonly reason: string};

export type RunFiles = {
  readonly record: string;
  readonly stdout: string;
  readonly stderr: string;
  /** When the bytes of stdout were written. */
  readonly times: string;
  readonly journal: string;
};

export interface RunStore {
  /** Every run of a task, oldest attempt first. */
  list(taskId: string): Promise<{readonly runs: readonly RunRecord[]; readonly broken: readonly BrokenRun[]}>;
  /** The run with the highest attempt of those that ran. Refuses to guess when that record is broken. */
  latest(taskId: string): Promise<RunRecord | null>;
  /** The tasks with a record that says running, in the plan or not. Cheap: looks at the heads of the files. */
  runningTaskIds(): Promise<readonly string[]>;
  /** Creates a record; fails when one with this id exists. It survives a power cut with its first update. */
  insert(run: RunRecord): Promise<void>;
  /**
   * A record that says running is changed by nobody but the Blackbird that wrote it: what somebody else made of it
   * since is not read, and gone with the next update.
   */
  update(taskId: string, runId: string, change: (run: RunRecord) => RunRecord): Promise<RunRecord>;
  /** Whether a record that says running is still as it was written here. */
  isAsWritten(taskId: string, runId: string): boolean;
  /** Writes a record as it was, whatever somebody else made of it. */
  restore(run: RunRecord): Promise<void>;
  files(taskId: string, runId: string): RunFiles;
}
