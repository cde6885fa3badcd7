import type {PatchRow} from './patch.ts';

/** A reviewer's comment on a line; `old` is a removed line, with its number before the change. */
export type ReviewComment = {
  readonly id: string;
  readonly file: string;
  readonly side: 'old' | 'new';
  readonly line: number;
  readonly text: string;
  /** It was already sent to the agent: it is shown but cannot be changed. */
  readonly isSent?: boolean;
};

/** The line that a comment is about. */
export type CommentPlace = Pick<ReviewComment, 'file' | 'side' | 'line'>;

export const isSamePlace = (one: CommentPlace, other: CommentPlace): boolean =>
  one.file === other.file && one.side === other.side && one.line === other.line;

/** Where a comment on a row belongs; null if the row is not a line of a file. */
export function anchorOf(path: string, {kind, old, new: now}: PatchRow): CommentPlace | null {
  if (kind === 'removed' && old !== null) return {file: path, side: 'old', line: old};
  return now === null ? null : {file: path, side: 'new', line: now};
}

/** The comments shown below a row. */
export function commentsOn(
  comments: readonly ReviewComment[],
  path: string,
  row: PatchRow,
): readonly ReviewComment[] {
  if (comments.length === 0) return [];
  const anchor = anchorOf(path, row);
  if (anchor === null) return [];
  return comments.filter((comment) => isSamePlace(comment, anchor));
}
