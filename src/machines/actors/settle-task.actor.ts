import {fromPromise} from 'xstate';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {setStatus} from '../policies/plan-status.ts';
import {isUnheard, statusOf, tellingRun} from '../policies/run-status.ts';
import type {SettleTaskInput} from '../task.machine.ts';

/** Lets the plan say what the run says. A task that was deleted meanwhile has nothing to say. */
export function defineSettleTaskActor(
  {plans, runs, now}: Pick<Services, 'plans' | 'runs' | 'now'>,
  onSettled: (run: RunRecord) => void,
) {
  return fromPromise<void, SettleTaskInput>(async ({input: {taskId, run}}) => {
    const telling = (isUnheard(run) && tellingRun((await runs.list(taskId)).runs)) || run;
    await plans.updateSoon((plan) =>
      plan.items.has(taskId) ? setStatus(plan, taskId, statusOf(telling), now()) : plan,
    );
    onSettled(run);
  });
}
