import {expect, test} from 'vitest';
import {hintLine} from '../../src/ui/components/hint-line.tsx';
import {atTop, clamped, position, type ScrollCommand, scrolled} from '../../src/ui/components/scroll.ts';
import {selectedAfter, selectLines} from '../../src/ui/components/select.ts';
import {commandOf, helpOf, hintsOf, type Keymap, keyLabel} from '../../src/ui/keymap.ts';

const keymap: Keymap<'go' | 'stop' | 'hide'> = [
  {keys: ['up', 'k'], label: 'move', command: 'go', hint: 'always', shown: 2},
  {keys: ['ctrl+c'], label: 'stop', command: 'stop', hint: 'always'},
  {keys: ['k', 'x'], label: 'hidden', command: 'hide'},
];

test('the first binding of a key wins', () => {
  expect([commandOf(keymap, 'k'), commandOf(keymap, 'x'), commandOf(keymap, 'y')]).toEqual([
    'go',
    'hide',
    null,
  ]);
});

test('hints are those that can be done, the help is everything', () => {
  expect(hintsOf(keymap, (command) => command !== 'stop')).toEqual([{keys: '↑ k', label: 'move'}]);
  expect(helpOf(keymap)).toEqual([
    {keys: '↑ k', label: 'move'},
    {keys: 'ctrl+c', label: 'stop'},
    {keys: 'k x', label: 'hidden'},
  ]);
});

test.each([
  {name: 'ctrl+left', label: 'ctrl+←'},
  {name: 'pagedown', label: 'pgdn'},
  {name: 'a', label: 'a'},
])('$name is shown as $label', ({name, label}) => {
  expect(keyLabel(name)).toBe(label);
});

test.each([
  {columns: 21, text: ' ↑ k move   ctrl+c stop'.slice(0, 9)},
  {columns: 23, text: ' ↑ k move   ctrl+c stop'},
])('hints in $columns columns are whole ones', ({columns, text}) => {
  expect(
    hintLine(hintsOf(keymap), columns)
      .map((span) => span.text)
      .join(''),
  ).toBe(text);
});

test.each<{command: ScrollCommand; from: number; top: number}>([
  {command: 'scroll.up', from: 0, top: 0},
  {command: 'scroll.up', from: 3, top: 2},
  {command: 'scroll.down', from: 14, top: 15},
  {command: 'scroll.down', from: 15, top: 15},
  {command: 'scroll.pageDown', from: 0, top: 4},
  {command: 'scroll.pageUp', from: 6, top: 2},
  {command: 'scroll.pageUp', from: 2, top: 0},
  {command: 'scroll.start', from: 9, top: 0},
  {command: 'scroll.end', from: 0, top: 15},
])('$command from $from of 20 lines, 5 seen', ({command, from, top}) => {
  expect(scrolled({top: from, left: 0}, command, {count: 20, height: 5})).toEqual({top, left: 0});
});

test('what fits is not scrolled, and where one is is said only when it is not all', () => {
  expect(scrolled(atTop, 'scroll.down', {count: 5, height: 5})).toEqual(atTop);
  expect([position(atTop, 5, 5), position({top: 2, left: 0}, 6, 4)]).toEqual(['', '3–6 of 6']);
  expect(clamped({top: 9, left: 3}, 10, 4)).toEqual({top: 6, left: 3});
});

test('a list goes around and steps over what is disabled', () => {
  const items = [{label: 'a'}, {label: 'b', isDisabled: true}, {label: 'c'}];
  const after = (index: number, key: string) => selectedAfter(items, index, key);
  expect([after(0, 'j'), after(0, 'down'), after(2, 'j'), after(2, 'k'), after(0, 'up')]).toEqual([
    2, 2, 0, 0, 2,
  ]);
  expect([after(2, 'home'), after(0, 'G'), after(0, 'x')]).toEqual([0, 2, null]);
});

test('a long list shows what is around the marked item', () => {
  const items = Array.from({length: 9}, (_, index) => ({label: `item ${index}`}));
  const seen = (index: number) =>
    selectLines(items, index, {columns: 20, height: 3}).map((line) => line.map(({text}) => text).join(''));
  expect(seen(0)).toEqual([' ❯ item 0', '   item 1', '   item 2']);
  expect(seen(5)).toEqual(['   item 4', ' ❯ item 5', '   item 6']);
  expect(seen(8)).toEqual(['   item 6', '   item 7', ' ❯ item 8']);
});
