import * as z from 'zod';
import {questionSchema} from './run.ts';

/** The kinds of planning request: new tasks, a change of existing ones, or dependencies. */
export const planKinds = ['generate', 'refine', 'deps'] as const;
export type PlanKind = (typeof planKinds)[number];

/** Longer answers are truncated here and therefore invalid. */
export const planAnswerLimit = 600_000;

const text = z.string().max(50_000);
const id = z.string().min(1).max(256);

const proposedTaskSchema = z.object({
  id,
  parentId: id.nullable().default(null),
  title: text,
  description: text.default(''),
  acceptanceCriteria: z.array(text).default([]),
  prompt: text.default(''),
  deps: z.array(id).default([]),
});

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable().default(null);

/** One change. `null` leaves a field as it is; statuses, runs and times cannot be changed. */
const operationSchema = z.union([
  z.object({op: z.literal('add'), task: proposedTaskSchema, index: nullable(z.int().min(0))}),
  z.object({
    op: z.literal('edit'),
    id,
    title: nullable(text),
    description: nullable(text),
    acceptanceCriteria: nullable(z.array(text)),
    prompt: nullable(text),
  }),
  z.object({op: z.literal('move'), id, parentId: nullable(id), index: nullable(z.int().min(0))}),
  z.object({op: z.literal('delete'), id}),
  z.object({op: z.literal('set_deps'), id, deps: z.array(id)}),
]);

const dependencySchema = z.object({
  id,
  deps: z.array(z.object({id, reason: text.default('')})),
});

const askedQuestionSchema = z.object({
  id: questionSchema.shape.id,
  prompt: questionSchema.shape.prompt,
  options: z.array(text).default([]),
});

const questions = z.array(askedQuestionSchema).max(10).default([]);

/** The answer for each kind: the result, or questions that must be answered first. */
export const planAnswerShapes = {
  generate: z.object({questions, tasks: z.array(proposedTaskSchema).max(1_000).default([])}),
  refine: z.object({questions, operations: z.array(operationSchema).max(2_000).default([])}),
  deps: z.object({questions, dependencies: z.array(dependencySchema).max(2_000).default([])}),
} as const satisfies Record<PlanKind, z.ZodType>;

export type PlanAnswer = {
  readonly [Kind in PlanKind]: z.infer<(typeof planAnswerShapes)[Kind]> & {readonly kind: Kind};
}[PlanKind];

/** The same for agents that can enforce a schema. Every key is required and none has a default, as Codex demands. */
export function planAnswerSchema(kind: PlanKind): Readonly<Record<string, unknown>> {
  const {$schema: _, ...schema} = z.toJSONSchema(planAnswerShapes[kind], {
    io: 'output',
    override: ({jsonSchema}) => {
      for (const keyword of bounds) delete jsonSchema[keyword];
    },
  });
  return schema;
}

/** Checked by us, because not every agent supports them. */
const bounds = ['default', 'minLength', 'maxLength', 'maxItems', 'minimum', 'maximum'] as const;
