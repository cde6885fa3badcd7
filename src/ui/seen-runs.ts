import type {RunRecord} from '../services/contracts/run.ts';
import type {JobView} from './model/facts.ts';
import type {ProjectData} from './ports.ts';

/** A run is active from its start until its record says that it ended. */
export function withRunAtWork(runs: JobView['runs'], run: RunRecord): JobView['runs'] {
  const atWork = new Map(runs);
  if (run.state === 'running') atWork.set(run.run_id, run);
  else atWork.delete(run.run_id);
  return atWork;
}

/** Puts a reported run where the next read from disk will find it too. */
export function withRun(data: ProjectData, run: RunRecord): ProjectData {
  const view = {...run, stdout: '', stderr: ''};
  return run.run_type === 'execute'
    ? {...data, runs: new Map(data.runs).set(run.task_id, view)}
    : {...data, reviews: new Map(data.reviews).set(run.task_id, view)};
}
