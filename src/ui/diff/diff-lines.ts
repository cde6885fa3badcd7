import {displayText, visibleLine} from '../../machines/policies/text/display-text.ts';
import type {Line, Span} from '../components/lines.tsx';
import {breakText} from '../text/break-text.ts';
import {cutEnd, cutStart, dropColumns, padEnd} from '../text/fit.ts';
import {tabText, textWidth} from '../text/graphemes.ts';
import {commentsOn, type ReviewComment} from './comments.ts';
import {type DiffFrame, type DiffView, isMatch, isViewed, patchOf} from './diff-view.ts';
import {fileAt, type Patch, type PatchFile, type PatchRow, type RowKind} from './patch.ts';

type DrawFrame = Pick<DiffFrame, 'columns' | 'height' | 'comments'> & {
  /** The diff has the focus. */
  readonly isFocused?: boolean;
};

/** Longer lines are cut: no one reads them, and they would slow every frame. */
const longestLine = 20_000;

/** Renders only the visible part of a diff: a change may have a million lines. */
export function diffLines(before: DiffView, frame: DrawFrame): Line[] {
  const view = inView(before, frame);
  const {rows} = patchOf(view);
  const lines: Line[] = [];
  for (let index = view.top; index < rows.length && lines.length < frame.height; index++) {
    lines.push(...rowLines(view, index, frame));
  }
  return lines.slice(0, Math.max(0, frame.height));
}

/** The same view with the current row visible, and no blank space that rows above could fill. */
export function inView(view: DiffView, frame: Pick<DrawFrame, 'columns' | 'height' | 'comments'>): DiffView {
  const {rows} = patchOf(view);
  const cursor = Math.max(0, Math.min(view.cursor, rows.length - 1));
  const atEdge = firstAbove({...view, cursor}, cursor, frame);
  const lowest = firstAbove(view, rows.length - 1, frame);
  const top = Math.max(0, Math.min(cursor, Math.max(atEdge, Math.min(view.top, lowest))));
  return top === view.top && cursor === view.cursor ? view : {...view, top, cursor};
}

/** The first visible row if this one is the last. */
function firstAbove(view: DiffView, last: number, frame: Pick<DrawFrame, 'columns' | 'height' | 'comments'>) {
  let used = heightOf(view, last, frame);
  let first = Math.max(0, last);
  while (first > 0) {
    used += heightOf(view, first - 1, frame);
    if (used > frame.height) break;
    first--;
  }
  return first;
}

function heightOf(view: DiffView, index: number, frame: Pick<DrawFrame, 'columns' | 'comments'>): number {
  const patch = patchOf(view);
  const row = patch.rows[index];
  if (!row) return 0;
  const {text} = roomOf(patch, frame.columns);
  const own = view.isWrapped && !isTitle(row) ? breakText(shownText(row), text).length : 1;
  return own + commentLines(patch, index, frame).length;
}

const isTitle = ({kind}: PatchRow): boolean => kind === 'file';

/** The width of a line number, how many stand side by side, and what is left for the text. */
function roomOf({highest}: Patch, columns: number) {
  const digits = Math.max(2, String(highest).length);
  const isWide = columns >= 70;
  const gutter = 1 + (isWide ? 2 * digits + 2 : digits + 1) + 2;
  return {digits, isWide, gutter, text: Math.max(4, columns - gutter)};
}

function rowLines(view: DiffView, index: number, frame: DrawFrame): Line[] {
  const patch = patchOf(view);
  const row = patch.rows[index];
  if (!row) return [];
  const mark: Span =
    index !== view.cursor
      ? {text: ' '}
      : {text: frame.isFocused === false ? '›' : '❯', tone: 'accent', bold: true};
  if (isTitle(row)) return [titleLine(patch.files[fileAt(patch, index)], mark, view, frame.columns)];
  const room = roomOf(patch, frame.columns);
  const text = shownText(row);
  const parts = view.isWrapped
    ? breakText(text, room.text).map(({start, end}) => text.slice(start, end))
    : [cutEnd(scrolledText(text, view.left), room.text)];
  return [
    ...parts.map(
      (part, place): Line => [
        place === 0 ? mark : {text: ' '},
        {text: place === 0 ? gutter(row, room) : ' '.repeat(room.gutter - 3), dim: true},
        {text: place === 0 ? `${signs[row.kind]} ` : '  ', ...styles[row.kind]},
        ...marked(part || ' ', view.query, row),
      ],
    ),
    ...commentLines(patch, index, frame),
  ];
}

/** A line that is scrolled out of view must not look empty. */
const scrolledText = (text: string, left: number): string =>
  left === 0 || text === '' ? text : `…${dropColumns(text, left + 1)}`;

const signs: Readonly<Record<RowKind, string>> = {
  file: ' ',
  note: ' ',
  hunk: ' ',
  context: ' ',
  added: '+',
  removed: '-',
};

