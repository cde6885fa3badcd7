import {useEffect, useEffectEvent, useRef, useState} from 'react';
import type {RunComments} from '../../machines/actors/run-comments.ts';
import type {TaskDiff} from '../../machines/actors/task-change.ts';
import type {OpenCheckpointDraft, OpenDraft} from '../../machines/drafts.ts';
import type {CheckpointAnswer} from '../../machines/policies/review/decisions.ts';
import {commentCount} from '../../machines/policies/review/line-comments.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {OutsideProgram} from '../../machines/policies/text/outside-program.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import {usePromptFrame} from '../components/prompt-frame.tsx';
import {unmarked} from '../components/select.ts';
import {type CommentPlace, isSamePlace} from '../diff/comments.ts';
import {type DiffView, diffContent, newDiffView, patchOf, rowAt, withContent} from '../diff/diff-view.ts';
import type {PatchRow} from '../diff/patch.ts';
import type {ReviewSubject} from '../diff/review-head.ts';
import {frameOf, readFilesFor, unkeptNotice, unkeptWords, useFileList} from '../editor/editor.tsx';
import {withDraft} from '../editor/editor-state.ts';
import {editorLines} from '../editor/editor-view.ts';
import type {FileIndex} from '../editor/file-index.ts';
import {useDraft} from '../editor/use-draft.ts';
import {useStepper} from '../input/use-stepper.ts';
import {
  type CheckpointFrame,
  type CheckpointOutcome,
  type CheckpointState,
  checkpointState,
  checkpointStep,
  withComments,
} from './checkpoint-state.ts';
import {checkpointLines, diffFrameOf} from './checkpoint-view.ts';
import type {CommentChange} from './comment-change.ts';

export type CheckpointPromptProps = ReviewSubject & {
  readonly files: FileIndex;
  readonly loadDiff: () => Promise<TaskDiff>;
  readonly comments: RunComments;
  /** Why changes cannot be requested (no session to resume); the choice is shown with the reason. */
  readonly changesRefused?: string | null;
  /** Why no editor can be opened; null if one can. */
  readonly editorRefused?: string | null;
  /** Where feedback, a reason or a comment is kept while it is written. */
  readonly openDraft: OpenCheckpointDraft;
  /** The previous position: another program had the terminal, or the prompt was left. */
  readonly diff?: DiffView;
  readonly columns: number;
  /** The maximum number of lines. */
  readonly rows: number;
  readonly isActive?: boolean;
  /** Called once. To ask again, mount a new prompt. */
  readonly onDecide: (decision: CheckpointAnswer) => void;
  readonly onLater: () => void;
  readonly onDiff?: (diff: DiffView) => void;
  /** Gives the terminal to a program; the prompt may be unmounted for it. */
  readonly onProgram: (program: OutsideProgram) => void;
};

