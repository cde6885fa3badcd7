import * as z from 'zod';
import {type TaskStatus, taskStatuses} from './task-status.ts';

export type {TaskStatus};

export const planFileName = 'blackbird.plan.json';
export const planSchemaVersion = 1;

const timestamp = z
  .string({error: 'required (RFC3339 timestamp)'})
  .refine(isTimestamp, {error: 'required (RFC3339 timestamp)'});

const list = z.array(z.string({error: 'must be a string'}), {error: 'required (use [] if none)'});

/** One task as it stands in the plan file. Fields this version does not know are kept as they are. */
export const taskSchema = z.looseObject({
  id: z.string({error: 'required'}).min(1, {error: 'required'}),
  title: z.string({error: 'required'}).refine((title) => title.trim() !== '', {error: 'required'}),
  description: z.string({error: 'must be a string'}).optional(),
  acceptanceCriteria: list,
  prompt: z.string({error: 'must be a string'}).optional(),
  parentId: z
    .string({error: 'must be null or a non-empty ID'})
    .min(1, {error: 'must be null or a non-empty ID'})
    .nullish(),
  childIds: list,
  deps: list,
  status: z.enum(taskStatuses, {error: ({input}) => `invalid status ${quoted(input)}`}),
  createdAt: timestamp,
  updatedAt: timestamp,
  notes: z.string({error: 'must be a string'}).nullish(),
  depRationale: z
    .record(z.string(), z.string({error: 'must be a string'}), {error: 'must be an object'})
    .nullish(),
});

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly acceptanceCriteria: readonly string[];
  readonly prompt?: string;
  readonly parentId?: string | null;
  readonly childIds: readonly string[];
  readonly deps: readonly string[];
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly notes?: string | null;
  readonly depRationale?: Readonly<Record<string, string>> | null;
};

/** Tasks by id, in the order of the plan file. A Map, because `__proto__` is a task id like any other. */
export type Plan = {
  readonly schemaVersion: typeof planSchemaVersion;
  readonly items: ReadonlyMap<string, Task>;
};

/** What is wrong with a plan, and where: `$.items["x"].deps[0]`. */
export type PlanProblem = {readonly path: string; readonly message: string};

const timestampForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

export function isTimestamp(text: string): boolean {
  return timestampForm.test(text);
}

function quoted(input: unknown): string {
  return typeof input === 'string'
    ? JSON.stringify(input)
    : `of type ${input === null ? 'null' : typeof input}`;
}
