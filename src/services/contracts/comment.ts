import * as z from 'zod';

export const commentSchemaVersion = 1;

/** A reviewer's comment on one line of a change. */
export const lineCommentSchema = z.looseObject({
  schema_version: z.literal(commentSchemaVersion),
  id: z.string().regex(/^[a-z0-9]{1,32}$/),
  task_id: z.string().min(1),
  /** The run that was at its checkpoint: line numbers refer to its change. */
  run_id: z.string().min(1),
  /** From the repository root, as in the change. */
  file: z.string().min(1),
  /** `old` for a removed line, with its number before the change. */
  side: z.enum(['old', 'new']),
  line: z.int().min(1),
  text: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type LineComment = z.infer<typeof lineCommentSchema>;

/** Any run record qualifies. */
export type CommentedRun = Pick<LineComment, 'task_id' | 'run_id'>;

/** Comments on disk, by the run they were written for. */
export interface CommentStore {
  /** By file and line. Throws `E_STORE_CORRUPT` for an unreadable one, so that none is left out silently. */
  list(run: CommentedRun): Promise<readonly LineComment[]>;
  /** Adds it, or replaces the one with its id. */
  save(comment: LineComment): Promise<void>;
  /** False if there is none. */
  remove(run: CommentedRun, id: string): Promise<boolean>;
}
