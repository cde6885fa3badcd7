import {describe, expect, test} from 'vitest';
import * as edit from '../../../src/ui/editor/text-buffer.ts';
import {boundariesOf} from '../../../src/ui/text/graphemes.ts';
import fc from '../../helpers/fast-check.ts';

/** The text with a bar at the cursor, and back. */
const at = (marked: string): edit.TextBuffer => ({
  text: marked.replace('|', ''),
  cursor: marked.indexOf('|'),
  goal: null,
});
const shown = ({text, cursor}: edit.TextBuffer) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

const edits = new Map(
  Object.entries(edit).filter((entry): entry is [string, edit.Edit] => /^(move|delete)/.test(entry[0])),
);
const editNamed = (name: string): edit.Edit => {
  const found = edits.get(name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
};

test.each<{name: keyof typeof edit; from: string; to: string}>([
  {name: 'moveLeft', from: 'ab|', to: 'a|b'},
  {name: 'moveLeft', from: '|ab', to: '|ab'},
  {name: 'moveLeft', from: 'a\n|b', to: 'a|\nb'},
  {name: 'moveLeft', from: 'x👩‍👩‍👧|', to: 'x|👩‍👩‍👧'},
  {name: 'moveRight', from: 'a|e\u0301b', to: 'ae\u0301|b'},
  {name: 'moveRight', from: 'a|\nb', to: 'a\n|b'},
  {name: 'moveRight', from: 'a|', to: 'a|'},
  {name: 'moveWordLeft', from: 'one two-three|', to: 'one two-|three'},
  {name: 'moveWordLeft', from: 'one  |', to: '|one  '},
  {name: 'moveWordRight', from: '|one two', to: 'one| two'},
  {name: 'moveWordRight', from: 'one| two', to: 'one two|'},
  {name: 'moveWordRight', from: 'a|\n\nbc d', to: 'a\n\nbc| d'},
  {name: 'moveLineStart', from: 'a\nbc|d', to: 'a\n|bcd'},
  {name: 'moveLineEnd', from: 'a\nb|cd\ne', to: 'a\nbcd|\ne'},
  {name: 'moveStart', from: 'a\nb|', to: '|a\nb'},
  {name: 'moveEnd', from: '|a\nb', to: 'a\nb|'},
  {name: 'deleteLeft', from: 'a👍🏽|b', to: 'a|b'},
  {name: 'deleteLeft', from: 'a\n|b', to: 'a|b'},
  {name: 'deleteLeft', from: '|b', to: '|b'},
  {name: 'deleteRight', from: 'a|🇩🇪b', to: 'a|b'},
  {name: 'deleteRight', from: 'a|', to: 'a|'},
  {name: 'deleteToBlank', from: 'see src/a.ts|', to: 'see |'},
  {name: 'deleteToBlank', from: 'see it  |', to: 'see |'},
  {name: 'deleteWordLeft', from: 'see src/a.ts|', to: 'see src/a.|'},
  {name: 'deleteWordRight', from: '|one two', to: '| two'},
  {name: 'deleteLineEnd', from: 'a|bc\nd', to: 'a|\nd'},
  {name: 'deleteLineEnd', from: 'a|\nd', to: 'a|d'},
  {name: 'deleteLineStart', from: 'a\nbc|d', to: 'a\n|d'},
  {name: 'deleteLineStart', from: 'a\n|d', to: 'a|d'},
])('$name: $from becomes $to', ({name, from, to}) => {
  expect(shown(editNamed(name)(at(from)))).toBe(to);
});

describe('insert', () => {
  test('puts the text before the cursor', () => {
    expect(shown(edit.insert(at('a|c'), 'b\n'))).toBe('ab\n|c');
  });
  test('never leaves the cursor inside a combined character', () => {
    expect(shown(edit.insert(at('a|\u0301'), 'e'))).toBe('ae\u0301|');
    expect(shown(edit.insert(at('|🇪'), '🇩'))).toBe('🇩🇪|');
  });
});

test('whatever is done, the cursor is between two characters', () => {
  const unit = fc.constantFrom(
    'a',
    ' ',
    '\n',
    'é',
    'e\u0301',
    '\u0301',
    '日',
    '👍🏽',
    '🇩',
    '🇪',
    '\u200d',
    '👩',
    'ก',
    'ำ',
    '한',
  );
  const step = fc.oneof(
    fc.constantFrom(...edits.values()),
    fc
      .array(unit, {maxLength: 4})
      .map((units) => (buffer: edit.TextBuffer) => edit.insert(buffer, units.join(''))),
  );
  fc.assert(
    fc.property(fc.array(unit), fc.array(step, {maxLength: 30}), (units, steps) => {
      let buffer = edit.bufferOf(units.join(''));
      for (const take of steps) {
        buffer = take(buffer);
        const start = edit.lineStart(buffer.text, buffer.cursor);
        const line = buffer.text.slice(start, edit.lineEnd(buffer.text, buffer.cursor));
        expect(boundariesOf(line)).toContain(buffer.cursor - start);
      }
    }),
  );
});
