import type {PauseFact} from '../../machines/chart-parts.ts';
import {continueCommand} from '../../machines/policies/job/summary-lines.ts';
import {commentCount, requestWords} from '../../machines/policies/review/line-comments.ts';
import {hasUndeliveredAnswer} from '../../machines/policies/run/task-runs.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {painter} from '../terminal/paint.ts';

/** A pause requested by another terminal or a signal has to be explained here. */
export function pausingLine({reason, isForced, isAskedElsewhere}: PauseFact): string {
  const asked = isAskedElsewhere ? ', as asked in another terminal' : '';
  if (isForced) return `forcing the agent to stop${asked}…`;
  if (reason === 'terminated') return 'pausing…';
  return isAskedElsewhere ? `pausing${asked}… (Ctrl+C to force)` : '^C pausing… (Ctrl+C again to force)';
}

/** A task the job skips because it waits for the user. */
export function restingLine(run: RunRecord): string {
  const id = displayLine(run.task_id);
  if (run.state === 'paused') return `Ⅱ ${id} is paused: ${continueCommand(run)}`;
  if (hasUndeliveredAnswer(run))
    return `? your answer did not reach the agent of ${id}: ${continueCommand(run)}`;
  return `? ${id} waits for your answer: ${continueCommand(run)}`;
}

/** What was requested at a checkpoint, shown before the run that delivers it to the agent. */
export function changesLine(run: RunRecord, paint: ReturnType<typeof painter>): string {
  const {task_id, decision_feedback = '', decision_comment_ids: comments = []} = run;
  const words = displayLine(requestWords(decision_feedback));
  const said = words === '' ? '' : `: ${words}`;
  const count = comments.length === 0 ? '' : ` (${commentCount(comments.length)})`;
  return `${paint('yellow', '↩')} ${displayLine(task_id)}  changes requested${said}${count}`;
}
