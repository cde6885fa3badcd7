import {displayText} from '../../machines/policies/text/display-text.ts';
import type {KeyPress} from '../input/key-press.ts';
import type {Step} from '../input/use-stepper.ts';
import {bindingOf} from '../keymap.ts';
import {type AtToken, atTokenBefore, referenceTo} from './at-reference.ts';
import {
  breakEdit,
  type EditHistory,
  type EditKind,
  noHistory,
  recordEdit,
  redo,
  undo,
} from './edit-history.ts';
import {type EditorAction, editorKeymap, pickerKeymap} from './editor-keymap.ts';
import {matchesOf, type RankedFiles} from './file-ranking.ts';
import {bufferOf, insert, replace, type TextBuffer} from './text-buffer.ts';
import {moveRows, rowAt, rowsOf, scrolledTo} from './text-rows.ts';

/** The open file list: its `@`, the query and the selected match. */
export type FilePicker = AtToken & {readonly index: number};

export type EditorState = {
  readonly buffer: TextBuffer;
  readonly history: EditHistory;
  /** The first visible row. */
  readonly top: number;
  readonly picker: FilePicker | null;
  /** The `@` whose list was closed; it stays closed until another one is typed. */
  readonly closedAt: number | null;
  /** It contains a restored draft that no key has changed yet. */
  readonly isRecalled: boolean;
};

export type EditorOutcome =
  | {readonly type: 'submit'; readonly text: string}
  /** The text is kept as a draft. */
  | {readonly type: 'cancel'}
  /** The text is discarded. */
  | {readonly type: 'discard'};

/** What the editor needs to know about its surroundings to handle a key. */
export type EditorFrame = {
  readonly columns: number;
  readonly height: number;
  /** Null until they are known. */
  readonly files: RankedFiles | null;
};

export const editorState = (text = ''): EditorState => ({
  buffer: bufferOf(text),
  history: noHistory,
  top: 0,
  picker: null,
  closedAt: null,
  isRecalled: false,
});

/** With the restored draft. What was typed while it was read is appended. */
export function withDraft(state: EditorState, recalled: string, initialText: string): EditorState {
  if (recalled === '') return state;
  const {text} = state.buffer;
  if (text === initialText) return {...state, buffer: bufferOf(recalled), isRecalled: true};
  const typed = text.startsWith(initialText) ? text.slice(initialText.length) : text;
  return {...state, buffer: bufferOf(`${recalled}\n${typed}`), picker: null};
}

/** Handles one key in the editor. */
export function editorStep(
  state: EditorState,
  key: KeyPress,
  frame: EditorFrame,
): Step<EditorState, EditorOutcome> {
  const picked = state.picker ? pickerStep(state, state.picker, key.name, frame) : null;
  if (picked) return {state: inView(picked, frame)};
  const action = bindingOf(editorKeymap, key.name)?.run ?? null;
  if (action?.type === 'submit') return {state, outcome: {type: 'submit', text: state.buffer.text}};
  if (action?.type === 'cancel' || action?.type === 'discard') return {state, outcome: {type: action.type}};
  return {state: inView(bufferStep(state, key, action, frame), frame)};
}

/** The list handles these keys first; null if the key is for the text. */
function pickerStep(
  state: EditorState,
  picker: FilePicker,
  key: string,
  {files}: EditorFrame,
): EditorState | null {
  const {index, start, query} = picker;
  const matches = matchesOf(files, query);
  const go = (to: number) => ({
    ...state,
    picker: {...picker, index: (to + matches.length) % Math.max(1, matches.length)},
  });
  const action = bindingOf(pickerKeymap, key)?.run;
  if (action === 'close') return {...state, picker: null, closedAt: start};
  const path = matches[index];
  if (path === undefined) return null;
  if (action === 'move') return go(key === 'up' || key === 'ctrl+p' ? index - 1 : index + 1);
  if (action !== 'take') return null;
  const written = `${referenceTo(path)} `;
  const {text, cursor} = state.buffer;
  const end = text[cursor] === ' ' ? cursor + 1 : cursor;
  return edited({...state, closedAt: null}, replace(state.buffer, start, end, written), 'other');
}

function bufferStep(
  state: EditorState,
  key: KeyPress,
  action: EditorAction | null,
  frame: EditorFrame,
): EditorState {
  const {buffer, history} = state;
  switch (action?.type) {
    case 'undo':
    case 'redo': {
      const back = (action.type === 'undo' ? undo : redo)(history, buffer);
      return back ? {...state, ...back, picker: null} : state;
    }
    case 'rows':
      return movedTo(state, moveRows(buffer, textColumns(frame), action.by));
    case 'pages': {
      const rows = action.by * Math.max(1, frame.height - 1);
      return movedTo(state, moveRows(buffer, textColumns(frame), rows));
    }
    case 'move':
      return movedTo(state, action.move(buffer));
    case 'edit': {
      const next = action.edit(buffer);
      return next.text === buffer.text ? state : picking(edited(state, next, action.kind));
    }
  }
  const text = action?.type === 'insert' ? action.text : key.text;
  if (text === undefined) return state;
  const isTyped = key.name !== 'paste' && /^\S+$/.test(text);
  return picking(edited(state, insert(buffer, writable(text)), isTyped ? 'type' : 'other'));
}

function edited(state: EditorState, buffer: TextBuffer, kind: EditKind): EditorState {
  const history = recordEdit(state.history, state.buffer, kind);
  return {...state, buffer, history, picker: null, isRecalled: false};
}

function movedTo(state: EditorState, buffer: TextBuffer): EditorState {
  const next = {...state, buffer, history: breakEdit(state.history)};
  return state.picker ? picking(next) : next;
}

/** Opens, filters or closes the list by the text before the cursor. */
function picking(state: EditorState): EditorState {
  const token = atTokenBefore(state.buffer.text, state.buffer.cursor);
  if (!token) return {...state, picker: null, closedAt: null};
  if (token.start === state.closedAt) return {...state, picker: null};
  return {...state, picker: {...token, index: 0}, closedAt: null};
}

/** One column stays free for a cursor after a full row. */
export const textColumns = ({columns}: Pick<EditorFrame, 'columns'>) => Math.max(1, columns - 1);

function inView(state: EditorState, frame: EditorFrame): EditorState {
  const rows = rowsOf(state.buffer.text, textColumns(frame));
  const top = scrolledTo(state.top, rowAt(rows, state.buffer.cursor), frame.height, rows.length);
  return top === state.top ? state : {...state, top};
}

/** Allowed text: no control characters, except the joiners used in emoji and some scripts. */
function writable(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/([\u200c\u200d])/)
    .map((part) => (/^[\u200c\u200d]$/.test(part) ? part : displayText(part)))
    .join('');
}
