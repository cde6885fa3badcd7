import type {Keymap} from '../keymap.ts';
import type {EditKind} from './edit-history.ts';
import * as buffer from './text-buffer.ts';

/** What a key does to the text, as data: `editorStep` implements each of these. */
export type EditorAction =
  | {readonly type: 'submit' | 'cancel' | 'discard' | 'undo' | 'redo'}
  | {readonly type: 'insert'; readonly text: string}
  | {readonly type: 'rows' | 'pages'; readonly by: 1 | -1}
  | {readonly type: 'move'; readonly move: buffer.Edit}
  | {readonly type: 'edit'; readonly edit: buffer.Edit; readonly kind: EditKind};

const move = (to: buffer.Edit): EditorAction => ({type: 'move', move: to});
const edit = (change: buffer.Edit, kind: EditKind = 'other'): EditorAction => ({
  type: 'edit',
  edit: change,
  kind,
});

/** What a key does in the open file list; other keys go to the text. */
export type PickerAction = 'move' | 'take' | 'close';

export const pickerKeymap: Keymap<PickerAction> = [
  {
    id: 'files.move',
    keys: ['up', 'down', 'ctrl+p', 'ctrl+n'],
    label: 'move',
    hint: 'first',
    shown: 2,
    run: 'move',
  },
  {
    id: 'files.take',
    keys: ['enter', 'shift+enter', 'tab'],
    label: 'take file',
    hint: 'first',
    run: 'take',
  },
  {id: 'files.close', keys: ['escape'], label: 'close', hint: 'first', run: 'close'},
];

/** Enter inserts a newline, so that neither a paste nor a reflex sends a half-written text. */
export const editorKeymap: Keymap<EditorAction> = [
  {
    id: 'editor.submit',
    keys: ['ctrl+s', 'alt+enter', 'ctrl+enter'],
    label: 'send',
    hint: 'first',
    short: 'send',
    run: {type: 'submit'},
  },
  {
    id: 'editor.newline',
    keys: ['enter', 'shift+enter'],
    label: 'new line',
    hint: 'first',
    run: {type: 'insert', text: '\n'},
  },
  {
    id: 'editor.files',
    keys: ['@'],
    label: 'file',
    hint: 'first',
    short: 'file',
    run: {type: 'insert', text: '@'},
  },
  {id: 'editor.cancel', keys: ['escape'], label: 'back', hint: 'first', short: 'back', run: {type: 'cancel'}},
  // Esc keeps the text; only this discards it.
  {
    id: 'editor.discard',
    keys: ['ctrl+x'],
    label: 'drop',
    hint: 'first',
    short: 'drop',
    run: {type: 'discard'},
  },
  {id: 'editor.undo', keys: ['ctrl+z', 'ctrl+_'], label: 'undo', run: {type: 'undo'}},
  {id: 'editor.redo', keys: ['ctrl+y', 'alt+z'], label: 'redo', run: {type: 'redo'}},
  {id: 'editor.indent', keys: ['tab'], label: 'indent', run: {type: 'insert', text: '\t'}},
  {id: 'editor.up', keys: ['up', 'ctrl+p'], label: 'up', run: {type: 'rows', by: -1}},
  {id: 'editor.down', keys: ['down', 'ctrl+n'], label: 'down', run: {type: 'rows', by: 1}},
  {id: 'editor.pageUp', keys: ['pageup'], label: 'page up', run: {type: 'pages', by: -1}},
  {id: 'editor.pageDown', keys: ['pagedown'], label: 'page down', run: {type: 'pages', by: 1}},
  {id: 'editor.left', keys: ['left', 'ctrl+b'], label: 'left', run: move(buffer.moveLeft)},
  {id: 'editor.right', keys: ['right', 'ctrl+f'], label: 'right', run: move(buffer.moveRight)},
  {
    id: 'editor.wordLeft',
    keys: ['ctrl+left', 'alt+left', 'alt+b'],
    label: 'word left',
    run: move(buffer.moveWordLeft),
  },
  {
    id: 'editor.wordRight',
    keys: ['ctrl+right', 'alt+right', 'alt+f'],
    label: 'word right',
    run: move(buffer.moveWordRight),
  },
  {id: 'editor.lineStart', keys: ['home', 'ctrl+a'], label: 'line start', run: move(buffer.moveLineStart)},
  {id: 'editor.lineEnd', keys: ['end', 'ctrl+e'], label: 'line end', run: move(buffer.moveLineEnd)},
  {id: 'editor.textStart', keys: ['ctrl+home', 'alt+<'], label: 'text start', run: move(buffer.moveStart)},
  {id: 'editor.textEnd', keys: ['ctrl+end', 'alt+>'], label: 'text end', run: move(buffer.moveEnd)},
  {id: 'editor.deleteLeft', keys: ['backspace'], label: 'delete left', run: edit(buffer.deleteLeft, 'erase')},
  {
    id: 'editor.deleteRight',
    keys: ['delete', 'ctrl+d'],
    label: 'delete right',
    run: edit(buffer.deleteRight),
  },
  {id: 'editor.deleteToBlank', keys: ['ctrl+w'], label: 'delete to blank', run: edit(buffer.deleteToBlank)},
  {
    id: 'editor.deleteWordLeft',
    keys: ['alt+backspace', 'ctrl+backspace'],
    label: 'delete word left',
    run: edit(buffer.deleteWordLeft),
  },
  {
    id: 'editor.deleteWordRight',
    keys: ['alt+d', 'alt+delete', 'ctrl+delete'],
    label: 'delete word right',
    run: edit(buffer.deleteWordRight),
  },
  {
    id: 'editor.deleteLineEnd',
    keys: ['ctrl+k'],
    label: 'delete to line end',
    run: edit(buffer.deleteLineEnd),
  },
  {
    id: 'editor.deleteLineStart',
    keys: ['ctrl+u'],
    label: 'delete to line start',
    run: edit(buffer.deleteLineStart),
  },
];
