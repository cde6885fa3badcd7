import * as z from 'zod';

export const feedbackSchemaVersion = 1;

/** What a parent review sends a task back with, until its agent was told or a person said never mind. */
export const pendingFeedbackSchema = z.looseObject({
  schemaVersion: z.literal(feedbackSchemaVersion),
  childTaskId: z.string().min(1),
  parentTaskId: z.string().min(1),
  reviewRunId: z.string().min(1),
  feedback: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type PendingFeedback = z.infer<typeof pendingFeedbackSchema>;

/** A file that could not be read, and why. */
export type BrokenFeedback = {readonly file: string; readonly reason: string};

/** Pending feedback on disk, one file a task. */
export interface FeedbackStore {
  /** In the order of their file names. */
  list(): Promise<{
    readonly pending: readonly PendingFeedback[];
    readonly broken: readonly BrokenFeedback[];
  }>;
  /** Throws `E_STORE_CORRUPT` for a file that cannot be used: whether the task is free is not known. */
  read(childTaskId: string): Promise<PendingFeedback | null>;
  /** Replaces what was there. */
  save(feedback: PendingFeedback): Promise<void>;
  /** Nothing happens where there is none. */
  remove(childTaskId: string): Promise<void>;
}
