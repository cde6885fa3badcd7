import type {RunRecord} from '../../../services/contracts/run.ts';
import type {JobTask} from './job-steps.ts';

/** A task whose run was held up, when its time has come. Without a session nothing was done that could be lost. */
export const retriedTask = ({taskId}: JobTask, {resumable}: Pick<RunRecord, 'resumable'>): JobTask => ({
  type: 'task',
  taskId,
  mode: resumable ? {type: 'resume', answers: [], feedback: null} : {type: 'restart'},
  isRetry: true,
});
