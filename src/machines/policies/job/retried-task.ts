import type {RunRecord} from '../../../services/contracts/run.ts';
import type {JobTask} from './job-steps.ts';

/** Continues a held-up task when its time has come. Without a session there was no work to lose. */
export const retriedTask = ({taskId}: JobTask, {resumable}: Pick<RunRecord, 'resumable'>): JobTask => ({
  type: 'task',
  taskId,
  mode: resumable ? {type: 'resume', answers: [], feedback: null} : {type: 'restart'},
  isRetry: true,
});