const styles: Readonly<Record<RowKind, Omit<Span, 'text'>>> = {
  file: {bold: true},
  note: {dim: true},
  hunk: {tone: 'accent'},
  context: {},
  added: {tone: 'good'},
  removed: {tone: 'bad'},
};

function gutter({old, new: now}: PatchRow, {digits, isWide}: ReturnType<typeof roomOf>): string {
  const number = (value: number | null) => String(value ?? '').padStart(digits);
  return isWide ? `${number(old)} ${number(now)} ` : `${number(now ?? old)} `;
}

/** Highlights the search matches. */
function marked(text: string, query: string, row: PatchRow): Span[] {
  const style = styles[row.kind];
  if (!isMatch(query, row)) return [{text, ...style}];
  const spans: Span[] = [];
  const [low, wanted] = [text.toLowerCase(), query.toLowerCase()];
  let from = 0;
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, from)) {
    spans.push(
      {text: text.slice(from, at), ...style},
      {text: text.slice(at, at + wanted.length), inverse: true},
    );
    from = at + wanted.length;
  }
  return [...spans, {text: text.slice(from), ...style}].filter((span) => span.text !== '');
}

/** A line of a file as exactly one safe line. */
function shownText({kind, text}: PatchRow): string {
  const isChange = kind === 'added' || kind === 'removed';
  const cut = text.length > longestLine ? `${text.slice(0, longestLine)}…` : text;
  return visibleLine(isChange ? cut : cut.replace(/\r$/, '')).replaceAll('\t', tabText);
}

function titleLine(file: PatchFile | undefined, mark: Span, view: DiffView, columns: number): Line {
  if (!file) return [mark];
  const right = `${countsOf(file)}${isViewed(view, file) ? '  ✓ viewed' : ''} `;
  const note = notes[file.change];
  const left = cutStart(
    visibleLine(file.path),
    Math.max(8, columns - textWidth(right) - textWidth(note) - 6),
  );
  const width = 4 + textWidth(left) + textWidth(note);
  return [
    mark,
    {text: '─ ', dim: true},
    {text: left, bold: true},
    {text: `${note} `, dim: true},
    {text: `${'─'.repeat(Math.max(0, columns - width - textWidth(right) - 1))} `, dim: true},
    {text: right},
  ];
}

const notes = {
  added: '  new',
  deleted: '  deleted',
  renamed: '  renamed',
  changed: '',
} as const satisfies Record<PatchFile['change'], string>;

export const countsOf = ({added, removed}: PatchFile): string => `+${added} −${removed}`;

function commentLines(
  patch: Patch,
  index: number,
  {comments, columns}: Pick<DrawFrame, 'comments' | 'columns'>,
) {
  const row = patch.rows[index];
  if (!row || comments.length === 0) return [];
  const path = patch.files[fileAt(patch, index)]?.path ?? '';
  const {gutter: indent} = roomOf(patch, columns);
  return commentsOn(comments, path, row).flatMap((comment) => commentBox(comment, indent, columns));
}

function commentBox({text, isSent}: ReviewComment, indent: number, columns: number): Line[] {
  const safe = displayText(isSent ? `${text.trimEnd()} (sent)` : text)
    .replaceAll('\t', tabText)
    .trimEnd();
  const width = Math.max(4, columns - indent - 2);
  return breakText(safe, width).map(
    ({start, end}): Line => [
      {text: `${' '.repeat(indent)}┃ `, tone: 'warning'},
      {
        text: safe.slice(start, end).trimEnd() || ' ',
        ...(isSent ? {dim: true} : {tone: 'warning', bold: true}),
      },
    ],
  );
}

/** The files around the current one, as many as fit. */
export function fileLines(view: DiffView, {columns, height}: {columns: number; height: number}): Line[] {
  const patch = patchOf(view);
  const {files} = patch;
  const current = fileAt(patch, view.cursor);
  const top = Math.max(0, Math.min(current - Math.floor(height / 2), files.length - height));
  const shown = files.slice(top, top + height);
  const counts = Math.max(0, ...shown.map((file) => textWidth(countsOf(file))));
  const widest = Math.max(0, ...shown.map(({path}) => textWidth(visibleLine(path))));
  const names = Math.max(8, Math.min(widest, columns - counts - 16));
  return shown.map((file, place): Line => {
    const isCurrent = top + place === current;
    const name = padEnd(cutStart(visibleLine(file.path), names), names);
    return [
      {text: isCurrent ? ' ▸ ' : '   ', tone: 'accent', bold: true},
      {text: name, bold: isCurrent},
      {text: `  +${file.added}`, tone: 'good'},
      {text: ` −${file.removed}`.padEnd(counts - String(file.added).length), tone: 'bad'},
      ...(isViewed(view, file) ? [{text: ' ✓ viewed', dim: true}] : []),
    ];
  });
}
