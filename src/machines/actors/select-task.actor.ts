import {fromPromise} from 'xstate';
import type {PlanStore} from '../../services/contracts/stores.ts';
import type {SelectTaskInput} from '../executor.machine.ts';
import {nextTask} from '../policies/readiness.ts';

/** Reads the plan again before every task, so that edits made while it runs count. */
export function defineSelectTaskActor({plans}: {plans: Pick<PlanStore, 'read'>}) {
  return fromPromise<string | null, SelectTaskInput>(
    async ({input}) => nextTask(await plans.read(), input)?.id ?? null,
  );
}
