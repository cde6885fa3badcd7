import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine, visibleLine} from '../../machines/policies/text/display-text.ts';
import {type Line, lineOf, type Span} from '../components/lines.tsx';
import {helpOf} from '../keymap.ts';
import {cutLine, lineWidth} from '../model/styled-lines.ts';
import {cutEnd, cutStart} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';
import type {ReviewComment} from './comments.ts';
import {diffKeymap} from './diff-keymap.ts';
import {countsOf, diffLines, fileLines} from './diff-lines.ts';
import {diffHelpKeymap, diffMoveKeymap} from './diff-moves.ts';
import {
  currentFile,
  type DiffContent,
  type DiffFrame,
  type DiffScope,
  type DiffView,
  isViewed,
  patchOf,
} from './diff-view.ts';
import type {Patch} from './patch.ts';
import {briefLines, noteLines, type ReviewSubject, totalsOf} from './review-head.ts';

export type BodyRoom = {readonly columns: number; readonly rows: number};

/** What a review consists of: notes, files, diff and comments. */
export type Review = {
  readonly subject: ReviewSubject;
  readonly view: DiffView;
  readonly comments: readonly ReviewComment[];
};

/** The smallest diff worth showing. */
const leastDiff = 3;

type Division = {readonly head: readonly Line[]; readonly files: readonly Line[]; readonly height: number};

/** Divides the space; the diff gets the rest. */
function divide({subject, view}: Review, {columns, rows}: BodyRoom): Division {
  if (view.isZoomed) return {head: [], files: [], height: Math.max(1, rows - 1)};
  const free = Math.max(0, rows - 1);
  const head = briefLines(subject, columns, Math.max(1, Math.min(Math.floor(free / 2), free - leastDiff)));
  const count = patchOf(view).files.length;
  const wanted = rows >= 36 ? 8 : rows >= 24 ? 5 : rows >= 12 ? 2 : 1;
  const height = count < 2 ? 0 : Math.min(count, wanted, Math.max(0, free - head.length - leastDiff));
  const files = fileLines(view, {columns, height});
  return {head, files, height: Math.max(1, free - head.length - files.length)};
}

/** What the diff's keys need to know about their layout. */
export function bodyFrame(
  review: Review,
  {columns, rows}: BodyRoom,
): Pick<DiffFrame, 'columns' | 'height' | 'comments' | 'toldLength'> {
  const {subject, view, comments} = review;
  const height = view.isTold ? Math.max(1, rows - 1) : divide(review, {columns, rows}).height;
  return {columns, height, comments, toldLength: linesTold(view, subject, columns).length};
}

const linesTold = (view: DiffView, subject: ReviewSubject, columns: number): Line[] =>
  view.isKeys ? keyLines(columns) : noteLines(subject, columns);

function keyLines(columns: number): Line[] {
  const isWheel = (key: string) => key.startsWith('wheel');
  // In the order of reading; the keys of a search come first in their table for the sake of the hints.
  const [ofSearch, others] = [true, false].map((is) =>
    diffKeymap.filter(({id}) => id.endsWith('Match') === is),
  );
  const all = [...diffMoveKeymap, ...(others ?? []), ...(ofSearch ?? []), ...diffHelpKeymap];
  const keys = helpOf(all.filter((each) => !each.keys.some(isWheel)));
  const width = Math.max(...keys.map((each) => textWidth(each.keys)));
  return keys.flatMap((each) =>
    wrapped(each.label, Math.max(10, columns - width - 3)).map((text, row): Line => {
      const shown = row === 0 ? each.keys : '';
      const space = ' '.repeat(width - textWidth(shown) + 2);
      return [{text: ` ${shown}${space}`, tone: 'accent'}, {text}];
    }),
  );
}

/** A review in the given space, the same at a checkpoint and in the Diff tab. */
export function bodyLines(review: Review, room: BodyRoom & {readonly isFocused: boolean}): Line[] {
  const {subject, view, comments} = review;
  const {columns, rows} = room;
  if (view.isTold) {
    const lines = linesTold(view, subject, columns);
    const top = Math.max(0, Math.min(view.toldTop, lines.length - (rows - 1)));
    const title = notesTitle(view.isKeys, lines.length - top - (rows - 1), columns);
    return [lineOf(title, {bold: true}), ...lines.slice(top, top + rows - 1)];
  }
  const {head, files, height} = divide(review, room);
  const frame = {columns, height, comments, isFocused: room.isFocused};
  const title = view.isSearching
    ? searchLine(view.query, columns)
    : view.isZoomed
      ? zoomedTitle(review, columns)
      : scopeLine(review, columns);
  const diff =
    patchOf(view).rows.length > 0
      ? diffLines(view, frame)
      : [lineOf(cutEnd(` ${emptyText(review)}`, columns))];
  return [...head, title, ...files, ...diff].slice(0, rows);
}

