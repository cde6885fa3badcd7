import * as z from 'zod';
import {providerIds} from './agent.ts';
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
import {
  answerSchema,
  decisionStates,
  failureSchema,
  heldUpSchema,
  pauseReasons,
  questionSchema,
  runStates,
  segmentSchema,
  toldTaskSchema,
} from './run-parts.ts';
import {sideEffectSchema} from './side-effects.ts';
import {taskStatuses} from './task-status.ts';
import {spentSchema, usageSchema} from './usage.ts';
import {liveCheckSchema, verificationSchema} from './verification.ts';

export {isGoRun, latestRun} from './latest-run.ts';
export * from './run-parts.ts';
export {type ReviewResult, reviewResultSchema};

export const runSchemaVersion = 1;

/** What may become part of a file name; ids that come from a record or a user are checked like any other. */
export const runIdForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

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
  /** Every time its agent refused to continue, oldest first; `failure` has the last one, until it goes on. */
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
  /** Of a rejected run or an undo: the agent's edits of the plan that were taken back, and those that stay. */
  plan_taken_back: z
    .looseObject({taken: z.array(z.string()), left: z.array(z.string())})
    .optional()
    .catch(undefined),
  /** The same of the settings, with the command that puts back what stays. */
  settings_taken_back: z
    .looseObject({
      taken: z.array(z.string()),
      left: z.array(z.looseObject({key: z.string(), command: z.string()})),
    })
    .optional()
    .catch(undefined),
  /** The run ends at a checkpoint: nothing comes after it before a person has decided. */
  decision_required: z.boolean().optional(),
  /** Nobody asked for checkpoints: what the task did besides its files made this one. */
  decision_forced: z.boolean().optional(),
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
