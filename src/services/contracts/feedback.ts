import * as z from 'zod';

export const feedbackSchemaVersion = 1;

/** Parent review feedback for a task, until it is delivered or dismissed. */
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

/** Pending feedback on disk, one file per task. */
export interface FeedbackStore {
  /** Sorted by file name. */
  list(): Promise<{
    readonly pending: readonly PendingFeedback[];
    readonly broken: readonly BrokenFeedback[];
  }>;
  /** Throws `E_STORE_CORRUPT` for an unusable file: it is unknown whether feedback is pending. */
  read(childTaskId: string): Promise<PendingFeedback | null>;
  /** Replaces what is there. */
  save(feedback: PendingFeedback): Promise<void>;
  /** Does nothing if there is none. */
  remove(childTaskId: string): Promise<void>;
}
