import {fromPromise} from 'xstate';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {parentsBefore} from '../policies/review/parent-review.ts';
import {type RunOrder, recordStep} from '../policies/run/run-order.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import type {RunStep} from '../policies/run/run-step.ts';
import {reinstate} from './reinstate.ts';
import type {PreparedTask} from './run-situation.ts';

/** A pause came during preparation: the run is recorded as never started, and replaces nothing. */
export function defineWithdrawRunActor(services: Pick<Services, 'runs' | 'now'>) {
  return fromPromise<RunRecord, {readonly run: RunRecord}>(async ({input: {run}}) => {
    await reinstate(services, run);
    return services.runs.update(run.task_id, run.run_id, (current) =>
      applyRunStep(current, {type: 'neverStarted'}, services.now()),
    );
  });
}

type Stores = Pick<Services, 'plans' | 'runs' | 'now'>;

/** The prepared agent was never released: everything is restored to how it was. */
export function defineWithdrawTaskActor(stores: Stores, onWithdrawn: (run: RunRecord) => void) {
  return fromPromise<RunRecord, {readonly prepared: PreparedTask}>(async ({input: {prepared}}) => {
    const {run, order, replaces, status, task} = prepared;
    const {plans, runs, now} = stores;
    if (replaces) await reinstate(stores, run);
    const recorded = (await runs.list(run.task_id)).runs.find(({run_id}) => run_id === run.run_id) ?? run;
    const steps = undoing(recorded, order);
    const stands =
      steps.length === 0
        ? recorded
        : await runs.update(run.task_id, run.run_id, (current) =>
            steps.reduce((before, step) => applyRunStep(before, step, now()), current),
          );
    await plans.update((plan) =>
      plan.items.has(task.id) ? setStatus(plan, task.id, status, now(), parentsBefore(run)) : plan,
    );
    onWithdrawn(stands);
    return stands;
  });
}

/** A message for a run that was not even released stays on it, for the next resume. */
function undoing({state}: RunRecord, order: RunOrder): readonly RunStep[] {
  if (state === 'running') return [{type: 'withdrawn'}];
  const hasWords = 'answers' in order || 'feedback' in order;
  return hasWords ? [recordStep(order), {type: 'withdrawn'}] : [];
}
