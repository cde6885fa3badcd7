import * as z from 'zod';

export const commentSchemaVersion = 1;

/** What a reviewer wrote about one line of a change. */
export const lineCommentSchema = z.looseObject({
  schema_version: z.literal(commentSchemaVersion),
  id: z.string().regex(/^[a-z0-9]{1,32}$/),
  task_id: z.string().min(1),
  /** The run that stood at its checkpoint when it was written: line numbers are those of its change. */
  run_id: z.string().min(1),
  /** From the top of the repository, as the change names it. */
  file: z.string().min(1),
  /** `old` for a line that the change removed, numbered as it was before. */
  side: z.enum(['old', 'new']),
  line: z.int().min(1),
  text: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type LineComment = z.infer<typeof lineCommentSchema>;

/** Any run record is one. */
export type CommentedRun = Pick<LineComment, 'task_id' | 'run_id'>;

/** Comments on disk, with the run they were written at. */
export interface CommentStore {
  /** By file and line. Throws `E_STORE_CORRUPT` for one that cannot be read, so that none is left out silently. */
  list(run: CommentedRun): Promise<readonly LineComment[]>;
  /** Adds it, or replaces the one with its id. */
  save(comment: LineComment): Promise<void>;
  /** False where there is none. */
  remove(run: CommentedRun, id: string): Promise<boolean>;
}
