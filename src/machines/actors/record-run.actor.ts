import {fromPromise} from 'xstate';
import type {ProcessIdentity} from '../../services/contracts/process.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import {applyRunChange} from '../policies/run-record.ts';
import {changeFor, type RunStep} from '../policies/run-step.ts';
import type {AgentEndings} from './agent.actor.ts';

export type RecordRunInput = {readonly run: RunRecord; readonly step: RunStep};

/** Writes a step of a run to its record; the next act begins when it is on disk. */
export function defineRecordRunActor({
  runs,
  endings,
  host,
  self,
  now,
  onRecorded,
}: {
  runs: Pick<RunStore, 'update'>;
  endings: AgentEndings;
  host: string;
  self: ProcessIdentity | null;
  now: () => string;
  onRecorded: (run: RunRecord) => void;
}) {
  return fromPromise<RunRecord, RecordRunInput>(async ({input: {run, step}}) => {
    const {end = null, text: result = ''} = endings.get(run.run_id) ?? {};
    const change = changeFor(step, {end, result, host, self});
    const recorded = await runs.update(run.task_id, run.run_id, (current) =>
      applyRunChange(current, change, now()),
    );
    // The last write of a segment: nobody asks again.
    if (step.type === 'ended' || step.type === 'paused') endings.delete(run.run_id);
    onRecorded(recorded);
    return recorded;
  });
}
