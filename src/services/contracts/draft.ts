import * as z from 'zod';

const draftSchemaVersion = 1;

/**
 * `answers` to an agent's questions, `feedback` for an agent, the `rejection` of a run, `comments` on lines, a
 * `new-task` below the task, `edits` of the task's fields, or a request for a `plan`.
 */
const draftKinds = ['answers', 'feedback', 'rejection', 'comments', 'new-task', 'edits', 'plan'] as const;
export type DraftKind = (typeof draftKinds)[number];

/** Text that was written but not sent yet. */
export const draftSchema = z.looseObject({
  schemaVersion: z.literal(draftSchemaVersion),
  kind: z.enum(draftKinds),
  /** Empty for a new task at the top level. */
  taskId: z.string(),
  /** The run it was last written for; empty for text that belongs to the plan. */
  runId: z.string(),
  /** Each text with its subject: a question by id and text, an edited field with its old value. */
  texts: z.array(z.looseObject({id: z.string(), prompt: z.string(), text: z.string()})),
  updatedAt: z.string(),
});
export type Draft = z.infer<typeof draftSchema>;
export type DraftText = Draft['texts'][number];

export type DraftKey = Pick<Draft, 'kind' | 'taskId' | 'runId'>;

/**
 * One text of a draft, as an editor edits it. `said`: text that the run already has and that must not be sent again.
 */
export type DraftSlot = DraftKey & Pick<DraftText, 'id' | 'prompt'> & {readonly said?: string | undefined};

/** Drafts on disk, at most one of a kind per task, whichever of its runs they were written for. */
export interface DraftStore {
  /** All readable ones. */
  all(): Promise<readonly Draft[]>;
  /** Null if there is none. */
  read(key: Pick<Draft, 'kind' | 'taskId'>): Promise<Draft | null>;
  /** Replaces what is there: the caller has read it, and keeps texts that are not its own. */
  save(draft: Draft): Promise<void>;
  /** Does nothing if there is none. */
  remove(kind: DraftKind, taskId: string): Promise<void>;
}
