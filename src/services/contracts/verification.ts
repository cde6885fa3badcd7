import * as z from 'zod';

/** One command that was run to see whether the work of a run holds, and came to an end. It passed with exit code 0. */
export const verificationSchema = z.looseObject({
  command: z.string(),
  /** 1 for the first time the agent said that it was done, and one more each time it was sent back. */
  round: z.int().min(1),
  started_at: z.string(),
  seconds: z.number(),
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  /** It took longer than it may. */
  timed_out: z.boolean().optional(),
  /** It could not be started; the tail says why. */
  not_started: z.boolean().optional(),
  /** The end of what it printed, both streams in the order they came. Foreign text. */
  tail: z.string(),
  /** All it printed: a file beside the record, and what it held when the command had ended. */
  log_file: z.string(),
  log_digest: z.string(),
  log_truncated: z.boolean().optional(),
  /** The git tree of the working files it was run on; absent where git cannot tell. */
  tree: z.string().optional(),
  /** And of those it left behind. */
  result_tree: z.string().optional(),
});
export type Verification = z.infer<typeof verificationSchema>;

/** The check that is being made, as it was recorded before it was told to go. */
export const liveCheckSchema = z.looseObject({
  command: z.string(),
  round: z.int().min(1),
  started_at: z.string(),
  log_file: z.string(),
  tree: z.string().optional(),
  pid: z.int(),
  start_time: z.string(),
  boot_id: z.string(),
  pid_namespace: z.string(),
});
