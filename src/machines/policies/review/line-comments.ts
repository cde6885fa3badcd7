import type {ChangedFile} from '../../../services/contracts/changes.ts';
import type {LineComment} from '../../../services/contracts/comment.ts';
import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {DecisionState, RunRecord} from '../../../services/contracts/run.ts';
import {takesFeedback} from '../run/run-options.ts';
import {reachedAgent} from '../run/task-runs.ts';
import {counted} from '../text/counted.ts';

/** A comment's position and text. */
export type CommentDraft = Pick<LineComment, 'file' | 'side' | 'line' | 'text'>;

/** `src/a.ts:12=text`; `:-12` is line 12 before the change, for removed lines. */
export function parseComment(given: string): CommentDraft {
  const [, file, sign, digits = '', text = ''] = /^(.+?):(-?)(\d{1,9})=(.*)$/s.exec(given) ?? [];
  const line = Number(digits);
  if (file === undefined || line === 0)
    throw new AppError('E_USAGE', `a comment is file:line=text, not ${JSON.stringify(given)}`);
  if (text.trim() === '') throw new AppError('E_NO_INPUT', `the comment on ${file}:${line} is empty`);
  return {file, side: sign === '-' ? 'old' : 'new', line, text: text.trim()};
}

/** A comment must be about a line of the change; any other name is a typo, or not a file. */
export function requireChanged(
  {file, side}: CommentDraft,
  files: readonly ChangedFile[],
  taskId: string,
): ChangedFile {
  const changed = files.find((each) => each.path === file || (side === 'old' && each.from === file));
  if (changed) return changed;
  throw new AppError('E_USAGE', `${taskId} did not change ${JSON.stringify(file)}`, {
    details: files.slice(0, 10).map((each) => ['changed', each.path]),
    next: [{command: `blackbird diff ${shellWord(taskId)} --stat`, why: 'see what it changed'}],
  });
}

/** `count` is the number of lines on this side of the change. */
export function requireLine({file, side, line}: CommentDraft, count: number, taskId: string): void {
  if (line <= count) return;
  const when = side === 'new' ? 'after' : 'before';
  throw new AppError(
    'E_USAGE',
    `${JSON.stringify(file)} has no line ${line} ${when} the change of ${taskId}`,
    {
      details: [
        ['lines', count === 0 ? `none ${when} the change` : `1 to ${count} ${when} the change`],
        ['place', 'file:line is a line as it is after the change, file:-line one as it was before'],
      ],
      next: [{command: `blackbird diff ${shellWord(taskId)}`, why: 'see its lines'}],
    },
  );
}

/** The run that delivered a comment to its agent; null if none has. */
export const sentWith = (id: string, runs: readonly RunRecord[]): string | null =>
  runs.find((run) => run.comment_ids?.includes(id) && reachedAgent(run))?.run_id ?? null;

export const unsentComments = (
  comments: readonly LineComment[],
  runs: readonly RunRecord[],
): readonly LineComment[] => comments.filter(({id}) => sentWith(id, runs) === null);

/** `src/a.ts:12`, or `src/a.ts:12 (before the change)` for a removed line. */
export const placeOf = ({file, side, line}: Pick<LineComment, 'file' | 'side' | 'line'>): string =>
  `${file}:${line}${side === 'old' ? ' (before the change)' : ''}`;

const heading = 'Comments on lines of the change:';

/** A request without the comments that were sent with it. */
export function requestWords(feedback: string): string {
  const at = `\n${feedback}`.indexOf(`\n${heading}\n`);
  return (at < 0 ? feedback : feedback.slice(0, at)).trim();
}

/** The prompt that sends the agent back: the request, then each comment with its position. */
export function feedbackWith(words: string, comments: readonly CommentDraft[]): string {
  if (comments.length === 0) return words;
  const listed = comments.map(
    (comment) => `- ${placeOf(comment)}: ${comment.text.trim().replaceAll('\n', '\n  ')}`,
  );
  return [...(words.trim() === '' ? [] : [words.trim(), '']), heading, ...listed].join('\n');
}

/** A note about comments that a decision did not send, and what to do then; null if there are none. */
export function unsentWords(run: RunRecord, count: number, decision: DecisionState): string | null {
  if (count === 0) return null;
  const [task, many] = [shellWord(run.task_id), count > 1];
  const kept = `${commentCount(count)} on ${run.task_id} ${many ? 'were' : 'was'} not sent and ${many ? 'are' : 'is'} kept: blackbird review ${task} --comments`;
  if (decision === 'rejected') return kept;
  // The next task starts at once, and a committed change is final: neither can be withdrawn.
  if (decision === 'approved_continue' || run.commit?.sha !== undefined)
    return takesFeedback(run)
      ? `${kept}. To have it changed anyway: blackbird resume ${task} --feedback <text>`
      : kept;
  return `${kept}. To send ${many ? 'them' : 'it'}: blackbird review ${task} --withdraw, then blackbird review ${task} --request-changes`;
}

export const commentCount = (count: number): string => counted(count, 'comment');
