import {messageOf} from '../../services/contracts/errors.ts';
import type {DecisionState, RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {unsentComments, unsentWords} from '../policies/review/line-comments.ts';

/** Tells what a person wrote about a task that a decision leaves unsent. Nothing of it is lost, so nothing stops for it. */
export async function tellUnsent(
  {comments, runs}: Pick<Services, 'comments' | 'runs'>,
  {task_id}: Pick<RunRecord, 'task_id'>,
  decision: DecisionState | undefined,
  warn: (message: string) => void,
): Promise<void> {
  if (decision === undefined || decision === 'pending' || decision === 'changes_requested') return;
  try {
    const history = (await runs.list(task_id)).runs;
    const written = (await Promise.all(history.map((run) => comments.list(run)))).flat();
    const words = unsentWords(task_id, unsentComments(written, history).length, decision);
    if (words !== null) warn(words);
  } catch (error) {
    warn(messageOf(error));
  }
}
