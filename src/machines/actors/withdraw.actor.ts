import {fromPromise} from 'xstate';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {parentsBefore} from '../policies/review/parent-review.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import {reinstate} from './recover-runs.actor.ts';
import type {PreparedTask} from './run-situation.ts';

/** A pause came while the run was being prepared: it is recorded as never started, and replaces nothing. */
export function defineWithdrawRunActor(services: Pick<Services, 'runs' | 'now'>) {
  return fromPromise<RunRecord, {readonly run: RunRecord}>(async ({input: {run}}) => {
    await reinstate(services, run);
    return services.runs.update(run.task_id, run.run_id, (current) =>
      applyRunStep(current, {type: 'neverStarted'}, services.now()),
    );
  });
}

type Stores = Pick<Services, 'plans' | 'runs' | 'now'>;

/** A run that was prepared and whose agent never went: everything is as it was before. */
export function defineWithdrawTaskActor(stores: Stores, onWithdrawn: (run: RunRecord) => void) {
  return fromPromise<RunRecord, {readonly prepared: PreparedTask}>(async ({input: {prepared}}) => {
    const {run, replaces, status, task} = prepared;
    const {plans, runs, now} = stores;
    if (replaces) await reinstate(stores, run);
    const recorded = (await runs.list(run.task_id)).runs.find(({run_id}) => run_id === run.run_id) ?? run;
    const stands =
      recorded.state === 'running'
        ? await runs.update(run.task_id, run.run_id, (current) =>
            applyRunStep(current, {type: 'withdrawn'}, now()),
          )
        : recorded;
    await plans.update((plan) =>
      plan.items.has(task.id) ? setStatus(plan, task.id, status, now(), parentsBefore(run)) : plan,
    );
    onWithdrawn(stands);
    return stands;
  });
}