/** The decision after a task, for both the command line and the TUI. */
export function CheckpointPrompt(props: CheckpointPromptProps) {
  const {task, run, files, loadDiff, comments, changesRefused = null, editorRefused = null} = props;
  const {openDraft, columns, rows, isActive = true, onDiff} = props;
  const subject: ReviewSubject = {task, run};
  const list = useFileList(files);
  const {Frame, footColumns} = usePromptFrame();
  const room = {columns, rows, footColumns: footColumns ?? columns};
  const frame = (state: CheckpointState): CheckpointFrame => ({
    // The commented line is shown above the text.
    editor: frameOf({list: files.get(), columns, rows: state.view === 'commenting' ? rows - 1 : rows}),
    diff: {...diffFrameOf(state, subject, {columns, rows}), editorRefused, commentRefused: null},
    changesRefused,
    run,
  });
  const [draft] = useState(() => openDraft('feedback'));
  const [reason] = useState(() => openDraft('rejection'));
  /** For the comment in the editor, or the last one that was there. */
  const commentDraft = useRef<{readonly draft: OpenDraft; readonly place: CommentPlace} | null>(null);
  const stepper = useStepper({
    initial: () => checkpointState(props.diff ?? newDiffView),
    step: (before, key) => {
      if (before.view === 'writing' || before.view === 'commenting') readFilesFor(key, files);
      return checkpointStep(before, key, frame(before));
    },
    onChange: (next, before) => {
      const [text, why] = [next.editor.buffer.text, next.reason.buffer.text];
      if (text !== before.editor.buffer.text) draft.change(text);
      if (why !== before.reason.buffer.text) reason.change(why);
      keepComment(next, before);
      onDiff?.({...next.diff, isFocused: next.view !== 'choosing' && !next.isOver});
    },
    onOutcome,
    away: (now) => ({...now, choice: unmarked}),
    isActive,
  });
  const {state, update} = stepper;
  useDraft(draft, stepper, {
    restored: (now, recalled) => ({...now, editor: withDraft(now.editor, recalled, '')}),
    textOf: ({editor}) => editor.buffer.text,
  });
  useDraft(reason, stepper, {
    restored: (now, recalled) => ({...now, reason: withDraft(now.reason, recalled, '')}),
    textOf: ({reason: {buffer}}) => buffer.text,
  });
  useEffect(() => () => void commentDraft.current?.draft.close(), []);

  /** A comment is a draft from its first key until it is stored with the run or discarded. */
  function keepComment(next: CheckpointState, before: CheckpointState): void {
    if (next.view !== 'commenting') {
      if (before.view === 'commenting') void commentDraft.current?.draft.close();
      return;
    }
    const {editor, place} = next.comment;
    if (before.view === 'commenting') {
      if (editor.buffer.text !== before.comment.editor.buffer.text) {
        commentDraft.current?.draft.change(editor.buffer.text);
      }
      return;
    }
    const opened = {draft: openDraft('comments', place), place};
    commentDraft.current = opened;
    void opened.draft.recalled.then((recalled) =>
      update((now) => {
        if (now.view !== 'commenting' || commentDraft.current !== opened) return now;
        const {comment} = now;
        return {
          ...now,
          comment: {...comment, editor: withDraft(comment.editor, recalled, editor.buffer.text)},
        };
      }),
    );
  }

  const say = (notice: string) => update((now) => ({...now, notice}));
  const readComments = async () => {
    const [known, heard] = await Promise.all([comments.list(run), comments.heard(run)]);
    const unsent = known.filter(({sentWith}) => sentWith === null).map(({comment}) => comment);
    update((now) => withComments(now, unsent, heard));
  };
  /** Shows what is on disk afterwards, whether the change succeeded or not. */
  const changeComments = (change: Promise<unknown>) => {
    change
      .catch((error: unknown) => say(messageOf(error)))
      .then(readComments)
      .catch((error: unknown) => say(messageOf(error)));
  };
  const load = useEffectEvent(() => {
    readComments().catch((error: unknown) => say(messageOf(error)));
    if (state.diff.content !== null) return;
    loadDiff().then(
      (diff) => update((now) => ({...now, diff: withContent(now.diff, diffContent(diff))})),
      (error: unknown) => update((now) => ({...now, diff: {...now.diff, problem: messageOf(error)}})),
    );
  });
  useEffect(() => load(), []);

  function onOutcome(outcome: CheckpointOutcome): void {
    if (outcome.type === 'decide') props.onDecide(outcome.decision);
    else if (outcome.type === 'later') props.onLater();
    else if (outcome.type === 'openEditor') props.onProgram({...outcome, type: 'editor'});
    else if (outcome.type === 'openPager') {
      props.onProgram({type: 'pager', patch: patchOf(state.diff).text});
    } else {
      changeComments(changed(outcome, takeDraft(outcome)));
    }
  }

  /** For this line only, and synchronously: the next comment may be started before this one is on disk. */
  function takeDraft({place}: CommentChange): OpenDraft | null {
    const found = commentDraft.current;
    if (found === null || !isSamePlace(found.place, place)) return null;
    commentDraft.current = null;
    return found.draft;
  }

  /** The draft is removed only once the comment is on disk. */
  async function changed(change: CommentChange, draft: OpenDraft | null): Promise<void> {
    await stored(change);
    await draft?.drop();
    if (change.type === 'removeComment' && change.text !== '') await keepAsDraft(change.place, change.text);
  }

  /** One key removes a comment, so its text stays a draft of its line. */
  async function keepAsDraft(place: CommentPlace, text: string): Promise<void> {
    const kept = openDraft('comments', place);
    await kept.recalled;
    kept.change(text);
    const problem = await kept.close();
    if (problem !== null) say(unkeptWords(problem));
  }

  async function stored(change: CommentChange): Promise<unknown> {
    switch (change.type) {
      case 'dropComment':
        return;
      case 'addComment':
        return comments.add(run, [{...change.place, text: change.text}]);
      case 'editComment':
        return comments.edit(run, change.id, change.text);
      case 'removeComment':
        return comments.remove(run, change.id);
    }
  }

  if (state.view !== 'writing' && state.view !== 'commenting') {
    return <Frame lines={checkpointLines(state, subject, room, frame(state))} />;
  }
  const text = {columns, footColumns: room.footColumns, height: rows, list, notice: state.notice};
  if (state.view === 'commenting') {
    const {editor, place} = state.comment;
    const title = `Comment  ${displayLine(place.file)}:${place.line}`;
    const view = {...text, title, about: rowText(rowAt(state.diff)), submits: 'keep' as const};
    return <Frame lines={editorLines(editor, {...view, placeholder: 'What about this line?'})} isWriting />;
  }
  const {label, words} = state.writing;
  const isRequest = words === 'required';
  const count = state.comments.length;
  const sent =
    count === 0 ? '' : `  ${isRequest ? `with ${commentCount(count)}` : `${commentCount(count)} not sent`}`;
  const view = {
    ...text,
    notice: state.notice ?? unkeptNotice(isRequest ? draft : reason),
    title: `${label}  ${displayLine(task.id)}${sent}`,
    placeholder: isRequest
      ? count === 0
        ? 'What should be different? @ names a file.'
        : 'Anything else? The comments are sent too.'
      : 'Why? A later attempt will see it. Files stay for now.',
  };
  return <Frame lines={editorLines(isRequest ? state.editor : state.reason, view)} isWriting />;
}

/** A row of the diff as git would write it. */
const rowText = (row: PatchRow | undefined): string =>
  `${row?.kind === 'added' ? '+' : row?.kind === 'removed' ? '-' : ' '} ${row?.text ?? ''}`;
