import type {CommentPlace} from '../diff/comments.ts';
import type {EditorState} from '../editor/editor-state.ts';

/** A comment in the editor: on which line, and its id where it exists already. */
export type WrittenComment = {
  readonly place: CommentPlace;
  readonly id: string | null;
  readonly editor: EditorState;
};

/** What a person does with the comment on a line. */
export type CommentChange = {readonly place: CommentPlace} & (
  | {readonly type: 'addComment'; readonly text: string}
  | {readonly type: 'editComment'; readonly id: string; readonly text: string}
  | {readonly type: 'removeComment'; readonly id: string}
  /** What is written is given up; one that was kept before stays as it was. */
  | {readonly type: 'dropComment'}
);

/** What becomes of a comment: of a known one by its id, of a new one without. Null for what is given up. */
export function writtenChange(id: string | null, text: string | null) {
  if (text === null || (id === null && text === '')) return {type: 'dropComment'} as const;
  if (id === null) return {type: 'addComment', text} as const;
  return text === '' ? ({type: 'removeComment', id} as const) : ({type: 'editComment', id, text} as const);
}
