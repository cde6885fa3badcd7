import {describe, expect, test} from 'vitest';
import {editorKeymap} from '../../../src/ui/editor/editor-keymap.ts';
import {
  type EditorFrame,
  type EditorState,
  editorState,
  editorStep,
} from '../../../src/ui/editor/editor-state.ts';
import {editorLines} from '../../../src/ui/editor/editor-view.ts';
import {rankableFiles} from '../../../src/ui/editor/file-ranking.ts';
import {createKeyDecoder} from '../../../src/ui/input/key-decoder.ts';
import type {KeyPress} from '../../../src/ui/input/key-press.ts';
import {textWidth} from '../../../src/ui/text/graphemes.ts';
import fc from '../../helpers/fast-check.ts';

const paths = ['src/refunds/route.ts', 'src/refunds/money.ts', 'docs/my file.md'];
const frame: EditorFrame = {columns: 40, height: 5, files: rankableFiles(paths)};

/** Types like a terminal, key by key. */
function typed(sent: string, {from = editorState(), within = frame} = {}): EditorState {
  return keysOf(sent).reduce((state, key) => editorStep(state, key, within).state, from);
}
function keysOf(sent: string): KeyPress[] {
  const decoder = createKeyDecoder();
  return [
    ...sent.matchAll(/\x1b\[200~(?:.|[\r\n])*?\x1b\[201~|\x1b(?:\[[0-?]*[@-~])|(?:.|[\r\n])/gu),
  ].flatMap(([chunk]) => {
    const keys = decoder.push(chunk);
    return keys.length === 0 ? decoder.flush() : keys;
  });
}
const shown = ({buffer: {text, cursor}}: EditorState) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const [up, down, left, ctrlLeft] = ['\x1b[A', '\x1b[B', '\x1b[D', '\x1b[1;5D'];

test.each([
  {name: 'text and lines', sent: 'one\rtwo', text: 'one\ntwo|'},
  {name: 'moves', sent: `one two${ctrlLeft}x${left}y`, text: 'one yx|two'.replace('yx|', 'y|x')},
  {name: 'up and down', sent: `abc\rde${up}X${down}Y`, text: 'abXc\ndeY|'},
  {name: 'deleting words and lines', sent: 'one two\x17three\x15x', text: 'x|'},
  {name: 'a paste with lines, whole', sent: '\x1b[200~a\r\nb\rc\x1b[201~d', text: 'a\nb\ncd|'},
  {name: 'no control characters', sent: '\x1b[200~a\x1b[31mb\x07\x00c\x1b[201~', text: 'abc|'},
  {name: 'the joiners of emoji', sent: '\x1b[200~👩‍👩‍👧\x1b[201~', text: '👩‍👩‍👧|'},
  {name: 'a tab', sent: 'a\tb', text: 'a\tb|'},
])('$name', ({sent, text}) => {
  expect(shown(typed(sent))).toBe(text);
});

describe('undo and redo', () => {
  test('letters of a word are one step, the space and the line break their own', () => {
    const [undo, redo] = ['\x1a', '\x19'];
    const state = typed('one two\rx');
    const back = ['', 'one', 'one ', 'one two', 'one two\n'].reverse();
    let now = state;
    for (const text of back) {
      now = typed(undo, {from: now});
      expect(now.buffer.text).toBe(text);
    }
    expect(typed(undo, {from: now}).buffer.text).toBe('');
    expect(typed(redo.repeat(5), {from: now}).buffer).toEqual(state.buffer);
  });

  test('a paste is one step', () => {
    expect(typed('ab\x1b[200~cd ef\x1b[201~\x1a').buffer.text).toBe('ab');
  });

  test('an edit after undo discards what was undone', () => {
    expect(typed('a b\x1ac\x19').buffer.text).toBe('a c');
  });

  test('undoing everything returns to the start, redoing everything to the end', () => {
    const key = fc.constantFrom(
      'a',
      'é',
      ' ',
      '\r',
      '\x7f',
      '\x17',
      '\x0b',
      left,
      up,
      '日',
      '\x1b[200~x\ry\x1b[201~',
    );
    fc.assert(
      fc.property(fc.array(key, {maxLength: 40}), (sent) => {
        const start = editorState('begin\nhere');
        const end = typed(sent.join(''), {from: start});
        const undone = typed('\x1a'.repeat(sent.length + 1), {from: end});
        expect(undone.buffer.text).toBe('begin\nhere');
        expect(typed('\x19'.repeat(sent.length + 1), {from: undone}).buffer.text).toBe(end.buffer.text);
      }),
    );
  });
});

describe('files after @', () => {
  test.each([
    {name: 'Enter picks the first', sent: '@mon\r', text: '@src/refunds/money.ts |'},
    {name: 'Tab picks it too', sent: 'see @rout\t.', text: 'see @src/refunds/route.ts .|'},
    {name: 'arrows choose', sent: `@refunds${down}\r`, text: '@src/refunds/money.ts |'},
    {name: 'around the end', sent: `@refunds${up}\r`, text: '@src/refunds/money.ts |'},
    {name: 'a name with a space is quoted', sent: '@my\r', text: '@"docs/my file.md" |'},
    {name: 'Esc closes, Enter is a line break again', sent: '@mon\x1b\r', text: '@mon\n|'},
    {name: 'closed stays closed while typing continues', sent: '@m\x1bon\r', text: '@mon\n|'},
    {name: 'the next @ opens again', sent: '@m\x1b @rou\r', text: '@m @src/refunds/route.ts |'},
    {name: 'no match: Enter is a line break', sent: '@nothing\r', text: '@nothing\n|'},
    {name: 'an address opens nothing', sent: 'me@src\r', text: 'me@src\n|'},
    {name: 'the choice is undone in one step', sent: '@mon\r\x1a', text: '@mon|'},
    {name: 'within a line', sent: `x y${left}${left}@mon\r`, text: 'x@mon\n| y'},
  ])('$name', ({sent, text}) => {
    expect(shown(typed(sent))).toBe(text);
  });

  test('while the list is loading, Enter is a line break', () => {
    expect(shown(typed('@mon\r', {within: {...frame, files: null}}))).toBe('@mon\n|');
  });
});

describe('its result', () => {
  const outcome = (sent: string) => {
    const keys = keysOf(sent);
    const state = keys.slice(0, -1).reduce((now, key) => editorStep(now, key, frame).state, editorState());
    return editorStep(state, keys.at(-1) ?? {name: ''}, frame).outcome;
  };
  test.each([
    {name: 'Ctrl+S sends', sent: 'a\rb\x13', said: {type: 'submit', text: 'a\nb'}},
    {name: 'Esc goes back', sent: 'a\x1b', said: {type: 'cancel'}},
    {name: 'Enter does nothing', sent: 'a\r', said: undefined},
    {name: 'a paste with Enter does nothing', sent: '\x1b[200~a\r\x1b[201~', said: undefined},
    {name: 'Esc in the list of files closes only the list', sent: '@m\x1b', said: undefined},
    {name: 'with the list open, Ctrl+S still sends', sent: '@m\x13', said: {type: 'submit', text: '@m'}},
  ])('$name', ({sent, said}) => {
    expect(outcome(sent)).toEqual(said);
  });
});

test('no key is bound twice', () => {
  const keys = editorKeymap.flatMap((binding) => binding.keys);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test('whatever is typed, the view fits and shows the cursor', () => {
  const key = fc.constantFrom(
    'a',
    'wörter ',
    '日本',
    '@m',
    '\r',
    '\x7f',
    up,
    down,
    left,
    '\x1b',
    '\x1b[200~x\ry\tz\x1b[201~',
  );
  const size = fc.record({columns: fc.integer({min: 12, max: 60}), height: fc.integer({min: 4, max: 12})});
  fc.assert(
    fc.property(fc.array(key, {maxLength: 30}), size, (sent, {columns, height}) => {
      const within = {columns: columns - 2, height: height - 2, files: frame.files};
      const state = typed(sent.join(''), {within});
      const list = {state: 'ready', files: rankableFiles(paths)} as const;
      const lines = editorLines(state, {
        columns,
        height,
        title: 'Title',
        placeholder: '',
        list,
        notice: null,
      });
      expect(lines).toHaveLength(height);
      for (const line of lines) {
        expect(textWidth(line.map(({text}) => text).join(''))).toBeLessThanOrEqual(columns);
      }
      expect(lines.flat().filter(({inverse}) => inverse)).toHaveLength(1);
    }),
  );
});
