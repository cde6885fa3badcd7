import type {CommentPlace} from '../diff/comments.ts';
import type {EditorState} from '../editor/editor-state.ts';

/** A comment in the editor: its line, and its id if it already exists. */
export type WrittenComment = {
  readonly place: CommentPlace;
  readonly id: string | null;
  readonly editor: EditorState;
};

/** What the user does with the comment on a line. */
export type CommentChange = {readonly place: CommentPlace} & (
  | {readonly type: 'addComment'; readonly text: string}
  | {readonly type: 'editComment'; readonly id: string; readonly text: string}
  /** `text` is what is removed with a key; empty if it was emptied in the editor. */
  | {readonly type: 'removeComment'; readonly id: string; readonly text: string}
  /** The text is discarded; an existing comment stays as it was. */
  | {readonly type: 'dropComment'}
);

/** The change to a comment: a known one has an id, a new one none. Null if it is discarded. */
export function writtenChange(id: string | null, text: string | null) {
  if (text === null || (id === null && text === '')) return {type: 'dropComment'} as const;
  if (id === null) return {type: 'addComment', text} as const;
  return {type: text === '' ? 'removeComment' : 'editComment', id, text} as const;
}
