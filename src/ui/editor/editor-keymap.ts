import type {Keymap} from '../keymap.ts';
import * as buffer from './text-buffer.ts';

export type EditorCommand = `editor.${
  | 'submit'
  | 'cancel'
  | 'newline'
  | 'indent'
  | 'files'
  | 'undo'
  | 'redo'
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | Moves
  | Edits}`;
type Moves = 'left' | 'right' | 'wordLeft' | 'wordRight' | 'lineStart' | 'lineEnd' | 'textStart' | 'textEnd';
type Edits =
  | 'deleteLeft'
  | 'deleteRight'
  | 'deleteToBlank'
  | 'deleteWordLeft'
  | 'deleteWordRight'
  | 'deleteLineEnd'
  | 'deleteLineStart';

/** Enter writes a line, so no paste and no reflex sends a half-written text. */
export const editorKeymap: Keymap<EditorCommand> = [
  {
    keys: ['ctrl+s', 'alt+enter', 'ctrl+enter'],
    label: 'send',
    command: 'editor.submit',
    hint: 'always',
    short: 'send',
  },
  {keys: ['enter', 'shift+enter'], label: 'new line', command: 'editor.newline', hint: 'always'},
  // Typed as text; it stands here to be shown.
  {keys: ['@'], label: 'file', command: 'editor.files', hint: 'always', short: 'file'},
  {keys: ['escape'], label: 'back', command: 'editor.cancel', hint: 'always', short: 'back'},
  {keys: ['ctrl+z', 'ctrl+_'], label: 'undo', command: 'editor.undo', hint: 'always'},
  {keys: ['ctrl+y', 'alt+z'], label: 'redo', command: 'editor.redo'},
  {keys: ['tab'], label: 'indent', command: 'editor.indent'},
  {keys: ['up', 'ctrl+p'], label: 'up', command: 'editor.up'},
  {keys: ['down', 'ctrl+n'], label: 'down', command: 'editor.down'},
  {keys: ['pageup'], label: 'page up', command: 'editor.pageUp'},
  {keys: ['pagedown'], label: 'page down', command: 'editor.pageDown'},
  {keys: ['left', 'ctrl+b'], label: 'left', command: 'editor.left'},
  {keys: ['right', 'ctrl+f'], label: 'right', command: 'editor.right'},
  {keys: ['ctrl+left', 'alt+left', 'alt+b'], label: 'word left', command: 'editor.wordLeft'},
  {keys: ['ctrl+right', 'alt+right', 'alt+f'], label: 'word right', command: 'editor.wordRight'},
  {keys: ['home', 'ctrl+a'], label: 'line start', command: 'editor.lineStart'},
  {keys: ['end', 'ctrl+e'], label: 'line end', command: 'editor.lineEnd'},
  {keys: ['ctrl+home', 'alt+<'], label: 'text start', command: 'editor.textStart'},
  {keys: ['ctrl+end', 'alt+>'], label: 'text end', command: 'editor.textEnd'},
  {keys: ['backspace'], label: 'delete left', command: 'editor.deleteLeft'},
  {keys: ['delete', 'ctrl+d'], label: 'delete right', command: 'editor.deleteRight'},
  {keys: ['ctrl+w'], label: 'delete to blank', command: 'editor.deleteToBlank'},
  {keys: ['alt+backspace', 'ctrl+backspace'], label: 'delete word left', command: 'editor.deleteWordLeft'},
  {
    keys: ['alt+d', 'alt+delete', 'ctrl+delete'],
    label: 'delete word right',
    command: 'editor.deleteWordRight',
  },
  {keys: ['ctrl+k'], label: 'delete to line end', command: 'editor.deleteLineEnd'},
  {keys: ['ctrl+u'], label: 'delete to line start', command: 'editor.deleteLineStart'},
];

export const moves: Partial<Record<EditorCommand, buffer.Edit>> = {
  'editor.left': buffer.moveLeft,
  'editor.right': buffer.moveRight,
  'editor.wordLeft': buffer.moveWordLeft,
  'editor.wordRight': buffer.moveWordRight,
  'editor.lineStart': buffer.moveLineStart,
  'editor.lineEnd': buffer.moveLineEnd,
  'editor.textStart': buffer.moveStart,
  'editor.textEnd': buffer.moveEnd,
} satisfies Record<`editor.${Moves}`, buffer.Edit>;

export const edits: Partial<Record<EditorCommand, buffer.Edit>> = {
  'editor.deleteLeft': buffer.deleteLeft,
  'editor.deleteRight': buffer.deleteRight,
  'editor.deleteToBlank': buffer.deleteToBlank,
  'editor.deleteWordLeft': buffer.deleteWordLeft,
  'editor.deleteWordRight': buffer.deleteWordRight,
  'editor.deleteLineEnd': buffer.deleteLineEnd,
  'editor.deleteLineStart': buffer.deleteLineStart,
} satisfies Record<`editor.${Edits}`, buffer.Edit>;
