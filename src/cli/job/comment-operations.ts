import {recallDecision} from '../../machines/actors/decision.actor.ts';
import type {KnownComment} from '../../machines/actors/run-comments.ts';
import {parseComment, placeOf} from '../../machines/policies/review/line-comments.ts';
import {noDecision} from '../../machines/policies/run/run-refusals.ts';
import {displayLine, displayText} from '../../machines/policies/text/display-text.ts';
import type {LineComment} from '../../services/contracts/comment.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {Project} from '../composition.ts';
import type {OpenedEngine} from './engine-composition.ts';

// What `review` does with line comments. None of it needs the project lock.

type Comments = Pick<OpenedEngine, 'comments' | 'runs'>;

/** Stores these comments with the run at its checkpoint: all or none. */
export async function addComments(
  {comments, runs}: Comments,
  {plans}: Pick<Project, 'plans'>,
  taskId: string,
  given: readonly string[],
): Promise<readonly LineComment[]> {
  const drafts = given.map(parseComment);
  const open = await recallDecision({plans, runs}, taskId);
  if (open === null) throw noDecision(taskId);
  const {run} = open;
  return comments.add(run, drafts);
}

/** Every comment on the task, whichever run it was written for. */
export async function commentsOn(
  {comments, runs}: Comments,
  taskId: string,
): Promise<readonly KnownComment[]> {
  // A later run also lists comments that were never sent.
  const known = new Map<string, KnownComment>();
  for (const run of (await runs.list(taskId)).runs)
    for (const each of await comments.list(run)) known.set(each.comment.id, each);
  return [...known.values()];
}

export async function removeComment(opened: Comments, taskId: string, id: string): Promise<LineComment> {
  const found = (await commentsOn(opened, taskId)).find(({comment}) => comment.id === id);
  if (found) return opened.comments.remove(found.comment, id);
  throw new AppError('E_COMMENT_NOT_FOUND', `${taskId} has no comment ${JSON.stringify(id)}`, {
    next: [{command: `blackbird review ${shellWord(taskId)} --comments`, why: 'see those it has'}],
  });
}

/** As data: the comment and the run it was sent with. */
export const commentData = ({comment, sentWith}: KnownComment) => ({...comment, sent_with: sentWith});

export function commentText({comment, sentWith}: KnownComment): string {
  const text = displayText(comment.text).trimEnd().replaceAll('\n', '\n  ');
  const sent = sentWith === null ? '' : `  (sent with ${displayLine(sentWith)})`;
  return `${comment.id}  ${displayLine(placeOf(comment))}${sent}\n  ${text}`;
}
