import {AppError, shellWord} from '../../services/contracts/errors.ts';

/** For a task that never ran. */
export const noRun = (taskId: string): AppError =>
  new AppError('E_RUN_NOT_FOUND', `no runs found for ${taskId}`, {
    next: [{command: `blackbird execute ${shellWord(taskId)}`, why: 'run it for the first time'}],
  });
