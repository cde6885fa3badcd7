import type {Plan, PlanCheck, PlanProblem} from './plan.ts';
import type {ForeignPlanEdit} from './side-effects.ts';

/** A plan file as JSON, its items in the order of the text; null where `items` is no object. */
export type RawPlan = {
  readonly root: Readonly<Record<string, unknown>>;
  readonly items: ReadonlyArray<readonly [key: string, value: unknown]> | null;
};

/** The rules a store applies without knowing them. */
export type PlanRules = {
  readonly check: (raw: RawPlan) => PlanCheck;
  readonly checkChange: (before: Plan, after: Plan) => readonly PlanProblem[];
};

export type WatchedPlan = {
  /** Of the file; null where there is none. */
  readonly version: string | null;
  /** What another process made of it since; null where none did. */
  edit(): Promise<ForeignPlanEdit | null>;
};

/** The plan on disk. Every change is a read-modify-write under the plan's own lock. */
export interface PlanStore {
  readonly file: string;
  read(): Promise<Plan>;
  /** Like `read`, but an invalid plan is an answer and not an error. */
  inspect(): Promise<PlanCheck>;
  /** False when a plan file is already there; it is left alone. */
  create(): Promise<boolean>;
  /** Remembers the plan as it is, or takes up a version that was remembered by a Blackbird that died. */
  watch(version?: string | null): Promise<WatchedPlan>;
  /** Applies a pure change; writes nothing when it returns the plan it was given. */
  update(change: (plan: Plan) => Plan): Promise<{readonly before: Plan; readonly after: Plan}>;
}
