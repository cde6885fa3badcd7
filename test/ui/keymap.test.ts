import {expect, test} from 'vitest';
import {hintLine} from '../../src/ui/components/hint-line.tsx';
import {atTop, clamped, position, scrolled} from '../../src/ui/components/scroll.ts';
import {selectedAfter, selectLines} from '../../src/ui/components/select.ts';
import {bindingOf, helpOf, hintsOf, type Keymap, keyLabel, notNow, refusalOf} from '../../src/ui/keymap.ts';

const keymap: Keymap<string, [isBusy: boolean]> = [
  {id: 'a.more', keys: ['m'], label: 'more', hint: 'more', run: 'more'},
  {id: 'a.go', keys: ['up', 'k'], label: 'move', hint: 'first', shown: 2, run: 'go'},
  {
    id: 'a.stop',
    keys: ['ctrl+c'],
    label: 'stop',
    hint: 'first',
    refusal: (isBusy) => (isBusy ? null : notNow),
    run: 'stop',
  },
  {id: 'a.quit', keys: ['ctrl+c'], label: 'quit', refusal: (isBusy) => (isBusy ? notNow : null), run: 'quit'},
  {
    id: 'a.start',
    keys: ['k', 'x'],
    label: 'start',
    help: 'start it',
    refusal: (isBusy) => (isBusy ? 'it is busy' : null),
    run: 'start',
  },
];
const meaning = (key: string, isBusy: boolean) => bindingOf(keymap, key, isBusy)?.run ?? null;

test('a key does the first possible thing', () => {
  expect([meaning('k', false), meaning('x', false), meaning('x', true), meaning('y', false)]).toEqual([
    'go',
    'start',
    null,
    null,
  ]);
  expect([meaning('ctrl+c', true), meaning('ctrl+c', false)]).toEqual(['stop', 'quit']);
});

test('a key that can do nothing says why, unless there is nothing to say', () => {
  const reasons = ['x', 'k', 'ctrl+c', 'y'].map((key) => refusalOf(keymap, key, true));
  expect(reasons).toEqual(['it is busy', null, null, null]);
  const silent: Keymap<string> = [{id: 'a.b', keys: ['z'], label: '', refusal: () => notNow, run: ''}];
  expect(refusalOf(silent, 'z')).toBe(null);
});

test('hints list what is possible, the most important first; the help lists everything', () => {
  expect(hintsOf(keymap, false)).toEqual([
    {keys: '↑ k', label: 'move'},
    {keys: 'm', label: 'more'},
  ]);
  expect(helpOf(keymap)).toEqual([
    {keys: 'm', label: 'more'},
    {keys: '↑ k', label: 'move'},
    {keys: 'ctrl+c', label: 'stop'},
    {keys: 'ctrl+c', label: 'quit'},
    {keys: 'k x', label: 'start it'},
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
])('hints in $columns columns are not cut', ({columns, text}) => {
  expect(
    hintLine(hintsOf(keymap.slice(1, 3), true), columns)
      .map((span) => span.text)
      .join(''),
  ).toBe(text);
});

test.each([
  {key: 'k', from: 0, top: 0},
  {key: 'k', from: 3, top: 2},
  {key: 'j', from: 14, top: 15},
  {key: 'j', from: 15, top: 15},
  {key: 'pagedown', from: 0, top: 4},
  {key: 'pageup', from: 6, top: 2},
  {key: 'pageup', from: 2, top: 0},
  {key: 'g', from: 9, top: 0},
  {key: 'G', from: 0, top: 15},
])('$key from $from of 20 lines, 5 visible', ({key, from, top}) => {
  expect(scrolled({top: from, left: 0}, key, {count: 20, height: 5})).toEqual({top, left: 0});
});

test('what fits does not scroll, and the position is shown only when not everything fits', () => {
  expect(scrolled(atTop, 'j', {count: 5, height: 5})).toEqual(atTop);
  expect([position(atTop, 5, 5), position({top: 2, left: 0}, 6, 4)]).toEqual(['', '3–6 of 6']);
  expect(clamped({top: 9, left: 3}, 10, 4)).toEqual({top: 6, left: 3});
});

test('a list wraps around and skips disabled items', () => {
  const items = [{label: 'a'}, {label: 'b', isDisabled: true}, {label: 'c'}];
  const after = (index: number, key: string) => selectedAfter(items, index, key);
  expect([after(0, 'j'), after(0, 'down'), after(2, 'j'), after(2, 'k'), after(0, 'up')]).toEqual([
    2, 2, 0, 0, 2,
  ]);
  expect([after(2, 'home'), after(0, 'G'), after(0, 'x')]).toEqual([0, 2, null]);
});

test('a note beside a label of wide characters is cut where the line ends', () => {
  const [line = []] = selectLines([{label: '日本語', note: 'a note'}], 0, {columns: 14});
  expect(line.map(({text}) => text).join('')).toBe(' ❯ 日本語  a …');
});

test('a long list shows what surrounds the selected item', () => {
  const items = Array.from({length: 9}, (_, index) => ({label: `item ${index}`}));
  const seen = (index: number) =>
    selectLines(items, index, {columns: 20, height: 3}).map((line) => line.map(({text}) => text).join(''));
  expect(seen(0)).toEqual([' ❯ item 0', '   item 1', '   item 2']);
  expect(seen(5)).toEqual(['   item 4', ' ❯ item 5', '   item 6']);
  expect(seen(8)).toEqual(['   item 6', '   item 7', ' ❯ item 8']);
});
