import type {JobRecord} from '../../../services/contracts/job.ts';

/** The Blackbird that is running or waiting in this project. Until it ends, no other job can run a task. */
export type JobAtWork = {
  /** Null for the current process. */
  readonly pid: number | null;
  /** The task it will continue by itself, and when. */
  readonly waitsFor: {readonly taskId: string; readonly until: string} | null;
  /** The tasks it will run by itself once they are ready; `all` if it executes the whole plan. */
  readonly takes: 'all' | readonly string[];
};

/** The tasks its plan loop is limited to, empty for all; null if it has no plan loop. */
export const wantedIn = ({steps}: JobRecord): readonly string[] | null => {
  const loop = steps.find(({type}) => type === 'execute');
  return loop === undefined ? null : (loop.taskIds ?? []);
};

/** `record` is the newest job record, which may belong to an earlier job. */
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
