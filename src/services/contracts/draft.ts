import * as z from 'zod';

export const draftSchemaVersion = 1;

/**
 * `answers` to an agent's questions, `feedback` that sends an agent back to work, the `rejection` of a run,
 * `comments` on lines of its change, a `new-task` below the task, `edits` of the task's fields, what a `plan` is to be.
 */
export const draftKinds = [
  'answers',
  'feedback',
  'rejection',
  'comments',
  'new-task',
  'edits',
  'plan',
] as const;
export type DraftKind = (typeof draftKinds)[number];

/** What a person wrote and did not send yet. */
export const draftSchema = z.looseObject({
  schemaVersion: z.literal(draftSchemaVersion),
  kind: z.enum(draftKinds),
  /** Empty for a new task at the top level. */
  taskId: z.string(),
  /** The run it was last written at; empty for what belongs to the plan and not to a run. */
  runId: z.string(),
  /** Each text with what it belongs to: a question by id and words, an edited field with its value before. */
  texts: z.array(z.looseObject({id: z.string(), prompt: z.string(), text: z.string()})),
  updatedAt: z.string(),
});
export type Draft = z.infer<typeof draftSchema>;
export type DraftText = Draft['texts'][number];

export type DraftKey = Pick<Draft, 'kind' | 'taskId' | 'runId'>;

/** One text of a draft: what an editor works on. `said`: what the run was told already, and is not to be sent again. */
export type DraftSlot = DraftKey & Pick<DraftText, 'id' | 'prompt'> & {readonly said?: string | undefined};

/** Drafts on disk, at most one of a kind for each task, whichever of its runs they were written at. */
export interface DraftStore {
  /** Those that can be read. */
  all(): Promise<readonly Draft[]>;
  /** Null where there is none. */
  read(key: Pick<Draft, 'kind' | 'taskId'>): Promise<Draft | null>;
  /** Replaces what was there: whoever saves has read it, and keeps the texts that are not its own. */
  save(draft: Draft): Promise<void>;
  /** Nothing happens where there is none. */
  remove(kind: DraftKind, taskId: string): Promise<void>;
}
