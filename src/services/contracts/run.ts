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

/** What may become part of a file name; ids from records and users are checked too. */
export const runIdForm = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** One attempt at a task, and the only source of truth about it. Unknown fields are kept. */
export const runRecordSchema = z.looseObject({
  schema_version: z.literal(runSchemaVersion),
  run_id: z.string().min(1),
  task_id: z.string().min(1),
  /** An undo has no agent: it undoes the file changes of other runs. `plan`: one turn of a planner. */
  run_type: z.enum(['execute', 'review', 'undo', 'plan']),
  /** The latest run is the one with the highest attempt, whatever the clock says. */
  attempt: z.int().min(1),
  state: z.enum(runStates),
  /** `verifying`: its agent is done, and the checks are running. */
  phase: z.enum(['launching', 'active', 'pausing', 'verifying']).optional(),
  provider: z.enum(runProviderIds),
  /** Provider `custom` only: the command that ran. Only this command can continue its sessions. */
  custom_command: z.string().optional(),
  /** The vendor whose session line the custom command printed, and so whose session it is. */
  provider_dialect: z.enum(providerIds).optional(),
  /** The requested model; absent if the agent chooses. */
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
  /** The job that last worked on it. */
  job_id: z.string().optional(),
  /** Set if Blackbird started it because the previous run failed; the first such run of the task is 1. */
  retry_number: z.int().min(1).optional(),
  /** The Blackbird that launched it last: while it lives, nobody else repairs the run. */
  owner: z
    .looseObject({pid: z.int(), start_time: z.string(), boot_id: z.string(), pid_namespace: z.string()})
    .optional(),
  /** All pauses, oldest first; `resumed_at` is the end of each. */
  pauses: z
    .array(
      z.looseObject({
        paused_at: z.string(),
        pause_reason: z.enum(pauseReasons),
        resumed_at: z.string().optional(),
      }),
    )
    .optional(),
  /** All refusals of its agent to continue, oldest first; `failure` has the last one until the run continues. */
  refusals: z
    .array(z.looseObject({refused_at: z.string(), message: z.string()}))
    .optional()
    .catch(undefined),
  /** Requested changes; sent again until an agent has finished with them. */
  feedback: z.string().optional(),
  /** The run waits for answers, and its agent did not receive this feedback: the next resume sends it. */
  feedback_undelivered: z.boolean().optional(),
  /** The line comments in its feedback. */
  comment_ids: z.array(z.string()).optional().catch(undefined),
  /** The state before it was continued; it returns there if its agent does not continue. */
  stood: z
    .looseObject({
      state: z.enum(['paused', 'waiting']),
      paused_at: z.string().optional(),
      pause_reason: z.enum(pauseReasons).optional(),
      failure: failureSchema.optional(),
      retry_at: z.string().optional(),
      /** How many answers its agent had received. */
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
  /** When it continues by itself; set while it only needs time. */
  retry_at: z.string().optional(),
  /** Since when the provider could not serve it, and the number of tries; ends when the run works again. */
  held_up: heldUpSchema.optional(),
  questions: z.array(questionSchema).optional(),
  answers: z.array(answerSchema).optional(),
  /** Of all its segments. */
  usage: usageSchema.optional(),
  /** For agents that count per session: the last total, so that nothing is counted twice. */
  session_usage: usageSchema.optional(),
  /** The usage of the runs it continues, which count for the task's budget. */
  spent_before: spentSchema.optional(),
  /** A digest of the agent's context, so that two runs can be compared without keeping the prompt. */
  context: z
    .looseObject({
      digest: z.string(),
      bytes: z.int(),
      /** The task as the agent knows it, and as it is being told now. */
      told: toldTaskSchema.optional(),
      telling: toldTaskSchema.optional(),
      /** The feedback that this run delivers; once delivered, it is consumed. */
      parentReviewFeedback: feedbackMarkSchema.optional(),
    })
    .optional(),
  /** The agent's last message, shortened; dependents get it as the result of this task. */
  result: z.string().optional(),
  /** Git trees of the working files, before its first segment and after its last. */
  baseline_tree: z.string().optional(),
  result_tree: z.string().optional(),
  /** What the task changed up to the end of this run, including earlier runs of its chain. */
  review_summary: reviewSummarySchema.optional(),
  /** Its checks, from plan and settings when it was prepared. */
  verify: z.array(z.string()).optional(),
  /** Every check that finished, oldest first. */
  verifications: z.array(verificationSchema).optional().catch(undefined),
  check: liveCheckSchema.optional(),
  /** Its agent is done, and only the checks are left to run. */
  checks_due: z.boolean().optional(),
  /** The result of its commit, if one was requested. */
  commit: commitOutcomeSchema.optional(),
  /** Undos only: the runs whose change it undoes. A redo undoes an undo. */
  undo: z
    .looseObject({
      run_ids: z.array(z.string()),
      is_redo: z.boolean(),
      /** The task's status before. */
      task_status: z.enum(taskStatuses),
      /** Files changed by others since, which were overwritten by force. */
      forced: z.array(z.string()).optional(),
    })
    .optional(),
  /** Side effects of the task up to the end of this run; shown before its files. */
  side_effects: z.array(sideEffectSchema).optional().catch(undefined),
  /** For a rejected run or an undo: the agent's edits of the plan that were restored, and those that were not. */
  plan_taken_back: z
    .looseObject({taken: z.array(z.string()), left: z.array(z.string())})
    .optional()
    .catch(undefined),
  /** The same for settings, with the command that restores the rest. */
  settings_taken_back: z
    .looseObject({
      taken: z.array(z.string()),
      left: z.array(z.looseObject({key: z.string(), command: z.string()})),
    })
    .optional()
    .catch(undefined),
  /** The run ends at a checkpoint: nothing follows until the user has decided. */
  decision_required: z.boolean().optional(),
  /** Nobody asked for checkpoints: side effects forced this one. */
  decision_forced: z.boolean().optional(),
  /** Absent until the run has ended. */
  decision_state: z.enum(decisionStates).optional(),
  decision_requested_at: z.string().optional(),
  decision_resolved_at: z.string().optional(),
  /** The requested changes, or the reason for a rejection. */
  decision_feedback: z.string().optional(),
  /** Withdrawn approvals, oldest first. */
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
  /** Set if it was decided in another terminal, which knows it by this id. */
  decision_id: z.string().optional(),
  /** The line comments sent with it. */
  decision_comment_ids: z.array(z.string()).optional().catch(undefined),
  /** Reviews only. The signature is known before the review starts, the results after its answer was checked. */
  parent_review_completion_signature: z.string().optional(),
  parent_review_passed: z.boolean().optional(),
  parent_review_resume_task_ids: z.array(z.string()).optional(),
  parent_review_feedback: z.string().optional(),
  parent_review_results: z.record(z.string(), reviewResultSchema).optional().catch(undefined),
  /** The feedback of this review that the user dismissed. */
  parent_review_dismissed: z.array(dismissalSchema).optional().catch(undefined),
  /** The user's edits of its feedback before it was delivered. */
  parent_review_edited: z.array(feedbackEditSchema).optional().catch(undefined),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** A record that could not be read, and why. It never stops anything that does not need it. */
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
  /** The run with the highest attempt of those that ran. Throws if that record is broken. */
  latest(taskId: string): Promise<RunRecord | null>;
  /** The tasks with a record that says running, in the plan or not. Cheap: reads only the start of each file. */
  runningTaskIds(): Promise<readonly string[]>;
  /** Creates a record; fails if the id exists. It survives a power cut from its first update on. */
  insert(run: RunRecord): Promise<void>;
  /**
   * Only the Blackbird that wrote a running record changes it: edits by others are not read, and are overwritten by the
   * next update.
   */
  update(taskId: string, runId: string, change: (run: RunRecord) => RunRecord): Promise<RunRecord>;
  /** Whether a running record is unchanged since this process wrote it. */
  isAsWritten(taskId: string, runId: string): boolean;
  /** Restores a record, whatever others did to it. */
  restore(run: RunRecord): Promise<void>;
  files(taskId: string, runId: string): RunFiles;
}
