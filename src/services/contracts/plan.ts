import type {TaskStatus} from './task-status.ts';

export type {TaskStatus};

export const planFileName = 'blackbird.plan.json';
export const planSchemaVersion = 1;

/** One task as it stands in the plan file. Fields this version does not know are kept as they are. */
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
  /** Who does it and how, for the tasks below a parent too; what is missing is left to the job. */
  readonly agent?: string | null;
  readonly model?: string | null;
  readonly effort?: string | null;
  /** Commands that must succeed before it, or anything below it, is done. */
  readonly verify?: readonly string[] | null;
  readonly depRationale?: Readonly<Record<string, string>> | null;
  /** Where an import found it, so that the next one updates it. */
  readonly source?: TaskSource | null;
};

/** What names a task in the list it was imported from, and what the list said of it then. */
export type TaskSource = {
  readonly key: string;
  readonly digest: string;
  /** The same for each field; a plan that an older Blackbird wrote has none. */
  readonly fields?: Readonly<Record<string, string>> | null;
};

/** Tasks by id, in the order of the plan file. A Map, because `__proto__` is a task id like any other. */
export type Plan = {
  readonly schemaVersion: typeof planSchemaVersion;
  readonly items: ReadonlyMap<string, Task>;
};

/** What is wrong with a plan, and where: `$.items["x"].deps[0]`. */
export type PlanProblem = {readonly path: string; readonly message: string};

/** What the rules make of a plan file. */
export type PlanCheck = {readonly plan: Plan} | {readonly problems: readonly PlanProblem[]};
