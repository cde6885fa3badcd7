import type {KeyPress} from '../input/key-press.ts';
import {bindingOf, type Keymap, notNow, refusalOf} from '../keymap.ts';
import {anchorOf, commentsOn, type ReviewComment} from './comments.ts';
import {inView} from './diff-lines.ts';
import {
  diffMoveKeymap,
  diffScrollKeymap,
  type Facts,
  type Run,
  type Stepped,
  to,
  toggleNotes,
  whenShown,
} from './diff-moves.ts';
import {searchStep} from './diff-search.ts';
import {
  currentFile,
  type DiffFrame,
  type DiffView,
  nextFile,
  nextMatch,
  nextRow,
  patchOf,
  rowAt,
  toggleViewed,
  withScope,
} from './diff-view.ts';

const whenSeveral = (view: DiffView) => (patchOf(view).files.length > 1 ? whenShown(view) : notNow);
const whenSearched = (view: DiffView) => (view.query === '' ? 'search first: /' : whenShown(view));

/** Where a comment on the current row would go. */
export function anchorAt(view: DiffView): ReturnType<typeof anchorOf> {
  const row = rowAt(view);
  return row ? anchorOf(currentFile(view)?.path ?? '', row) : null;
}

/** The comment on the current row, if it can still be changed. */
export function commentAt(view: DiffView, comments: readonly ReviewComment[]): ReviewComment | undefined {
  const row = rowAt(view);
  return row && commentsOn(comments, currentFile(view)?.path ?? '', row).find(({isSent}) => !isSent);
}

const onComment = (view: DiffView, {comments}: DiffFrame) =>
  commentAt(view, comments) ? whenShown(view) : notNow;

