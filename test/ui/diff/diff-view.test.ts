import {describe, expect, test} from 'vitest';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import type {ReviewComment} from '../../../src/ui/diff/comments.ts';
import {diffStep} from '../../../src/ui/diff/diff-keymap.ts';
import {diffLines} from '../../../src/ui/diff/diff-lines.ts';
import {
  backStep,
  currentFile,
  type DiffFrame,
  type DiffView,
  diffContent,
  isViewed,
  newDiffView,
  patchOf,
  viewFor,
  withContent,
} from '../../../src/ui/diff/diff-view.ts';
import {bodyFrame, bodyLines} from '../../../src/ui/diff/review-body.ts';
import {lineText} from '../../../src/ui/model/styled-lines.ts';
import {textWidth} from '../../../src/ui/text/graphemes.ts';
import {changedRun, restingRun} from '../../fakes/runs.ts';

const fileOf = (path: string, ...lines: readonly string[]) => {
  const count = (sign: string) =>
    lines.filter((line) => line.startsWith(sign) || line.startsWith(' ')).length;
  return [`diff --git a/${path} b/${path}`, `@@ -1,${count('-')} +1,${count('+')} @@`, ...lines, ''].join(
    '\n',
  );
};
const one = fileOf('one.ts', ' same', '-old', '+new', '+more');
const two = fileOf('two.ts', `+${'0123456789'.repeat(10)}`, '+\tword here', '+last');

const view = (task = one + two, sinceReview: string | null = null): DiffView =>
  withContent(newDiffView, diffContent({task, sinceReview}));

const frameOf = (fields: Partial<DiffFrame> = {}): DiffFrame => ({
  columns: 40,
  height: 20,
  comments: [],
  toldLength: 0,
  editorRefused: null,
  commentRefused: null,
  ...fields,
});

/** The view after keys, one after another. */
const pressed = (start: DiffView, keys: readonly string[], frame = frameOf()): DiffView =>
  keys.reduce((now, name) => diffStep(now, {name, text: name}, frame)?.state ?? now, start);

const shown = (start: DiffView, frame = frameOf()) => diffLines(start, frame).map(lineText);

const viewedIn = (seen: DiffView) =>
  patchOf(seen)
    .files.filter((file) => isViewed(seen, file))
    .map(({path}) => path);

describe('a diff as text', () => {
  test('has one line number when narrow, and the sign next to it', () => {
    expect(shown(view(one))).toEqual([
      '❯─ one.ts ─────────────────────── +2 −1 ',
      '      @@ -1,2 +1,3 @@',
      '  1   same',
      '  2 - old',
      '  2 + new',
      '  3 + more',
    ]);
  });

  test('has both line numbers when wide', () => {
    expect(shown(view(one), frameOf({columns: 70})).slice(2)).toEqual([
      '  1  1   same',
      '  2    - old',
      '     2 + new',
      '     3 + more',
    ]);
  });

  test('scrolls sideways under a fixed column of numbers and signs', () => {
    const scrolled = pressed(view(two), ['right', 'right']);
    expect(shown(scrolled).slice(2)).toEqual([
      `  1 + …${'0123456789'.repeat(10).slice(17, 49)}…`,
      '  2 + …',
      '  3 + …',
    ]);
    expect(shown(pressed(view(fileOf('a', '+', '+word')), ['right'])).slice(2)).toEqual([
      '  1 +  ',
      '  2 + …',
    ]);
    expect(shown(pressed(scrolled, ['left', 'h', 'h'])).slice(3)).toEqual([
      '  2 +     word here',
      '  3 + last',
    ]);
  });

  test('wraps long lines, each whole and behind the same column', () => {
    expect(shown(pressed(view(two), ['w'])).slice(2, 7)).toEqual([
      `  1 + ${'0123456789'.repeat(10).slice(0, 34)}`,
      `      ${'0123456789'.repeat(10).slice(34, 68)}`,
      `      ${'0123456789'.repeat(10).slice(68)}`,
      '  2 +     word here',
      '  3 + last',
    ]);
    expect(pressed(view(two), ['w', 'right']).notice).toBe('lines are wrapped: w');
  });

  test('marks matches, and their row', () => {
    const found = pressed(view(), ['/', 'w', 'o', 'r', 'enter']);
    expect([found.isSearching, found.query, found.cursor]).toEqual([false, 'wor', 9]);
    const spans = diffLines(found, frameOf()).find((line) => lineText(line).includes('word here'));
    expect(spans?.filter(({inverse}) => inverse).map(({text}) => text)).toEqual(['wor']);
  });

  test('shows comments whole under their line, old and new', () => {
    const comments: ReviewComment[] = [
      {id: '1', file: 'one.ts', side: 'old', line: 2, text: 'Keep it.'},
      {id: '2', file: 'one.ts', side: 'new', line: 2, text: `${'so '.repeat(15)}\nlong\u001b[2J`},
      {id: '3', file: 'two.ts', side: 'new', line: 2, text: 'elsewhere'},
    ];
    expect(shown(view(one), frameOf({comments})).slice(3)).toEqual([
      '  2 - old',
      '      ┃ Keep it.',
      '  2 + new',
      '      ┃ so so so so so so so so so so',
      '      ┃ so so so so so',
      '      ┃ long',
      '  3 + more',
    ]);
  });
});

