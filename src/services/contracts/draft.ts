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
  /** Empty for what belongs to the plan and not to a run. */
  runId: z.string(),
  /** Each text with what it belongs to: a question by id and words, an edited field with its value before. */
  texts: z.array(z.looseObject({id: z.string(), prompt: z.string(), text: z.string()})),
  updatedAt: z.string(),
});
export type Draft = z.infer<typeof draftSchema>;
export type DraftText = Draft['texts'][number];

export type DraftKey = Pick<Draft, 'kind' | 'taskId' | 'runId'>;

/** One text of a draft: what an editor works on. */
export type DraftSlot = DraftKey & Pick<DraftText, 'id' | 'prompt'>;

/** Drafts on disk, at most one of a kind for each task. */
export interface DraftStore {
  /** Those that can be read. */
  all(): Promise<readonly Draft[]>;
  /** Null where there is none, or only one for another run of the task. */
  read(key: DraftKey): Promise<Draft | null>;
  /** Replaces what was there, whichever run it was for. */
  save(draft: Draft): Promise<void>;
  /** Nothing happens where there is none. */
  remove(kind: DraftKind, taskId: string): Promise<void>;
}