/** How to get back, and whether more follows. Beside choices the arrows move the choice. */
function notesTitle(isKeys: boolean, below: number, columns: number): string {
  if (isKeys) return ` Keys  (? goes back)${below > 0 ? '  ↓ for more' : ''}`;
  const back = '(+ goes back)';
  const more = below > 0 ? `  ${below} more below: pgdn` : '';
  const whole = ` What was said about it  ${back}${more}`;
  return textWidth(whole) <= columns ? whole : cutEnd(` ${back}${more}`, columns);
}

const searchLine = (query: string, columns: number): Line => [
  {text: cutEnd(` /${displayLine(query)}`, columns - 2), bold: true},
  {text: '█', tone: 'accent'},
];

function emptyText({view, subject}: Review): string {
  if (view.content) return view.scope === 'task' ? totalsOf(subject.run) : 'no files were changed since';
  return view.problem === null
    ? 'Reading the diff…'
    : `The diff cannot be shown: ${displayLine(view.problem)}`;
}

/** Which part of the change is shown and the review's progress; shorter in little space. */
function scopeLine({view, comments}: Review, columns: number): Line {
  const {content, scope} = view;
  if (content === null) return [];
  const lefts = scopeWords.map((words) => scopeSpans(scope, content, words));
  const parts = progress(view, comments);
  // Where the mark is gives way first, before the words get too few; then how much was viewed, then the comments.
  const rights = [...parts.map((_, index) => parts.slice(0, parts.length - index)), []];
  const forms = rights.flatMap((right, index) =>
    (index === 0 ? lefts.slice(0, -1) : lefts).map((left) => [left, right.join(' · ')] as const),
  );
  const fits = ([left, right]: readonly [Line, string]) =>
    lineWidth(left) + (right === '' ? 0 : textWidth(right) + 3) <= columns;
  return justified(...(forms.find(fits) ?? [lefts.at(-1) ?? [], '']), columns);
}

type ScopeWords = {
  readonly whole: string;
  readonly since: string;
  readonly filesOf: (patch: Patch) => string;
};

const countOnly = ({files}: Patch): string => `${files.length}`;

const scopeWords: readonly ScopeWords[] = [
  {whole: 'whole task', since: 'since my last review', filesOf: filesAndLines},
  {whole: 'whole task', since: 'since review', filesOf: ({files}) => counted(files.length, 'file')},
  {whole: 'whole task', since: 'since review', filesOf: countOnly},
  {whole: 'whole', since: 'since', filesOf: countOnly},
];

function scopeSpans(scope: DiffScope, {task, sinceReview}: DiffContent, words: ScopeWords): Span[] {
  const part = (name: string, patch: Patch, isShown: boolean): Span => {
    const text = `${name} ${words.filesOf(patch)}`;
    if (sinceReview === null) return {text, bold: true};
    return isShown ? {text: `[${text}]`, bold: true} : {text, dim: true};
  };
  const first = [{text: ' '}, part(words.whole, task, scope === 'task')];
  if (sinceReview === null) return first;
  const second = part(words.since, sinceReview, scope === 'sinceReview');
  return [...first, {text: ' │ ', dim: true}, second, {text: ' (T)', dim: true}];
}

function filesAndLines({files}: Patch): string {
  const [added, removed] = [sum(files.map((file) => file.added)), sum(files.map((file) => file.removed))];
  return `${counted(files.length, 'file')} +${added} −${removed}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Counts those not sent yet. */
function commentCount(comments: readonly ReviewComment[]): string {
  const {length} = comments.filter(({isSent}) => !isSent);
  return length === 0 ? '' : counted(length, 'comment');
}

/** The search, how many comments there are, how many files were viewed, and the position. */
function progress(view: DiffView, comments: readonly ReviewComment[]): string[] {
  const {files, rows} = patchOf(view);
  const seen = files.filter((each) => isViewed(view, each)).length;
  return [
    view.query === '' ? '' : cutEnd(`/${displayLine(view.query)}`, widestQuery),
    commentCount(comments),
    files.length > 0 ? `${seen}/${files.length} viewed` : '',
    rows.length > 0 ? `${Math.min(rows.length, view.cursor + 1)}/${rows.length}` : '',
  ].filter((part) => part !== '');
}

const widestQuery = 20;

/** The current file, if there is no space for the file list. */
function zoomedTitle({view, comments}: Review, columns: number): Line {
  const file = currentFile(view);
  const right = progress(view, comments).join(' · ');
  const counts = file ? `  ${countsOf(file)}${isViewed(view, file) ? '  ✓ viewed' : ''}` : '';
  const room = Math.max(8, columns - textWidth(right) - textWidth(counts) - 4);
  return justified(
    [{text: ` ${cutStart(visibleLine(file?.path ?? ''), room)}`, bold: true}, {text: counts}],
    right,
    columns,
  );
}

/** If both do not fit, the right side is dropped. */
function justified(left: readonly Span[], right: string, columns: number): Line {
  const gap = columns - lineWidth(left) - textWidth(right) - 1;
  if (gap < 2) return cutLine(left, columns);
  return [...left, {text: ' '.repeat(gap)}, {text: `${right} `, dim: true}];
}