describe('moving', () => {
  test('from file to file, and back to the title first', () => {
    const paths = (keys: readonly string[]) => {
      const {cursor, ...rest} = pressed(view(), keys);
      return [cursor, currentFile({...rest, cursor})?.path];
    };
    expect(paths(['n'])).toEqual([6, 'two.ts']);
    expect(paths(['n', 'n'])).toEqual([6, 'two.ts']);
    expect(paths(['n', 'j', 'p'])).toEqual([6, 'two.ts']);
    expect(paths(['n', 'p'])).toEqual([0, 'one.ts']);
    expect(paths(['}', '}'])).toEqual([7, 'two.ts']);
    expect(paths(['G', '{'])).toEqual([7, 'two.ts']);
    expect(paths(['G', 'g'])).toEqual([0, 'one.ts']);
  });

  test('the selected row is always visible, and no space is left empty', () => {
    const frame = frameOf({height: 4});
    expect(shown(pressed(view(), ['G'], frame), frame).at(-1)).toBe('❯ 3 + last');
    expect(shown(pressed(view(), ['G', 'k', 'k'], frame), frame).at(-1)).toBe('  3 + last');
    expect(shown(pressed(view(), ['n'], frame), frame)).toHaveLength(4);
    const wrapped = pressed(view(), ['w', 'G'], frame);
    expect(shown(wrapped, frame).at(-1)).toBe('❯ 3 + last');
  });

  test.each(['pagedown', 'ctrl+d', 'wheeldown'])('%s moves further than a line', (key) => {
    expect(pressed(view(), [key], frameOf({height: 6})).cursor).toBeGreaterThan(1);
  });

  test('matches wrap around the end, and a missing one is reported', () => {
    const found = pressed(view(), ['/', 'm', 'o', 'r', 'enter']);
    expect([found.cursor, pressed(found, ['m']).cursor, pressed(found, ['M']).cursor]).toEqual([5, 5, 5]);
    const none = pressed(view(), ['/', 'q', 'x']);
    expect([none.cursor, none.notice]).toEqual([0, 'nothing contains “qx”']);
    expect(pressed(view(), ['m']).notice).toBe('search first: /');
  });
});

describe('viewed files', () => {
  test('are marked, and unmarked', () => {
    expect(viewedIn(pressed(view(), ['v', 'n', 'space']))).toEqual(['one.ts', 'two.ts']);
    expect(viewedIn(pressed(view(), ['v', 'v']))).toEqual([]);
  });

  test('stay marked in the next run of the task, when their change is the same', () => {
    const read = pressed(view(), ['v', 'n', 'v']);
    const [first, next] = [restingRun({state: 'succeeded'}), restingRun({state: 'succeeded', run_id: 'a-2'})];
    const views = new Map([[first.run_id, read]]);
    const content = diffContent({task: one + fileOf('two.ts', '+other'), sinceReview: null});
    const later = (run: RunRecord) => viewedIn(withContent(viewFor(views, run), content));
    expect(later({...next, resumed_from_run_id: first.run_id})).toEqual(['one.ts']);
    expect(later({...next, restart_of_run_id: first.run_id})).toEqual(['one.ts']);
    expect(later(next)).toEqual([]);
    expect(viewFor(views, first)).toBe(read);
  });

  test('T shows what came after the last review, at the same line, and back', () => {
    const start = pressed(view(one + two, two), ['n', 'j', 'j', 'j']);
    expect([start.scope, start.cursor]).toEqual(['task', 9]);
    const since = pressed(start, ['T']);
    expect([since.scope, since.cursor]).toEqual(['sinceReview', 3]);
    expect(pressed(since, ['T'])).toMatchObject({scope: 'task', cursor: 9});
    expect(pressed(view(), ['T']).notice).toBe('nobody reviewed it before: this is the whole task');
  });

  test('stays at its file when the change grows above it', () => {
    const start = pressed(view(), ['n', 'j', 'j']);
    const grown = withContent(
      start,
      diffContent({task: fileOf('a.ts', '+x') + one + two, sinceReview: null}),
    );
    expect([grown.cursor, currentFile(grown)?.path]).toEqual([11, 'two.ts']);
  });
});

