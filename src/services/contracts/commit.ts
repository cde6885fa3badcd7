import * as z from 'zod';

/** The result of a task's commit: `sha` if there is one, otherwise `skipped` with the reason. */
export const commitOutcomeSchema = z.looseObject({
  sha: z.string().optional(),
  /** The branch it is on; missing on a detached HEAD. */
  branch: z.string().optional(),
  skipped: z.string().optional(),
});
export type CommitOutcome = z.infer<typeof commitOutcomeSchema>;

export type CommitRequest = {
  /** With its trailers. */
  readonly message: string;
  /** The trailer that identifies a commit of an earlier try. */
  readonly mark: {readonly trailer: string; readonly value: string};
};
