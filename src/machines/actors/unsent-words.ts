import {messageOf} from '../../services/contracts/errors.ts';
import type {DecisionState, RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {unsentComments, unsentWords} from '../policies/review/line-comments.ts';

/** Mentions text about a task that a decision leaves unsent. Nothing is lost, so nothing stops for it. */
export async function warnAboutUnsent(
  {comments, runs}: Pick<Services, 'comments' | 'runs'>,
  run: RunRecord,
  decision: DecisionState | undefined,
  warn: (message: string) => void,
): Promise<void> {
  if (decision === undefined || decision === 'pending' || decision === 'changes_requested') return;
  try {
    const history = (await runs.list(run.task_id)).runs;
    const written = (await Promise.all(history.map((each) => comments.list(each)))).flat();
    const words = unsentWords(run, unsentComments(written, history).length, decision);
    if (words !== null) warn(words);
  } catch (error) {
    warn(messageOf(error));
  }
}
