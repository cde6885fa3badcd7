import type {PatchRow} from './patch.ts';

/** What a reviewer wrote about a line; `old` is a line that the change removed, numbered as it was before. */
export type ReviewComment = {
  readonly id: string;
  readonly file: string;
  readonly side: 'old' | 'new';
  readonly line: number;
  readonly text: string;
  /** The agent was sent back with it before: it is shown, and cannot be changed. */
  readonly isSent?: boolean;
};

/** The line that a comment is about. */
export type CommentPlace = Pick<ReviewComment, 'file' | 'side' | 'line'>;

export const isSamePlace = (one: CommentPlace, other: CommentPlace): boolean =>
  one.file === other.file && one.side === other.side && one.line === other.line;

/** Where a comment on a row belongs; null for rows that are no line of a file. */
export function anchorOf(path: string, {kind, old, new: now}: PatchRow): CommentPlace | null {
  if (kind === 'removed' && old !== null) return {file: path, side: 'old', line: old};
  return now === null ? null : {file: path, side: 'new', line: now};
}

/** The comments that are shown under a row. */
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
