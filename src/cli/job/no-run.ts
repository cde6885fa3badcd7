import {AppError, shellWord} from '../../services/contracts/errors.ts';

/** The run that was asked for, or any run of the task, is not there. */
export function noRun(taskId: string, runId: string | undefined): AppError {
  const id = shellWord(taskId);
  if (runId === undefined) {
    return new AppError('E_RUN_NOT_FOUND', `no runs found for ${taskId}`, {
      next: [{command: `blackbird execute ${id}`, why: 'run it for the first time'}],
    });
  }
  return new AppError('E_RUN_NOT_FOUND', `task ${taskId} has no run ${JSON.stringify(runId)}`, {
    next: [{command: `blackbird runs ${id}`, why: 'see its runs'}],
  });
}
