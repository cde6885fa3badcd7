import type {CommentedRun, LineComment} from '../../services/contracts/comment.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {unsentComments} from '../policies/review/line-comments.ts';
import {chainTo} from '../policies/run/task-runs.ts';

/** The comments of a run, preceded by undelivered ones of earlier runs: they are about the task. */
export async function commentsAt(
  {comments, runs}: Pick<Services, 'comments' | 'runs'>,
  run: CommentedRun,
): Promise<{
  readonly comments: readonly LineComment[];
  /** Delivered comments of earlier runs. */
  readonly heard: readonly LineComment[];
  readonly history: readonly RunRecord[];
}> {
  const [own, {runs: history}] = await Promise.all([comments.list(run), runs.list(run.task_id)]);
  const latest = history.find(({run_id}) => run_id === run.run_id);
  const before = latest ? chainTo(latest, history).filter((each) => each !== latest) : [];
  const earlier = (await Promise.all(before.map((each) => comments.list(each)))).flat();
  const unsent = unsentComments(earlier, history);
  const heard = earlier.filter((comment) => !unsent.includes(comment));
  return {comments: [...unsent, ...own], heard, history};
}
