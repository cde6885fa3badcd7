import {visibleLine} from '../../machines/policies/text/display-text.ts';
import {hintLine} from '../components/hint-line.tsx';
import type {Line} from '../components/lines.tsx';
import {hintsOf, type KeyHint} from '../keymap.ts';
import {cutEnd, cutStart, justify} from '../text/fit.ts';
import {graphemesOf, tabText} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';
import {editorKeymap, pickerKeymap} from './editor-keymap.ts';
import {type EditorState, type FilePicker, textColumns} from './editor-state.ts';
import type {FileList} from './file-index.ts';
import {matchesOf} from './file-ranking.ts';
import {rowAt, rowsOf, scrolledTo} from './text-rows.ts';

export type EditorView = {
  readonly columns: number;
  /** The width of the last line, the keys; defaults to `columns`. */
  readonly footColumns?: number;
  /** The total height: title, text, files, hints. */
  readonly height: number;
  readonly title: string;
  /** The line of code it is about, below the title. */
  readonly about?: string;
  /** What ctrl+s does with the text if it does not send it. */
  readonly submits?: 'keep' | 'save';
  readonly placeholder: string;
  readonly list: FileList;
  /** Shown once in place of the hints. */
  readonly notice: string | null;
};

/** The rows left for the text while no list is open. */
export const textHeight = ({height, about}: Pick<EditorView, 'height' | 'about'>) =>
  Math.max(1, height - (about === undefined ? 2 : 3));

/** To the left of the text. */
export const margin = 2;

/** The editor as lines, never more than its height. */
export function editorLines(state: EditorState, view: EditorView): Line[] {
  const {columns, footColumns = columns, height, title} = view;
  const verb = `${view.submits ?? 'send'}s`;
  const notice =
    view.notice ?? (state.isRecalled ? `Your draft is back. ctrl+s ${verb}, ctrl+x drops it.` : null);
  const room = textHeight(view);
  const picker = state.picker ? pickerLines(state.picker, view, Math.min(8, Math.floor(room / 2))) : [];
  const rows = rowsOf(state.buffer.text, textColumns({columns: columns - margin}));
  const cursorRow = rowAt(rows, state.buffer.cursor);
  const top = scrolledTo(state.top, cursorRow, room - picker.length, rows.length);
  const place = rows.length > room - picker.length ? `${cursorRow + 1}/${rows.length} ` : '';
  const shown = rows.slice(top, top + room - picker.length);
  const text = shown.map((row, index): Line => {
    const piece = state.buffer.text.slice(row.start, row.end);
    const at = top + index === cursorRow ? state.buffer.cursor - row.start : null;
    return [{text: ' '.repeat(margin)}, ...cursorLine(piece, at)];
  });
  if (state.buffer.text === '')
    text.splice(0, 1, ...placeholderLines(view.placeholder, columns).slice(0, room - picker.length));
  const foot: Line =
    notice === null
      ? hintLine(editorHints(state, view), footColumns)
      : [{text: cutEnd(` ${notice}`, footColumns), tone: 'warning', bold: true}];
  const fill = Math.max(0, room - picker.length - text.length);
  return [
    [{text: justify(` ${title}`, place, columns), bold: true}],
    ...(view.about === undefined ? [] : [aboutLine(view.about, columns)]),
    ...text,
    ...picker,
    ...Array.from({length: fill}, (): Line => [{text: ''}]),
    foot,
  ].slice(0, height);
}

const placeholderLines = (text: string, columns: number): Line[] =>
  wrapped(text, columns - margin - 1).map((line, row) => [
    {text: ' '.repeat(margin)},
    {text: ' ', inverse: row === 0},
    {text: line, dim: true},
  ]);

/** The character under the cursor is inverted; at the end of a row, a space. */
function cursorLine(text: string, cursor: number | null): Line {
  if (cursor === null) return [{text: shownText(text)}];
  const under = graphemesOf(text.slice(cursor))[0] ?? '';
  return [
    {text: shownText(text.slice(0, cursor))},
    {text: under === '' || under === '\t' ? ' ' : under, inverse: true},
    {text: (under === '\t' ? tabText.slice(1) : '') + shownText(text.slice(cursor + under.length))},
  ];
}

const shownText = (text: string) => text.replaceAll('\t', tabText);

function pickerLines(
  {index, query}: FilePicker,
  {columns, list}: Pick<EditorView, 'columns' | 'list'>,
  height: number,
): Line[] {
  const say = (text: string): Line[] => [[{text: cutEnd(`    ${text}`, columns), dim: true}]];
  if (list.state === 'failed') return say('the files cannot be listed');
  if (list.state !== 'ready') return say('reading the list of files…');
  const matches = matchesOf(list.files, query);
  if (matches.length === 0) return say(`no file matches ${query}`);
  const top = Math.max(0, Math.min(index - Math.floor(height / 2), matches.length - height));
  return matches.slice(top, top + height).map((path, place): Line => {
    const isMarked = top + place === index;
    return [
      isMarked ? {text: '  ❯ ', tone: 'accent', bold: true} : {text: '    '},
      {text: cutStart(path, columns - 5), ...(isMarked ? {tone: 'accent', bold: true} : {})},
    ];
  });
}

const aboutLine = (text: string, columns: number): Line => [
  {text: cutEnd(` ${visibleLine(text.replaceAll('\t', tabText))}`, columns), dim: true},
];

function editorHints({picker}: EditorState, {submits}: EditorView): KeyHint[] {
  if (picker) return hintsOf(pickerKeymap);
  const hints = hintsOf(editorKeymap);
  return submits
    ? hints.map((hint) => (hint.label === 'send' ? {...hint, label: submits, short: submits} : hint))
    : hints;
}
