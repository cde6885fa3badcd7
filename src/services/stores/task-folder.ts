import {createHash} from 'node:crypto';
import {isPlainTaskId} from '../contracts/task-id.ts';

/**
 * The folder name of a task: its id if that is a safe file name, else a readable part of it and a digest. An
 * escaped name ends in `~` and twelve digits, which no plain id can, so the two never clash.
 */
export function taskFolderName(taskId: string): string {
  if (isPlainTaskId(taskId)) return taskId;
  const readable = taskId.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 40);
  return `${readable}~${createHash('sha256').update(taskId).digest('hex').slice(0, 12)}`;
}
