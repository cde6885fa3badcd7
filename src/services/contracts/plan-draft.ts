import * as z from 'zod';
import {planKinds} from './plan-answer.ts';
import {answerSchema, questionSchema} from './run.ts';

export const planDraftSchemaVersion = 1;

/** What the planner is told next. */
const sayingSchema = z.looseObject({
  /**
   * `start`: everything. `answers`: to what it asked. `problems`: what is wrong with its answer. `findings`: what the
   * quality gate found in it. `revision`: what a person wants to be different.
   */
  type: z.enum(['start', 'answers', 'problems', 'findings', 'revision']),
  lines: z.array(z.string()),
});
export type PlanSaying = z.infer<typeof sayingSchema>;

const place = {parentId: z.string().nullable(), index: z.int().min(0).exactOptional()};
const texts = z.array(z.string());
const deps = {deps: texts, depRationale: z.record(z.string(), z.string()).exactOptional()};
const fields = z.object({
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  acceptanceCriteria: texts.exactOptional(),
  prompt: z.string().exactOptional(),
});

/** One change of the plan. Nothing in it can name a status, a run or a time. */
const operationSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('add'),
    task: z.object({
      id: z.string(),
      title: z.string(),
      description: z.string(),
      acceptanceCriteria: texts,
      prompt: z.string(),
      ...place,
      ...deps,
    }),
  }),
  z.object({type: z.literal('edit'), taskId: z.string(), fields}),
  z.object({type: z.literal('move'), taskId: z.string(), place: z.object(place)}),
  z.object({type: z.literal('delete'), taskId: z.string(), cascade: z.boolean()}),
  z.object({type: z.literal('deps'), taskId: z.string(), ...deps}),
]);
export type ProposedOperation = z.infer<typeof operationSchema>;

/** A proposed change of the plan, on disk until a person accepted or dropped it. */
export const planDraftSchema = z.looseObject({
  schemaVersion: z.literal(planDraftSchemaVersion),
  draftId: z.string().min(1),
  kind: z.enum(planKinds),
  /** What a person asked for. */
  text: z.string(),
  /** The only tasks that may change; empty for the whole plan. */
  taskIds: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Null while a person has to say something. */
  saying: sayingSchema.nullable(),
  /** Open ones. */
  questions: z.array(questionSchema),
  /** All that were given, oldest first. */
  answers: z.array(answerSchema),
  /** What a person wanted to be different, oldest first. */
  revisions: z.array(z.string()),
  /** How often it asked, how often in a row its answer was wrong, how often the gate sent it back. */
  rounds: z.looseObject({questions: z.int(), corrections: z.int(), refinements: z.int()}),
  /** What each task said when the planner was told of it, as a digest: what changed since is a conflict. */
  base: z.array(z.tuple([z.string(), z.string()])),
  /** What it proposes; null before its first answer. */
  operations: z.array(operationSchema).nullable(),
  /** A person changed what it proposed. */
  isEdited: z.boolean(),
  /** How many operations each of these changes added, oldest first, so that the last can be taken back. */
  edits: z.array(z.int()).optional(),
});
export type PlanDraft = z.infer<typeof planDraftSchema>;

export type BrokenPlanDraft = {readonly file: string; readonly reason: string};

export interface PlanDraftStore {
  /** Oldest first. One that cannot be read is named, and stops nobody. */
  list(): Promise<{readonly drafts: readonly PlanDraft[]; readonly broken: readonly BrokenPlanDraft[]}>;
  /** Null where there is none. */
  read(draftId: string): Promise<PlanDraft | null>;
  save(draft: PlanDraft): Promise<void>;
  /** Nothing happens where there is none. */
  remove(draftId: string): Promise<void>;
}
