import {type CommentedRun, commentSchemaVersion, type LineComment} from '../../services/contracts/comment.ts';
import {AppError, shellWord} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {type CommentDraft, requireChanged, requireLine, sentWith} from '../policies/review/line-comments.ts';
import {chainOf, taskFiles} from './task-change.ts';
import {commentsAt} from './task-comments.ts';

/** A comment and the run that delivered it; null if it was not sent. */
export type KnownComment = {readonly comment: LineComment; readonly sentWith: string | null};

/** Comment operations for the command line and the terminal UI. */
export interface RunComments {
  list(run: CommentedRun): Promise<readonly KnownComment[]>;
  /** Delivered comments of the earlier runs that this one continues. */
  heard(run: CommentedRun): Promise<readonly LineComment[]>;
  /** Refuses everything if one file is not in the change of the run, or a file does not have the line. */
  add(run: RunRecord, drafts: readonly CommentDraft[]): Promise<readonly LineComment[]>;
  /** Like `remove`, refuses a comment that was sent. */
  edit(run: CommentedRun, id: string, text: string): Promise<LineComment>;
  remove(run: CommentedRun, id: string): Promise<LineComment>;
}

export function createRunComments({
  comments,
  runs,
  changes,
  now,
  newUuid,
}: Pick<Services, 'comments' | 'runs' | 'changes' | 'now' | 'newUuid'>): RunComments {
  const list: RunComments['list'] = async (run) => {
    const {comments: known, history} = await commentsAt({comments, runs}, run);
    return known.map((comment) => ({comment, sentWith: sentWith(comment.id, history)}));
  };
  const unsent = async (run: CommentedRun, id: string): Promise<LineComment> => {
    const found = (await list(run)).find(({comment}) => comment.id === id);
    const next = [
      {command: `blackbird review ${shellWord(run.task_id)} --comments`, why: 'see its comments'},
    ];
    if (!found) throw new AppError('E_COMMENT_NOT_FOUND', `${run.task_id} has no comment ${id}`, {next});
    if (found.sentWith === null) return found.comment;
    throw new AppError('E_COMMENT_SENT', `comment ${id} was sent with run ${found.sentWith}`, {next});
  };
  return {
    list,
    heard: async (run) => (await commentsAt({comments, runs}, run)).heard,
    add: async (run, drafts) => {
      const {files, ...trees} = await taskFiles(changes, await chainOf(runs, run));
      for (const draft of drafts) {
        const file = requireChanged(draft, files, run.task_id);
        const [tree, name] =
          draft.side === 'new' ? [trees.to, file.path] : [trees.from, file.from ?? file.path];
        // A binary file has no lines to count.
        if (file.lines !== null) requireLine(draft, await changes.countLines(tree, name), run.task_id);
      }
      const {task_id, run_id} = run;
      const time = now();
      const stamps = {created_at: time, updated_at: time};
      // Written at the same moment, so the ids keep their order.
      const ids = drafts.map(() => newUuid().replaceAll('-', '').slice(-8)).sort();
      const written = ids.flatMap((id, place): LineComment[] => {
        const draft = drafts[place];
        return draft
          ? [{schema_version: commentSchemaVersion, id, task_id, run_id, ...draft, ...stamps}]
          : [];
      });
      for (const comment of written) await comments.save(comment);
      return written;
    },
    edit: async (run, id, text) => {
      const comment = {...(await unsent(run, id)), text, updated_at: now()};
      await comments.save(comment);
      return comment;
    },
    remove: async (run, id) => {
      const comment = await unsent(run, id);
      await comments.remove(comment, id);
      return comment;
    },
  };
}
