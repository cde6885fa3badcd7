import {fromPromise} from 'xstate';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {applyRunStep} from '../policies/run/run-record.ts';
import {reinstate} from './recover-runs.actor.ts';

/** A pause came while the run was being prepared: it is recorded as never started, and replaces nothing. */
export function defineWithdrawRunActor(services: Pick<Services, 'runs' | 'now'>) {
  return fromPromise<RunRecord, {readonly run: RunRecord}>(async ({input: {run}}) => {
    await reinstate(services, run);
    return services.runs.update(run.task_id, run.run_id, (current) =>
      applyRunStep(current, {type: 'neverStarted'}, services.now()),
    );
  });
}
