import {AppError} from '../contracts/errors.ts';
import {type RunFiles, runIdForm} from '../contracts/run.ts';

/** Rejects an invalid run id before it becomes part of a path. */
export function checkedRunId(runId: string): string {
  if (runIdForm.test(runId)) return runId;
  throw new AppError('E_RUN_NOT_FOUND', `${JSON.stringify(runId)} is not a run id`);
}

/** The files of one run in the folder of its task. */
export function runFilesIn(folder: string, runId: string): RunFiles {
  const base = `${folder}/${checkedRunId(runId)}`;
  return {
    record: `${base}.json`,
    stdout: `${base}.stdout.log`,
    stderr: `${base}.stderr.log`,
    times: `${base}.times.log`,
    journal: `${base}.journal.jsonl`,
  };
}
