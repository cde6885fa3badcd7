import {describe, expect, test} from 'vitest';
import {
  cutDiffstat,
  filesToQuote,
  reviewSummary,
  snippetOf,
} from '../../../src/machines/policies/review/review-summary.ts';
import {
  type ChangedFile,
  reviewLimits,
  reviewSummarySchema,
} from '../../../src/services/contracts/changes.ts';
import fc from '../../helpers/fast-check.ts';

const file = (path: string, fields: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  kind: 'changed',
  lines: {added: 1, removed: 0},
  ...fields,
});

const numbered = (count: number) => Array.from({length: count}, (_, index) => file(`f${index}`));
const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('the files of a summary', () => {
  test('are all listed up to the limit, and the first ones above it', () => {
    const at = reviewSummary({files: numbered(25), diffstat: '', patches: []});
    expect(at).toEqual({
      files: numbered(25).map(({path}) => path),
      total_files: 25,
      diffstat: '',
      snippets: [],
    });
    const above = reviewSummary({files: numbered(26), diffstat: '', patches: []});
    expect(above).toEqual({...at, total_files: 26});
  });
});

describe('the table of a summary', () => {
  const line = (length: number) => ` ${'x'.repeat(length - 1)}`;
  const totals = ' 2 files changed, 2 insertions(+)';

  test('stays as it is up to the limit', () => {
    const text = `${line(reviewLimits.diffstatBytes - 1 - totals.length)}\n${totals}\n`;
    expect(cutDiffstat(text)).toBe(text.trimEnd());
    expect(bytes(cutDiffstat(text))).toBe(4_000);
  });

  test('loses whole lines above it, but keeps the totals', () => {
    const text = `${line(100)}\n${line(reviewLimits.diffstatBytes - totals.length)}\n${totals}\n`;
    expect(cutDiffstat(text)).toBe(`${line(100)}\n ...\n${totals}`);
  });

  test('keeps one marker for what is missing', () => {
    const text = `${Array.from({length: 100}, () => line(60)).join('\n')}\n ...\n${totals}\n`;
    const cut = cutDiffstat(text);
    expect(cut.split('\n').filter((each) => each === ' ...')).toHaveLength(1);
    expect(cut.endsWith(`\n ...\n${totals}`)).toBe(true);
  });

  test('is never larger than the limit, and never splits a character or a line', () => {
    fc.assert(
      fc.property(fc.array(fc.string({unit: 'grapheme', maxLength: 400}), {maxLength: 60}), (lines) => {
        const cut = cutDiffstat(lines.join('\n'));
        expect(bytes(cut)).toBeLessThanOrEqual(reviewLimits.diffstatBytes);
        expect(cut).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });

  test('is bounded even when there is only one line', () => {
    const cut = cutDiffstat('🙂'.repeat(2_000));
    expect(bytes(cut)).toBeLessThanOrEqual(4_000);
    expect(cut).toBe(` ...\n${'🙂'.repeat(50)}`);
  });
});

describe('quotes', () => {
  test('prefer files that people write over generated ones, and existing files over deleted ones', () => {
    const files = [
      file('go.sum'),
      file('a.ts', {kind: 'deleted', lines: {added: 0, removed: 3}}),
      file('b.png', {lines: null}),
      file('c.ts', {kind: 'renamed', from: 'd.ts', lines: {added: 0, removed: 0}}),
      file('package-lock.json'),
      file('src/e.ts', {kind: 'added'}),
      file('test/f.snap'),
      file('z.ts'),
    ];
    expect(filesToQuote(files).map(({path}) => path)).toEqual(['src/e.ts', 'z.ts', 'a.ts']);
    expect(filesToQuote(files.slice(0, 5)).map(({path}) => path)).toEqual([
      'a.ts',
      'go.sum',
      'package-lock.json',
    ]);
    expect(filesToQuote(files.slice(2, 4))).toEqual([]);
  });

  test('begin at the first hunk', () => {
    const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n';
    expect(snippetOf(patch)).toBe('@@ -1 +1 @@\n-one\n+two');
    expect(snippetOf('diff --git a/x b/x\nBinary files a/x and b/x differ\n')).toBe('');
    expect(snippetOf('')).toBe('');
  });

  test('have twenty lines at most', () => {
    const patch = (count: number) => `@@ -0,0 +1 @@\n${'+x\n'.repeat(count - 1)}`;
    expect(snippetOf(patch(20)).split('\n')).toHaveLength(20);
    expect(snippetOf(patch(21))).toBe(snippetOf(patch(20)));
  });

  test('have lines of limited length, cut between characters', () => {
    const line = (text: string) => snippetOf(`@@\n${text}\n`).split('\n')[1];
    expect(line(`+${'x'.repeat(199)}`)).toBe(`+${'x'.repeat(199)}`);
    expect(line(`+${'x'.repeat(200)}`)).toBe(`+${'x'.repeat(198)}…`);
    expect(line(`+${'x'.repeat(197)}🙂🙂`)).toBe(`+${'x'.repeat(197)}…`);
  });

  test('are three at most, without the empty ones', () => {
    const patch = '@@ -1 +1 @@\n-one\n+two\n';
    const patches = ['a', 'b', 'c', 'd', 'e'].map((name) => ({file: name, patch: name === 'b' ? '' : patch}));
    const {snippets} = reviewSummary({files: [], diffstat: '', patches});
    expect(snippets).toEqual(['a', 'c', 'd'].map((name) => ({file: name, snippet: patch.trimEnd()})));
  });
});

describe('a recorded summary', () => {
  test('keeps unknown fields', () => {
    const summary = {
      files: ['a'],
      diffstat: 'x',
      snippets: [{file: 'a', snippet: 's', more: 1}],
      extra: true,
    };
    expect(reviewSummarySchema.parse(summary)).toEqual(summary);
  });

  test('that is damaged is empty and does not make the run unreadable', () => {
    expect(
      reviewSummarySchema.parse({files: null, diffstat: 3, snippets: [{}], total_files: 'many'}),
    ).toEqual({
      files: [],
      diffstat: '',
      snippets: [],
      total_files: undefined,
      note: undefined,
    });
  });
});
