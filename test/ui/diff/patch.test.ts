import {describe, expect, test} from 'vitest';
import {fileAt, parsePatch} from '../../../src/ui/diff/patch.ts';

const rowsOf = (text: string) =>
  parsePatch(text).rows.map(({kind, text: shown, old, new: now}) => [kind, old, now, shown]);

const patch = [
  'diff --git a/src/a.ts b/src/a.ts',
  'index 1111111..2222222 100644',
  '--- a/src/a.ts',
  '+++ b/src/a.ts',
  '@@ -10,3 +10,3 @@ function one() {',
  ' same',
  '-before',
  '+after',
  ' same again',
  '@@ -40 +40,2 @@',
  ' end',
  '+more',
  '\\ No newline at end of file',
  '',
].join('\n');

describe('the rows of a patch', () => {
  test('have the line numbers of both sides, and one title for each file', () => {
    expect(rowsOf(patch)).toEqual([
      ['file', null, null, 'src/a.ts'],
      ['hunk', null, null, '@@ -10,3 +10,3 @@ function one() {'],
      ['context', 10, 10, 'same'],
      ['removed', 11, null, 'before'],
      ['added', null, 11, 'after'],
      ['context', 12, 12, 'same again'],
      ['hunk', null, null, '@@ -40 +40,2 @@'],
      ['context', 40, 40, 'end'],
      ['added', null, 41, 'more'],
      ['note', null, null, '\\ No newline at end of file'],
    ]);
    expect(parsePatch(patch)).toMatchObject({
      files: [{path: 'src/a.ts', change: 'changed', added: 2, removed: 1, start: 0, end: 10}],
      highest: 42,
    });
  });

  test('are not confused by lines that look like headers', () => {
    const hostile = [
      'diff --git a/a b/a',
      '--- a/a',
      '+++ b/a',
      '@@ -1,3 +1,3 @@',
      '--- a/other',
      '+++ b/other',
      '-@@ -1 +1 @@',
      '+@@ -9 +9 @@',
      '-diff --git a/x b/x',
      '+diff --git a/x b/x',
      '',
    ].join('\n');
    expect(rowsOf(hostile).slice(2)).toEqual([
      ['removed', 1, null, '-- a/other'],
      ['added', null, 1, '++ b/other'],
      ['removed', 2, null, '@@ -1 +1 @@'],
      ['added', null, 2, '@@ -9 +9 @@'],
      ['removed', 3, null, 'diff --git a/x b/x'],
      ['added', null, 3, 'diff --git a/x b/x'],
    ]);
    expect(parsePatch(hostile).files.map(({path}) => path)).toEqual(['a']);
  });

  test('of an empty patch are none', () => {
    expect(parsePatch('')).toEqual({text: '', rows: [], files: [], highest: 1});
  });
});

describe('the files of a patch', () => {
  test.each([
    {
      name: 'new, with an unusual mode',
      lines: ['diff --git a/run.sh b/run.sh', 'new file mode 100755', '--- /dev/null', '+++ b/run.sh'],
      file: {path: 'run.sh', change: 'added'},
      notes: ['new file mode 100755'],
    },
    {
      name: 'new',
      lines: ['diff --git a/a.ts b/a.ts', 'new file mode 100644', '--- /dev/null', '+++ b/a.ts'],
      file: {path: 'a.ts', change: 'added'},
      notes: [],
    },
    {
      name: 'deleted',
      lines: ['diff --git a/a b.ts b/a b.ts', 'deleted file mode 100644', '--- a/a b.ts\t', '+++ /dev/null'],
      file: {path: 'a b.ts', change: 'deleted'},
      notes: [],
    },
    {
      name: 'renamed',
      lines: ['diff --git a/old b/x b/new', 'similarity index 100%', 'rename from old b/x', 'rename to new'],
      file: {path: 'new', change: 'renamed'},
      notes: ['rename from old b/x'],
    },
    {
      name: 'binary',
      lines: ['diff --git a/i.png b/i.png', 'index 1..2 100644', 'Binary files a/i.png and b/i.png differ'],
      file: {path: 'i.png', change: 'changed'},
      notes: ['Binary files a/i.png and b/i.png differ'],
    },
    {
      name: 'with only another mode',
      lines: ['diff --git a/x y b/x y', 'old mode 100644', 'new mode 100755'],
      file: {path: 'x y', change: 'changed'},
      notes: ['old mode 100644', 'new mode 100755'],
    },
    {
      name: 'quoted',
      lines: [
        'diff --git "a/\\303\\244\\n\\".ts" "b/\\303\\244\\n\\".ts"',
        'old mode 100644',
        'new mode 100755',
      ],
      file: {path: 'ä\n".ts', change: 'changed'},
      notes: ['old mode 100644', 'new mode 100755'],
    },
  ])('$name', ({lines, file, notes}) => {
    const {files, rows} = parsePatch(`${lines.join('\n')}\n`);
    expect(files).toMatchObject([file]);
    expect(rows.map(({kind, text}) => [kind, text])).toEqual([
      ['file', file.path],
      ...notes.map((text) => ['note', text]),
    ]);
  });

  test('each row belongs to the file above it', () => {
    const two = parsePatch(patch + patch.replaceAll('a.ts', 'b.ts'));
    expect([0, 9, 10, 19].map((row) => two.files[fileAt(two, row)]?.path)).toEqual([
      'src/a.ts',
      'src/a.ts',
      'src/b.ts',
      'src/b.ts',
    ]);
  });
});
