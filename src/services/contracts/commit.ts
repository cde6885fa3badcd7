import * as z from 'zod';

/** What became of a task's commit. `sha` where there is one, `skipped` with the reason where there is none. */
export const commitOutcomeSchema = z.looseObject({
  sha: z.string().optional(),
  /** The branch it is on; missing where HEAD was detached. */
  branch: z.string().optional(),
  skipped: z.string().optional(),
});
export type CommitOutcome = z.infer<typeof commitOutcomeSchema>;

export type CommitRequest = {
  /** With its trailers. */
  readonly message: string;
  /** The trailer that a commit of an earlier try is known by. */
  readonly mark: {readonly trailer: string; readonly value: string};
};
