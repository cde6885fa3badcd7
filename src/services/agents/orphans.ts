import type {ProcessIdentity} from '../contracts/process.ts';
import type {RunRecord} from '../contracts/run.ts';
import {livenessOf} from '../system/process-identity.ts';
import {findRunProcesses} from './marked-processes.ts';

/** The first process of the run's check, or else of its last segment, as recorded. */
export function leaderOf({
  segments,
  check,
}: Pick<RunRecord, 'segments' | 'check'>): ProcessIdentity | undefined {
  const last = check ?? segments.at(-1);
  return (
    last && {
      pid: last.pid,
      startTime: last.start_time,
      bootId: last.boot_id,
      pidNamespace: last.pid_namespace,
    }
  );
}

/** The live processes of a run, ordered by pid. Without an owner they are orphans. */
export function livingProcesses(run: Pick<RunRecord, 'run_id' | 'segments' | 'check'>): readonly number[] {
  const recorded = leaderOf(run);
  const leader = recorded && livenessOf(recorded) === 'alive' ? recorded : undefined;
  return (
    findRunProcesses({runId: run.run_id, leader})
      // A reaper that is about to exit is not an agent.
      .found.filter(({pid, isMarked}) => isMarked || pid !== leader?.pid)
      .map(({pid}) => pid)
      .toSorted((a, b) => a - b)
  );
}
