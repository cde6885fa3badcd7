import {createActor, toPromise} from 'xstate';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {requireTask} from '../policies/plan/plan-graph.ts';
import {setStatus} from '../policies/plan/plan-status.ts';
import {requirePossible} from '../policies/run/run-refusals.ts';
import {latestDeliveredRun} from '../policies/run/task-runs.ts';
import {runMachine} from '../run.machine.ts';
import {readableRuns} from './readable-runs.ts';
import {defineRecordRunActor} from './record-run.actor.ts';
import {factsHere} from './run-situation.ts';
import {startedSince} from './started-since.ts';
import {underLock} from './under-lock.ts';

/** Withdraws an approval that nothing builds on yet. Holds the project lock, so that nothing can start meanwhile. */
export async function withdrawApproval(services: Services, taskId: string): Promise<RunRecord> {
  const {plans, runs, lock, now} = services;
  return underLock(lock, async () => {
    const plan = await plans.read();
    const task = requireTask(plan, taskId);
    const run = latestDeliveredRun(await readableRuns(services, taskId));
    const moment = run?.decision_resolved_at;
    const latestStart = moment === undefined ? null : await startedSince({runs}, plan, moment);
    const known = {run, isSentBack: false, explicitProvider: null, latestStart};
    const {circumstances, ...facts} = factsHere(services, plan, task, known);
    requirePossible({circumstances, ...facts}, 'withdraw');
    if (run === null) throw new Error('Only a run can be approved');
    // The plan first: after a crash the approval can be withdrawn again.
    await plans.update((current) => setStatus(current, taskId, 'in_progress', now()));
    const recordRun = defineRecordRunActor({...services, endings: new Map(), onRecorded: () => {}});
    const actor = createActor(runMachine.provide({actors: {recordRun}}), {
      input: {run, order: {type: 'review.withdraw'}, graceMilliseconds: 0, circumstances},
    });
    const finished = toPromise(actor);
    actor.start();
    const output = await finished;
    if (output.outcome === 'error') throw output.error;
    return output.run;
  });
}
