import type {TaskStatus} from './task-status.ts';

export type {TaskStatus};

export const planFileName = 'blackbird.plan.json';
export const planSchemaVersion = 1;

/** One task as in the plan file. Unknown fields are kept. */
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
  /** The agent and model, also for tasks below a parent; the job decides what is missing. */
  readonly agent?: string | null;
  readonly model?: string | null;
  readonly effort?: string | null;
  /** Commands that must succeed before the task, or anything below it, is done. */
  readonly verify?: readonly string[] | null;
  readonly depRationale?: Readonly<Record<string, string>> | null;
  /** Where an import found it, so that the next import updates it. */
  readonly source?: TaskSource | null;
};

/** Identifies a task in the list it was imported from, with a digest of what the list said. */
export type TaskSource = {
  readonly key: string;
  readonly digest: string;
  /** The same per field; missing in plans of older versions. */
  readonly fields?: Readonly<Record<string, string>> | null;
};

/** Tasks by id, in file order. A Map, because `__proto__` is a task id like any other. */
export type Plan = {
  readonly schemaVersion: typeof planSchemaVersion;
  readonly items: ReadonlyMap<string, Task>;
};

/** A problem of a plan and where it is: `$.items["x"].deps[0]`. */
export type PlanProblem = {readonly path: string; readonly message: string};

/** The result of checking a plan file. */
export type PlanCheck = {readonly plan: Plan} | {readonly problems: readonly PlanProblem[]};
