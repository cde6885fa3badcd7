import {checkPlanChange} from '../../src/machines/policies/plan/plan-validation.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {PlanStore} from '../../src/services/contracts/stores.ts';
import {statuses} from '../helpers/plans.ts';
import {deferred} from './memory-run-store.ts';

export type MemoryPlanStore = PlanStore & {
  /** The current plan; assigning it is an edit by someone else. */
  plan: Plan;
  statuses(): Record<string, string>;
  failNextUpdate(error?: unknown): void;
  failNextRead(error: unknown): void;
  /** The next read waits until the returned function is called. */
  holdNextRead(): () => void;
  /** The next change waits until the returned function is called. */
  holdNextUpdate(): () => void;
};

/** A plan in memory, under the rules of the real store. Every status change is reported to `onStatus`. */
export function createMemoryPlanStore(
  plan: Plan,
  onStatus: (taskId: string, status: string) => void = () => {},
): MemoryPlanStore {
  let updateFailure: unknown;
  let readFailure: unknown;
  let readHold: Promise<void> | undefined;
  let updateHold: Promise<void> | undefined;
  /** As Blackbird last wrote it. */
  let ownPlan = plan;

  const store: MemoryPlanStore = {
    file: '/project/blackbird.plan.json',
    plan,
    statuses: () => statuses(store.plan),
    failNextUpdate: (error = new AppError('E_STORE_WRITE', 'the disk is full')) => {
      updateFailure = error;
    },
    failNextRead: (error) => {
      readFailure = error;
    },
    holdNextRead: () => {
      const {promise, resolve} = deferred();
      readHold = promise;
      return resolve;
    },
    holdNextUpdate: () => {
      const {promise, resolve} = deferred();
      updateHold = promise;
      return resolve;
    },
    read: async () => {
      const hold = readHold;
      readHold = undefined;
      await hold;
      if (readFailure !== undefined) {
        const error = readFailure;
        readFailure = undefined;
        throw error;
      }
      return store.plan;
    },
    inspect: async () => ({plan: store.plan}),
    create: async () => false,
    watch: async () => {
      const before = store.plan;
      ownPlan = before;
      return {
        version: 'memory',
        edit: async () =>
          store.plan === ownPlan ? null : {before: {plan: before}, after: {plan: store.plan}},
      };
    },
    update: async (change) => {
      const hold = updateHold;
      updateHold = undefined;
      await hold;
      const before = store.plan;
      const after = change(before);
      if (after === before) return {before, after};
      if (updateFailure !== undefined) {
        const error = updateFailure;
        updateFailure = undefined;
        throw error;
      }
      const [problem] = checkPlanChange(before, after);
      if (problem) throw new AppError('E_PLAN_EDIT', problem.message);
      if (ownPlan === before) ownPlan = after;
      store.plan = after;
      for (const [id, {status}] of after.items) {
        if (before.items.get(id)?.status !== status) onStatus(id, status);
      }
      return {before, after};
    },
  };
  return store;
}
