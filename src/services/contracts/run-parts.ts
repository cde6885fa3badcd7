import * as z from 'zod';
import {failureKinds} from './agent.ts';
import {keptSurroundingsSchema} from './side-effects.ts';
import {usageSchema} from './usage.ts';

export const runStates = ['running', 'waiting', 'paused', 'succeeded', 'failed', 'canceled'] as const;
export type RunState = (typeof runStates)[number];

export const pauseReasons = [
  'user_interrupt',
  'terminated',
  'process_lost',
  /** A provider problem; `failure` has the details. */
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

/** The state of the checkpoint after a run. */
export const decisionStates = [
  'pending',
  'approved_continue',
  'approved_quit',
  'changes_requested',
  'rejected',
] as const;
export type DecisionState = (typeof decisionStates)[number];

/** A question of the agent; answered with one of the options or in free text. */
export const questionSchema = z.looseObject({
  id: z.string().min(1),
  prompt: z.string().min(1),
  options: z.array(z.string()).optional(),
});
export type Question = z.infer<typeof questionSchema>;

export const answerSchema = z.looseObject({
  id: z.string().min(1),
  value: z.string(),
  /** The text of the question. */
  prompt: z.string().optional(),
  /** Given, but the agent never continued with it: it will be sent again. */
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
  /** Without the prompt, which goes through stdin. */
  argv: z.array(z.string()),
  started_at: z.string(),
  ended_at: z.string().optional(),
  exit_code: z.int().nullable().optional(),
  signal: z.string().nullable().optional(),
  /** The log files are incomplete. */
  log_truncated: z.boolean().optional(),
  /** Git trees of the working files before its agent was released and after it ended. */
  baseline_tree: z.string().optional(),
  result_tree: z.string().optional(),
  /** The surroundings of the files when its agent was released; only while it is running. */
  surroundings: keptSurroundingsSchema.optional().catch(undefined),
  /** The usage of this process, as far as its agent reported it. */
  usage: usageSchema.optional(),
  /** The job that started it. */
  job_id: z.string().optional(),
});
export type Segment = z.infer<typeof segmentSchema>;

export const failureSchema = z.looseObject({
  kind: z.enum(failureKinds),
  message: z.string(),
  reset_at: z.string().optional(),
  /** The setting whose limit was reached. */
  setting: z.string().optional(),
});

export const heldUpSchema = z.looseObject({
  kind: z.enum(failureKinds),
  since: z.string(),
  attempt: z.int().min(1),
});

/** What the agent knows of its task: a digest per field, to detect later changes. */
export const toldTaskSchema = z.looseObject({
  title: z.string(),
  prompt: z.string(),
  description: z.string(),
  acceptanceCriteria: z.string(),
});
export type TaskDigest = z.infer<typeof toldTaskSchema>;
