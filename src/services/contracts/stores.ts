import type {Plan, PlanCheck, PlanProblem} from './plan.ts';
import type {ForeignPlanEdit} from './side-effects.ts';

/** A plan file as JSON, with items in text order; null if `items` is not an object. */
export type RawPlan = {
  readonly root: Readonly<Record<string, unknown>>;
  readonly items: ReadonlyArray<readonly [key: string, value: unknown]> | null;
};

/** The rules that a store applies without knowing them. */
export type PlanRules = {
  readonly check: (raw: RawPlan) => PlanCheck;
  readonly checkChange: (before: Plan, after: Plan) => readonly PlanProblem[];
};

export type WatchedPlan = {
  /** The version of the file; null if there is none. */
  readonly version: string | null;
  /** What another process changed since; null if nothing. */
  edit(): Promise<ForeignPlanEdit | null>;
};

/** The plan on disk. Every change is a read-modify-write under the plan's own lock. */
export interface PlanStore {
  readonly file: string;
  read(): Promise<Plan>;
  /** Like `read`, but an invalid plan is a result and not an error. */
  inspect(): Promise<PlanCheck>;
  /** False if a plan file already exists; it is not changed. */
  create(): Promise<boolean>;
  /** Remembers the plan as it is, or continues from a version remembered by a Blackbird that died. */
  watch(version?: string | null): Promise<WatchedPlan>;
  /** Applies a pure change; writes nothing if it returns the same plan. */
  update(change: (plan: Plan) => Plan): Promise<{readonly before: Plan; readonly after: Plan}>;
}