/** The keys of every diff: at a checkpoint and in the Diff tab. */
export const diffKeymap: Keymap<Run, Facts> = [
  // While something is searched for, these come first.
  {
    id: 'diff.nextMatch',
    keys: ['m'],
    label: 'next match',
    hint: 'first',
    short: 'next match',
    refusal: whenSearched,
    run: to((view) => nextMatch(view, 1)),
  },
  {
    id: 'diff.previousMatch',
    keys: ['M'],
    label: 'previous match',
    hint: 'first',
    short: 'previous',
    refusal: whenSearched,
    run: to((view) => nextMatch(view, -1)),
  },
  {
    id: 'diff.told',
    keys: ['+'],
    label: 'all it said',
    help: 'all the agent said, criteria, checks; or the diff',
    hint: 'first',
    short: 'all',
    run: to((view) => toggleNotes(view, false)),
  },
  {
    id: 'diff.nextFile',
    keys: ['n'],
    label: 'next file',
    hint: 'first',
    short: 'file',
    refusal: whenSeveral,
    run: to((view) => nextFile(view, 1)),
  },
  {
    id: 'diff.previousFile',
    keys: ['p'],
    label: 'previous file',
    refusal: whenShown,
    run: to((view) => nextFile(view, -1)),
  },
  {
    id: 'diff.nextHunk',
    keys: ['}'],
    label: 'next hunk',
    refusal: whenShown,
    run: to((view) => nextRow(view, 1, ({kind}) => kind === 'hunk')),
  },
  {
    id: 'diff.previousHunk',
    keys: ['{'],
    label: 'previous hunk',
    refusal: whenShown,
    run: to((view) => nextRow(view, -1, ({kind}) => kind === 'hunk')),
  },
  {
    id: 'diff.viewed',
    keys: ['v', 'space'],
    label: 'viewed',
    help: 'mark the file as viewed, or not',
    hint: 'first',
    short: 'viewed',
    refusal: whenShown,
    run: to(toggleViewed),
  },
  {
    id: 'diff.scope',
    keys: ['T'],
    label: 'since review',
    help: 'the whole task, or since your last review',
    hint: 'first',
    short: 'since',
    refusal: ({content}) => {
      if (content === null) return notNow;
      return content.sinceReview === null ? 'nobody reviewed it before: this is the whole task' : null;
    },
    run: to((view) => withScope(view, view.scope === 'task' ? 'sinceReview' : 'task')),
  },
  {
    id: 'diff.comment',
    keys: ['c'],
    label: 'comment',
    help: 'comment on the line, or change the comment',
    hint: 'first',
    short: 'comment',
    refusal: (view, {commentRefused}) =>
      whenShown(view) ??
      commentRefused ??
      (anchorAt(view) === null ? 'select a line of the file first: d, then j and k' : null),
    run: (state) => ({state, outcome: {type: 'comment'}}),
  },
  {
    id: 'diff.editComment',
    keys: ['enter', 'C'],
    label: 'change the comment',
    refusal: onComment,
    run: (state) => ({state, outcome: {type: 'comment'}}),
  },
  {
    id: 'diff.removeComment',
    keys: ['delete', 'backspace'],
    label: 'remove the comment',
    refusal: onComment,
    run: (state, {comments}) => {
      const comment = commentAt(state, comments);
      return comment ? {state, outcome: {type: 'removeComment', comment}} : {state};
    },
  },
  {
    id: 'diff.nextComment',
    keys: [';'],
    label: 'next comment',
    refusal: (view, {comments}) => (comments.length === 0 ? 'there are no comments' : whenShown(view)),
    run: to((view, {comments}) =>
      nextRow(view, 1, (row, index) => {
        const path = currentFile({...view, cursor: index})?.path ?? '';
        return commentsOn(comments, path, row).length > 0;
      }),
    ),
  },
  {
    id: 'diff.search',
    keys: ['/'],
    label: 'search',
    hint: 'first',
    short: 'search',
    refusal: whenShown,
    run: to((view) => ({...view, isSearching: true, query: ''})),
  },
  {
    id: 'diff.zoom',
    keys: ['z'],
    label: 'zoom',
    help: 'the diff alone on the screen, or not',
    hint: 'first',
    short: 'zoom',
    run: to((view) => ({...view, isZoomed: !view.isZoomed, isTold: false})),
  },
  {
    id: 'diff.wrap',
    keys: ['w'],
    label: 'wrap',
    help: 'wrap long lines, or not',
    hint: 'more',
    refusal: whenShown,
    run: to((view) => ({...view, isWrapped: !view.isWrapped, left: 0})),
  },
  {
    id: 'diff.editor',
    keys: ['o'],
    label: 'editor',
    help: 'open the file in your editor, at the line',
    hint: 'more',
    refusal: (view, {editorRefused}) => whenShown(view) ?? editorRefused ?? deleted(view),
    run: (state) => {
      const file = currentFile(state)?.path ?? '';
      return {state, outcome: {type: 'openEditor', file, line: lineNow(state)}};
    },
  },
  {
    id: 'diff.pager',
    keys: ['|'],
    label: 'pager',
    help: 'send the diff to your pager',
    hint: 'more',
    refusal: whenShown,
    run: (state) => ({state, outcome: {type: 'openPager'}}),
  },
  ...diffScrollKeymap,
];

const deleted = (view: DiffView) => (currentFile(view)?.change === 'deleted' ? 'the file was deleted' : null);

/** The line in the current file; for a removed one, where it was. */
function lineNow(view: DiffView): number {
  const {rows} = patchOf(view);
  const file = currentFile(view);
  for (let index = view.cursor; index < (file?.end ?? 0); index++) {
    const line = rows[index]?.new;
    if (line != null) return line;
  }
  return rows.slice(file?.start, view.cursor).findLast((row) => row.new !== null)?.new ?? 1;
}

/** Handles one key in a diff; null if it means nothing here. */
export function diffStep(
  before: DiffView,
  key: KeyPress,
  frame: DiffFrame,
  keymap: Keymap<Run, Facts> = [...diffKeymap, ...diffMoveKeymap],
): Stepped | null {
  const view = before.notice === null ? before : {...before, notice: null};
  if (view.isSearching) return {state: inView(searchStep(view, key), frame)};
  const binding = bindingOf(keymap, key.name, view, frame);
  if (binding) {
    const {state, ...rest} = binding.run(view, frame);
    return {state: inView(state, frame), ...rest};
  }
  const reason = refusalOf(keymap, key.name, view, frame);
  return reason === null ? null : {state: {...view, notice: reason}};
}
