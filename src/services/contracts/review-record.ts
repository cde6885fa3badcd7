import * as z from 'zod';

/** A review's result for one task. */
export const reviewResultSchema = z.looseObject({
  task_id: z.string(),
  status: z.enum(['passed', 'failed']),
  feedback: z.string(),
});
export type ReviewResult = z.infer<typeof reviewResultSchema>;

export const dismissalSchema = z.looseObject({
  task_id: z.string(),
  dismissed_at: z.string(),
  /** The login name; empty if the system has none. */
  dismissed_by: z.string(),
});

export const feedbackEditSchema = z.looseObject({
  task_id: z.string(),
  edited_at: z.string(),
  edited_by: z.string(),
  /** The feedback after the edit. */
  feedback: z.string(),
});

export const feedbackMarkSchema = z.looseObject({
  parentTaskId: z.string(),
  reviewRunId: z.string(),
  feedback: z.string(),
});