test('Esc clears the message, the search and the zoom before it closes', () => {
  const told = {...view(), isTold: true, query: 'x', isZoomed: true};
  const searched = backStep(told);
  const zoomed = searched && backStep(searched);
  const plain = zoomed && backStep(zoomed);
  expect([searched, zoomed, plain].map((each) => each && [each.isTold, each.query, each.isZoomed])).toEqual([
    [false, 'x', true],
    [false, '', true],
    [false, '', false],
  ]);
  expect(backStep(view())).toBe(null);
});

describe('keys that open other programs', () => {
  const outcome = (keys: readonly string[], last: string, frame = frameOf()) =>
    diffStep(pressed(view(), keys, frame), {name: last}, frame)?.outcome;
  test.each([
    {keys: ['j', 'j', 'j', 'j'], line: 2},
    // A deleted line: where it was.
    {keys: ['j', 'j', 'j'], line: 2},
    {keys: [], line: 1},
  ])('o opens the file at line $line', ({keys, line}) => {
    expect(outcome(keys, 'o')).toEqual({type: 'openEditor', file: 'one.ts', line});
  });

  test('o is refused without an editor, and for a deleted file', () => {
    const frame = frameOf({editorRefused: 'no editor is set'});
    expect(pressed(view(), ['o'], frame).notice).toBe('no editor is set');
    const gone = view(one.replace('@@', 'deleted file mode 100644\n@@'));
    expect(pressed(gone, ['o']).notice).toBe('the file was deleted');
  });

  test('c needs a line of a file', () => {
    expect(outcome(['j', 'j'], 'c')).toEqual({type: 'comment'});
    expect(pressed(view(), ['j', 'c']).notice).toBe('select a line of the file first: d, then j and k');
    expect(pressed(view(), ['j', 'j', 'c'], frameOf({commentRefused: 'not now'})).notice).toBe('not now');
  });
});

test('a change of 20,000 lines in 500 files is drawn as one screen', () => {
  const many = Array.from({length: 500}, (_, file) =>
    fileOf(`src/${file}.ts`, ...Array.from({length: 40}, (_line, line) => `+line ${line}`)),
  ).join('');
  const review = {
    subject: {task: {id: 'a', title: 'A'}, run: changedRun()},
    view: pressed(view(many), ['G']),
    comments: [],
  };
  const room = {columns: 100, rows: 50};
  const lines = bodyLines(review, {...room, isFocused: true}).map(lineText);
  expect(lines).toHaveLength(50);
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(100);
  expect(lines[0]).toContain('whole task 500 files +20000 −0');
  expect(lines[8]).toMatch(/^ ▸ src\/499\.ts/);
  expect(lines.at(-1)).toBe('❯   40 + line 39');
  expect(bodyFrame(review, room).height).toBe(41);
});

describe('the line above the diff', () => {
  const subject = {task: {id: 'a', title: 'Task a'}, run: changedRun()};
  const comment: ReviewComment = {id: '1', file: 'one.ts', side: 'new', line: 2, text: 'Keep it.'};
  const titleOf = (seen: DiffView, columns: number, comments: readonly ReviewComment[] = []) =>
    bodyLines({subject, view: seen, comments}, {columns, rows: 20, isFocused: true})
      .map(lineText)
      .find((line) => /whole|^ \//.test(line))
      ?.trimEnd();

  test.each([
    {columns: 54, seen: ' whole task 2 files     1 comment · 0/2 viewed · 1/11'},
    {columns: 48, seen: ' whole task 2     1 comment · 0/2 viewed · 1/11'},
    {columns: 41, seen: ' whole task 2     1 comment · 0/2 viewed'},
    {columns: 36, seen: ' whole 2     1 comment · 0/2 viewed'},
    {columns: 30, seen: ' whole task 2       1 comment'},
  ])('with a comment, in $columns columns', ({columns, seen}) => {
    expect(titleOf(view(), columns, [comment])).toBe(seen);
  });

  test.each([
    {columns: 76, seen: ' [whole task 2 files] │ since review 1 file (T)           0/2 viewed · 1/11'},
    {columns: 54, seen: ' [whole task 2] │ since review 1 (T)       0/2 viewed'},
    {columns: 41, seen: ' [whole 2] │ since 1 (T)      0/2 viewed'},
    {columns: 30, seen: ' [whole 2] │ since 1 (T)'},
  ])('after a review the key is named, in $columns columns', ({columns, seen}) => {
    expect(titleOf(view(one + two, two), columns)).toBe(seen);
  });

  test('shows the search, also after Enter', () => {
    const found = pressed(view(), ['/', 'm', 'o', 'r', 'enter']);
    expect(titleOf(found, 54)).toBe(' whole task 2 files +5 −1    /mor · 0/2 viewed · 6/11');
  });
});
