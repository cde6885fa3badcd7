import type {JobRecord} from '../../../services/contracts/job.ts';

/** The Blackbird that works on the project, or waits there: while it does, nothing else runs a task. */
export type JobAtWork = {
  /** Null for this very process. */
  readonly pid: number | null;
  /** What it goes on with by itself, and when. */
  readonly waitsFor: {readonly taskId: string; readonly until: string} | null;
  /** The tasks that it comes to by itself once they are ready; `all` of a job that executes the plan. */
  readonly takes: 'all' | readonly string[];
};

/** The tasks that its plan loop is kept to, none for every one; null where it has no such loop. */
export const wantedIn = ({steps}: JobRecord): readonly string[] | null => {
  const loop = steps.find(({type}) => type === 'execute');
  return loop === undefined ? null : (loop.taskIds ?? []);
};

/** `record`: the newest of the project, which may be that of an earlier job. */
export function jobAtWork(pid: number, record: JobRecord | null): JobAtWork {
  if (record === null || record.end !== undefined) return {pid, waitsFor: null, takes: []};
  const {waiting, stopAskedAt} = record;
  const wanted = wantedIn(record);
  return {
    pid,
    waitsFor: waiting ? {taskId: waiting.taskId, until: waiting.until} : null,
    takes: stopAskedAt !== undefined || wanted === null ? [] : wanted.length === 0 ? 'all' : wanted,
  };
}
