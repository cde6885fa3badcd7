import * as z from 'zod';
import {planKinds} from './plan-answer.ts';
import {answerSchema, questionSchema} from './run.ts';

export const planDraftSchemaVersion = 1;

/** The next message for the planner. */
const sayingSchema = z.looseObject({
  /**
   * `start`: the whole prompt. `answers`: to its questions. `problems`: of its answer. `findings`: of the quality gate.
   * `revision`: the user's request for changes.
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

/** One change of the plan. It cannot name a status, a run or a time. */
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

/** A proposed change of the plan, on disk until the user accepts or drops it. */
export const planDraftSchema = z.looseObject({
  schemaVersion: z.literal(planDraftSchemaVersion),
  draftId: z.string().min(1),
  kind: z.enum(planKinds),
  /** The user's request. */
  text: z.string(),
  /** The only tasks that may change; empty for the whole plan. */
  taskIds: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Null while the user is next. */
  saying: sayingSchema.nullable(),
  /** Open ones. */
  questions: z.array(questionSchema),
  /** All answers given, oldest first. */
  answers: z.array(answerSchema),
  /** All revisions requested, oldest first. */
  revisions: z.array(z.string()),
  /** How often it asked, how often in a row its answer was wrong, and how often the gate sent it back. */
  rounds: z.looseObject({questions: z.int(), corrections: z.int(), refinements: z.int()}),
  /** A digest of each task when the planner saw it: anything changed since is a conflict. */
  base: z.array(z.tuple([z.string(), z.string()])),
  /** The proposal; null before the first answer. */
  operations: z.array(operationSchema).nullable(),
  /** The user edited the proposal. */
  isEdited: z.boolean(),
  /** How many operations each edit added, oldest first, so that the last one can be undone. */
  edits: z.array(z.int()).optional(),
});
export type PlanDraft = z.infer<typeof planDraftSchema>;

export type BrokenPlanDraft = {readonly file: string; readonly reason: string};

export interface PlanDraftStore {
  /** Oldest first. An unreadable one is named and stops nothing. */
  list(): Promise<{readonly drafts: readonly PlanDraft[]; readonly broken: readonly BrokenPlanDraft[]}>;
  /** Null if there is none. */
  read(draftId: string): Promise<PlanDraft | null>;
  save(draft: PlanDraft): Promise<void>;
  /** Does nothing if there is none. */
  remove(draftId: string): Promise<void>;
}
