import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';

/** Every run of a task that a gate depends on. One record that cannot be read keeps the gate closed. */
export async function readableRuns(
  {runs}: Pick<Services, 'runs'>,
  taskId: string,
): Promise<readonly RunRecord[]> {
  const {runs: found, broken} = await runs.list(taskId);
  const [first] = broken;
  if (!first) return found;
  const [file, task] = [shellWord(first.file), shellWord(taskId)];
  throw new AppError(
    'E_STORE_CORRUPT',
    `whether ${taskId} waits for a person is not known: its run record ${first.file} cannot be used: ${first.reason}`,
    {
      details: [
        ['file', first.file],
        ['reason', first.reason],
        ['task', taskId],
      ],
      next: [
        {command: `mv ${file} ${file}.broken`, why: 'mend it, or move it aside'},
        {command: `blackbird set-status ${task} done`, why: 'then say how the task stands: done, or todo'},
      ],
    },
  );
}
