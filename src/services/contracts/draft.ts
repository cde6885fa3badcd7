import * as z from 'zod';

export const draftSchemaVersion = 1;

export const draftKinds = ['answers'] as const;
export type DraftKind = (typeof draftKinds)[number];

/** What a person wrote for a run and was not delivered yet. */
export const draftSchema = z.looseObject({
  schemaVersion: z.literal(draftSchemaVersion),
  kind: z.enum(draftKinds),
  taskId: z.string().min(1),
  runId: z.string().min(1),
  /** Each text with what it belongs to: the id of a question, and the question itself. */
  texts: z.array(z.looseObject({id: z.string(), prompt: z.string(), text: z.string()})),
  updatedAt: z.string(),
});
export type Draft = z.infer<typeof draftSchema>;
export type DraftText = Draft['texts'][number];

export type DraftKey = Pick<Draft, 'kind' | 'taskId' | 'runId'>;

/** Drafts on disk, at most one of a kind for each task. */
export interface DraftStore {
  /** Null where there is none, or only one for another run of the task. */
  read(key: DraftKey): Promise<Draft | null>;
  /** Replaces what was there, whichever run it was for. */
  save(draft: Draft): Promise<void>;
  /** Nothing happens where there is none. */
  remove(kind: DraftKind, taskId: string): Promise<void>;
}
